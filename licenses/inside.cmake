# What is compiled into the module from elsewhere, with its versions, as a bill of materials in the
# wheel (PEP 770). What a repair copies into a wheel afterwards, the repair writes down itself.
set(armadillo_version "")
foreach(level IN ITEMS MAJOR MINOR PATCH)
  file(STRINGS "${ARMADILLO_INCLUDE_DIR}/armadillo_bits/arma_version.hpp" line
       REGEX "define ARMA_VERSION_${level}" LIMIT_COUNT 1)
  string(REGEX MATCH "[0-9]+" number "${line}")
  list(APPEND armadillo_version "${number}")
endforeach()
list(JOIN armadillo_version "." armadillo_version)
configure_file(licenses/sbom.cdx.json.in vest-tucker.cdx.json @ONLY)
if(SKBUILD)
  install(FILES "${PROJECT_BINARY_DIR}/vest-tucker.cdx.json"
          DESTINATION "${SKBUILD_METADATA_DIR}/sboms")
endif()
