cmake_policy(SET CMP0057 NEW)  # IN_LIST, also where a script is run by itself

# What the options may be: a misspelt value is refused, because CMake would read it as another one.
function(metalmom_refuse_unknown option)
  if(NOT "${${option}}" IN_LIST ARGN)
    list(JOIN ARGN ", " known)
    message(FATAL_ERROR "${option}=${${option}} must be one of: ${known}")
  endif()
endfunction()

set(booleans ON OFF TRUE FALSE YES NO 1 0 on off true false yes no True False Yes No)
foreach(option PYTHON C IO TESTS BENCH TOOLS)
  metalmom_refuse_unknown(METALMOM_${option} ${booleans})
endforeach()
metalmom_refuse_unknown(METALMOM_GPU AUTO ${booleans})
metalmom_refuse_unknown(METALMOM_FFT fftw own)
metalmom_refuse_unknown(METALMOM_SANITIZE "" address undefined address,undefined thread)

# The GPU engine needs the Vulkan headers (the loader is opened at run time) and a compiler of shaders. Under AUTO
# it is left out where one is missing, and CMakeLists.txt says so at its end.
set(METALMOM_GPU_LACKS "")
if(METALMOM_GPU)
  find_program(GLSLC glslc)
  find_path(METALMOM_VULKAN_HEADERS vulkan/vulkan.h)
  if(NOT GLSLC)
    list(APPEND METALMOM_GPU_LACKS "the program glslc")
  endif()
  if(NOT METALMOM_VULKAN_HEADERS)
    list(APPEND METALMOM_GPU_LACKS "the header vulkan/vulkan.h")
  endif()
  list(JOIN METALMOM_GPU_LACKS " and " METALMOM_GPU_LACKS)
  if(NOT METALMOM_GPU_LACKS)
    set(METALMOM_GPU ON)
  elseif(METALMOM_GPU STREQUAL "AUTO")
    set(METALMOM_GPU OFF)
  else()
    message(FATAL_ERROR "METALMOM_GPU=${METALMOM_GPU} needs ${METALMOM_GPU_LACKS}, not found here; AUTO builds without a GPU engine")
  endif()
endif()
