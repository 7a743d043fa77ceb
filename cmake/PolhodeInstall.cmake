# Install tree: headers, library, program, and a package that find_package(polhode) finds.
include(CMakePackageConfigHelpers)

install(TARGETS polhode EXPORT polhodeTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/polhode DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")
install(EXPORT polhodeTargets NAMESPACE polhode:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/polhode)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/polhodeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/polhodeConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/polhode)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/polhodeConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/polhodeConfig.cmake ${PROJECT_BINARY_DIR}/polhodeConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/polhode)
if(TARGET polhode_program)
  install(TARGETS polhode_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
