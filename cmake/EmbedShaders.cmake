# Compiles every shaders/*.comp to SPIR-V and embeds it: embedded_shaders.cpp holds one array a
# shader, found by the file's name. A shader that does not compile fails the build.
find_program(GLSLC glslc REQUIRED)

function(metalmom_embed_shaders target)
  file(GLOB shaders CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/shaders/*.comp)
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/spirv)
  file(MAKE_DIRECTORY ${directory})
  set(words "")
  set(arrays "")
  set(entries "")
  foreach(shader ${shaders})
    get_filename_component(name ${shader} NAME_WE)
    set(output ${directory}/${name}.inc)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${GLSLC} --target-env=vulkan1.1 -O -Werror -mfmt=num -I ${CMAKE_SOURCE_DIR}/shaders
              -MD -MF ${output}.d -o ${output} ${shader}
      DEPENDS ${shader} DEPFILE ${output}.d COMMENT "Shader ${name}" VERBATIM)
    list(APPEND words ${output})
    string(APPEND arrays "constexpr std::uint32_t ${name}[] = {\n#include \"spirv/${name}.inc\"\n};\n")
    string(APPEND entries "    {\"${name}\", ${name}},\n")
  endforeach()
  configure_file(${CMAKE_SOURCE_DIR}/cmake/embedded_shaders.cpp.in embedded_shaders.cpp @ONLY)
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/embedded_shaders.cpp
    PROPERTIES OBJECT_DEPENDS "${words}")
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded_shaders.cpp)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
