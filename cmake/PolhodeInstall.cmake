# Install tree: headers, library, program, and a package that find_package(polhode) finds.
include(CMakePackageConfigHelpers)

install(TARGETS polhode EXPORT polhodeTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# What is ours alone: no header that is installed includes it (a test compiles them all).
set(private
  analysis/as_mechanism.h analysis/eigen.h
  audit/dynamics.h audit/exact_error.h audit/integrals.h audit/kinematics.h audit/maps.def audit/updates.h
  catalog/conventions.def catalog/kept.h catalog/mesh_shelf.h catalog/representation_support.h catalog/representations.def catalog/robot_frame.h catalog/scenario_parts.h catalog/urdf_robot.h
  core/counted.h core/refuse.h
  drawing/palette.h drawing/pieces.h drawing/thinned_line.h
  formula/functions.def
  formulation/forced_rotor_series_impl.h formulation/free_rotor_series.h formulation/free_rotor_series_impl.h
  formulation/series_lanes.h
  integrator/generalised_alpha.h integrator/integrators.def integrator/linear_solver.h integrator/own_steps.h integrator/rough_power.h integrator/singular_configuration.h
  io/blanks.h io/readers.def io/toml_bytes.h io/toml_reader.h io/write_error.h io/writers.def
  motion/free_motion_impl.h motion/lagrange_top_impl.h
  multibody/acting.h multibody/constraint_rows.h multibody/joints.def multibody/linearised_mechanism.h multibody/loop_group.h multibody/mechanism_jacobian.h multibody/node_state.h multibody/tree_columns.h
  run/sweep_page.h
  verification/coordinates.h verification/driven.h verification/form_sweep.h verification/integrator_cases.h verification/integrator_checks.h verification/larger.h verification/motion_check.h verification/taylor.h)
set(exclude)
foreach(header ${private})
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/polhode/${header})
    message(FATAL_ERROR "cmake/PolhodeInstall.cmake names polhode/${header}, and there is none")
  endif()
  string(REPLACE "." "[.]" pattern ${header})
  list(APPEND exclude REGEX "/polhode/${pattern}$" EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/polhode DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING ${exclude} PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")
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
