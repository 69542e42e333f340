# Compiles every shaders/*.comp to SPIR-V and embeds it: embedded_shaders.cpp holds one array a
# shader, found by the file's name. A shader that does not compile fails the build. One with the line
# "// For each N_FFT of transform_sizes." is compiled once for each size that shaders/constants.h
# lists, as name_256, name_512 ...: the transform's loops must be unrolled, and its registers named,
# before the driver sees them.
find_program(GLSLC glslc REQUIRED)

function(metalmom_embed_shaders target)
  file(GLOB shaders CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/shaders/*.comp)
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/spirv)
  file(MAKE_DIRECTORY ${directory})
  set(constants ${CMAKE_SOURCE_DIR}/shaders/constants.h)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${constants})
  file(STRINGS ${constants} all_sizes REGEX "uint transform_sizes.* = {")
  string(REGEX REPLACE ".*{(.*)}.*" "\\1" all_sizes "${all_sizes}")
  string(REGEX MATCHALL "[0-9]+" all_sizes "${all_sizes}")
  set(words "")
  set(arrays "")
  set(entries "")
  foreach(shader ${shaders})
    get_filename_component(stem ${shader} NAME_WE)
    file(STRINGS ${shader} sized REGEX "^// For each N_FFT of transform_sizes.")
    set(sizes none)
    if(sized)
      set(sizes ${all_sizes})
    endif()
    foreach(size ${sizes})
      set(name ${stem})
      set(define "")
      if(NOT size STREQUAL none)
        set(name ${stem}_${size})
        set(define -DN_FFT=${size})
      endif()
      set(output ${directory}/${name}.inc)
      add_custom_command(
        OUTPUT ${output}
        COMMAND ${GLSLC} --target-env=vulkan1.1 -O -Werror -mfmt=num ${define}
                -I ${CMAKE_SOURCE_DIR}/shaders -MD -MF ${output}.d -o ${output} ${shader}
        DEPENDS ${shader} DEPFILE ${output}.d COMMENT "Shader ${name}" VERBATIM)
      list(APPEND words ${output})
      string(APPEND arrays
        "constexpr std::uint32_t ${name}[] = {\n#include \"spirv/${name}.inc\"\n};\n")
      string(APPEND entries "    {\"${name}\", ${name}},\n")
    endforeach()
  endforeach()
  configure_file(${CMAKE_SOURCE_DIR}/cmake/embedded_shaders.cpp.in embedded_shaders.cpp @ONLY)
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/embedded_shaders.cpp
    PROPERTIES OBJECT_DEPENDS "${words}")
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded_shaders.cpp)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
