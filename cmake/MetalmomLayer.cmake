# One library per folder of cpp/: a layer can include and link only the layers it names here,
# so a wrong dependency fails at link time (scripts/check_tree.py says the same of includes).
find_package(Threads REQUIRED)

# Flags of every layer. -ffp-contract=fast and no errno let the compiler use FMA; associative
# math is added by kernel files alone, and nothing here reaches the linker (-ffast-math there
# would set flush-to-zero for the whole Python process).
add_library(metalmom_flags INTERFACE)
target_compile_features(metalmom_flags INTERFACE cxx_std_20)
target_include_directories(metalmom_flags INTERFACE ${CMAKE_SOURCE_DIR}/cpp)
target_compile_options(metalmom_flags INTERFACE
  -Wall -Wextra -Wshadow -Wno-psabi -fno-math-errno -fno-trapping-math -ffp-contract=fast)
# For processors in general, GCC 13 and later leave a multiply-add unfused where its sum waits for the
# one before it. Whether it does depends on the unrolling around it, and with it the last bit: a block
# would not have the bits of its parts.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(metalmom_flags INTERFACE --param=avoid-fma-max-bits=0)
endif()
target_link_libraries(metalmom_flags INTERFACE Threads::Threads)
if(METALMOM_SANITIZE)
  # Left out of `undefined`: what AddressSanitizer sees as well, for a fifth of the time to compile.
  target_compile_options(metalmom_flags INTERFACE -fsanitize=${METALMOM_SANITIZE}
    -fno-sanitize=null,object-size,vptr -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(metalmom_flags INTERFACE -fsanitize=${METALMOM_SANITIZE})
endif()

# Of code that is large and does little (bindings, tests): less optimized, at `level` of a release, to compile sooner.
function(metalmom_quick_to_compile target level)
  if(METALMOM_SANITIZE)
    target_compile_options(${target} PRIVATE -O0 -fno-sanitize=undefined)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
  endif()
endfunction()

# What nearly every file of the layers includes is read once, for `base`; the others have the same flags.
# The preset `dev` does without, so that a file that lacks an include does not compile there.
function(metalmom_share_headers target)
  if(target STREQUAL metalmom_base)
    target_precompile_headers(metalmom_base PRIVATE <algorithm> <array> <atomic> <chrono> <cmath> <complex>
      <functional> <limits> <map> <memory> <mutex> <optional> <span> <string> <string_view> <utility> <vector>)
  else()
    target_precompile_headers(${target} REUSE_FROM metalmom_base)
  endif()
endfunction()

function(metalmom_layer name)
  cmake_parse_arguments(arg "FAMILIES" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(arg_FAMILIES)  # a folder a family
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  if(sources)
    add_library(metalmom_${name} STATIC ${sources})
    metalmom_share_headers(metalmom_${name})
    set(scope PUBLIC)
  else()
    add_library(metalmom_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(metalmom_${name} ${scope} metalmom_flags)
  foreach(layer ${arg_DEPENDS})
    target_link_libraries(metalmom_${name} ${scope} metalmom_${layer})
  endforeach()
endfunction()
