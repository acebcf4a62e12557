# Makes the project usable by find_package(PallasMLIR), from the build tree and
# from the install tree.
include(CMakePackageConfigHelpers)

set(PALLAS_PACKAGE_DIR lib/cmake/PallasMLIR)
get_property(PALLAS_CONFIG_LIBRARIES GLOBAL PROPERTY PALLAS_LIBRARIES)
list(JOIN PALLAS_CONFIG_LIBRARIES " " PALLAS_CONFIG_LIBRARIES)

# Build tree
set(PALLAS_CONFIG_INCLUDE_DIRS "\"${PROJECT_SOURCE_DIR}/include\" \"${PROJECT_BINARY_DIR}/include\"")
set(PALLAS_CONFIG_TOOLS_DIR "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/PallasMLIRConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/${PALLAS_PACKAGE_DIR}/PallasMLIRConfig.cmake"
  INSTALL_DESTINATION ${PALLAS_PACKAGE_DIR}
  INSTALL_PREFIX "${PROJECT_BINARY_DIR}")
export(EXPORT PallasTargets NAMESPACE PallasMLIR::
  FILE "${PROJECT_BINARY_DIR}/${PALLAS_PACKAGE_DIR}/PallasMLIRTargets.cmake")

# Install tree
set(PALLAS_CONFIG_INCLUDE_DIRS "\"\${PACKAGE_PREFIX_DIR}/include\"")
set(PALLAS_CONFIG_TOOLS_DIR "\${PACKAGE_PREFIX_DIR}/bin")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/PallasMLIRConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/CMakeFiles/PallasMLIRConfig.cmake"
  INSTALL_DESTINATION ${PALLAS_PACKAGE_DIR})
install(EXPORT PallasTargets NAMESPACE PallasMLIR::
  FILE PallasMLIRTargets.cmake DESTINATION ${PALLAS_PACKAGE_DIR})
install(DIRECTORY include/pallas include/pallas-c DESTINATION include
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY "${PROJECT_BINARY_DIR}/include/pallas" DESTINATION include
  FILES_MATCHING PATTERN "*.inc")

write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/${PALLAS_PACKAGE_DIR}/PallasMLIRConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/CMakeFiles/PallasMLIRConfig.cmake"
  "${PROJECT_BINARY_DIR}/${PALLAS_PACKAGE_DIR}/PallasMLIRConfigVersion.cmake"
  DESTINATION ${PALLAS_PACKAGE_DIR})
