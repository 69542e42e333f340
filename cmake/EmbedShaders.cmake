# Compiles every shaders/*.comp to SPIR-V and embeds it, packed (pack_shader.py): embedded_shaders.cpp holds one
# array a shader, found by the file's name. A shader that does not compile fails the build. One with the line
# "// For each of transform_rows." is compiled once for each size that shaders/constants.h lists, or for
# "each power of two" of them, as name_256, name_512 ...: the transform's loops must be unrolled, and its
# registers named, before the driver sees them.
#
# The interface that kernels fill (gpu/record/shader_interface.hpp) is read from each shader's SPIR-V into
# shader/<name>.hpp. That SPIR-V is not optimized, because the optimizer drops names.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)

function(metalmom_embed_shaders target)
  file(GLOB shaders CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/shaders/*.comp)
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/spirv)
  file(MAKE_DIRECTORY ${directory} ${CMAKE_CURRENT_BINARY_DIR}/shader)
  set(constants ${CMAKE_SOURCE_DIR}/shaders/constants.h)
  # Files that are read while configuring: the sizes, and the shaders, since some have a line of sizes.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${constants} ${shaders})
  file(STRINGS ${constants} rows REGEX "^ +{[0-9, ]+},")
  list(TRANSFORM rows REPLACE "^ +{([0-9]+),.*" "\\1" OUTPUT_VARIABLE all_sizes)
  set(script ${CMAKE_SOURCE_DIR}/cmake/shader_interface.py)
  set(pack_script ${CMAKE_SOURCE_DIR}/cmake/pack_shader.py)
  # Under sanitizers the time of compiling counts, not the speed of a shader.
  set(level -O)
  if(METALMOM_SANITIZE)
    set(level -O0)
  endif()
  set(interfaces "")
  set(packed "")
  set(arrays "")
  set(entries "")
  foreach(shader ${shaders})
    get_filename_component(stem ${shader} NAME_WE)
    file(STRINGS ${shader} sized REGEX "^// For each.* of transform_rows.")
    set(sizes none)
    set(size_option "")
    if(sized)
      set(sizes ${all_sizes})
      set(size_option --sized)
    endif()
    set(unoptimized ${directory}/${stem}.spv)
    add_custom_command(
      OUTPUT ${unoptimized}
      COMMAND ${GLSLC} --target-env=vulkan1.1 -O0 -DTRANSFORM=0 -I ${CMAKE_SOURCE_DIR}/shaders
              -MD -MF ${unoptimized}.d -o ${unoptimized} ${shader}
      DEPENDS ${shader} DEPFILE ${unoptimized}.d COMMENT "" VERBATIM)
    set(interface ${CMAKE_CURRENT_BINARY_DIR}/shader/${stem}.hpp)
    add_custom_command(
      OUTPUT ${interface}
      COMMAND ${Python_EXECUTABLE} ${script} ${stem} ${unoptimized} ${interface} ${size_option}
      DEPENDS ${unoptimized} ${script} COMMENT "Interface of ${stem}" VERBATIM)
    list(APPEND interfaces ${interface})
    foreach(size ${sizes})
      set(name ${stem})
      set(define "")
      if(NOT size STREQUAL none)
        math(EXPR rest "${size} & (${size} - 1)")
        if(rest AND sized MATCHES "power of two")
          continue()
        endif()
        set(name ${stem}_${size})
        list(FIND all_sizes ${size} row)
        set(define -DTRANSFORM=${row})
      endif()
      set(output ${directory}/${name}.inc)
      add_custom_command(
        OUTPUT ${output}
        COMMAND ${GLSLC} --target-env=vulkan1.1 ${level} -Werror -mfmt=num ${define}
                -I ${CMAKE_SOURCE_DIR}/shaders -MD -MF ${output}.d -o ${output} ${shader}
        DEPENDS ${shader} DEPFILE ${output}.d COMMENT "Shader ${name}" VERBATIM)
      set(bytes ${directory}/${name}.bytes)
      add_custom_command(
        OUTPUT ${bytes} COMMAND ${Python_EXECUTABLE} ${pack_script} ${output} ${bytes}
        DEPENDS ${output} ${pack_script} ${script} COMMENT "Packed ${name}" VERBATIM)
      list(APPEND packed ${bytes})
      string(APPEND arrays
        "constexpr std::uint8_t ${name}[] = {\n#include \"spirv/${name}.bytes\"\n};\n")
      string(APPEND entries "    {\"${name}\", ${name}},\n")
    endforeach()
  endforeach()
  configure_file(${CMAKE_SOURCE_DIR}/cmake/embedded_shaders.cpp.in embedded_shaders.cpp @ONLY)
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/embedded_shaders.cpp
    PROPERTIES OBJECT_DEPENDS "${packed}")
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded_shaders.cpp ${interfaces})
  target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
