# find_audio_library(NAME [CONDITION]): a target PkgConfig::NAME. Debian's packages bring .pc files;
# on other systems the library is found by its name.
find_package(PkgConfig QUIET)

function(find_audio_library name)
  if(PkgConfig_FOUND)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${name}${ARGN})
  endif()
  if(NOT TARGET PkgConfig::${name})
    find_path(METALMOM_${name}_INCLUDE ${name}.h REQUIRED)
    find_library(METALMOM_${name}_LIBRARY ${name} REQUIRED)
    add_library(PkgConfig::${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(PkgConfig::${name} PROPERTIES
      IMPORTED_LOCATION ${METALMOM_${name}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${METALMOM_${name}_INCLUDE})
  endif()
endfunction()
