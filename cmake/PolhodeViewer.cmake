# polhode_viewer(OUTPUT SOURCES): adds to the list SOURCES the page of viewer/ as a C++ source, made with Node.js; where that
# or its packages are not available, a source that holds none.
function(polhode_viewer output list_of_sources)
  set(viewer ${PROJECT_SOURCE_DIR}/viewer)
  set(absent ${PROJECT_SOURCE_DIR}/src/polhode/io/viewer_absent.cpp)
  find_program(POLHODE_NODE NAMES node nodejs)
  find_program(POLHODE_NPM npm)
  set(POLHODE_HAS_VIEWER OFF PARENT_SCOPE)
  if(NOT POLHODE_VIEWER)
    return()
  endif()
  if(NOT POLHODE_NODE OR NOT POLHODE_NPM)
    message(STATUS "No Node.js (Debian: nodejs npm): built without the viewer; the pages of polhode run and compare have plots, but do not move")
    return()
  endif()

  # packages as package-lock.json has them, once
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${viewer}/package-lock.json)
  file(SHA256 ${viewer}/package-lock.json wanted)
  set(there "")
  if(EXISTS ${viewer}/node_modules/.polhode)
    file(READ ${viewer}/node_modules/.polhode there)
  endif()
  if(NOT there STREQUAL wanted)
    message(STATUS "Fetching the packages of the viewer")
    execute_process(COMMAND ${POLHODE_NPM} ci --no-progress WORKING_DIRECTORY ${viewer}
      RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(NOT status EQUAL 0)
      message(STATUS "npm ci failed, so the viewer is left out; the pages of polhode run and compare have plots, but do not move. To see why: cd viewer && npm ci")
      return()
    endif()
    file(WRITE ${viewer}/node_modules/.polhode ${wanted})
  endif()

  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${viewer}/src/*)
  add_custom_command(OUTPUT ${output}
    COMMAND ${POLHODE_NODE} ${viewer}/tools/build.mjs ${output}
    DEPENDS ${files} ${viewer}/tools/build.mjs ${viewer}/package-lock.json
    COMMENT "Making the viewer's page" VERBATIM)
  set(list ${${list_of_sources}})
  list(REMOVE_ITEM list ${absent})
  set(${list_of_sources} ${list} ${output} PARENT_SCOPE)
  set(POLHODE_HAS_VIEWER ON PARENT_SCOPE)
endfunction()
