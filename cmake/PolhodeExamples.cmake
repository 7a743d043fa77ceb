# polhode_examples(OUTPUT): writes a source file with the text of every scenario in examples/ and of the files it reads.
function(polhode_examples output)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.toml)
  set(entries "")
  foreach(file IN LISTS files)
    file(READ ${file} text)
    if(NOT text MATCHES "\n\\[run\\]\n")  # chains of joints, for polhode draw
      continue()
    endif()
    string(REGEX MATCH "\ntitle = \"([^\"]*)\"" title "${text}")
    set(title "${CMAKE_MATCH_1}")
    get_filename_component(name ${file} NAME_WE)
    # files that it reads
    set(others "")
    string(REGEX MATCHALL "\nfile = \"[^\"]*\"" lines "${text}")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "\nfile = \"([^\"]*)\"" "\\1" other "${line}")
      file(READ ${PROJECT_SOURCE_DIR}/examples/${other} content)
      string(APPEND others "{\"${other}\", R\"polhode(${content})polhode\"}, ")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/${other})
    endforeach()
    string(APPEND entries "    {\"${name}\", R\"polhode(${title})polhode\", R\"polhode(${text})polhode\", {${others}}},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Made from examples/ by cmake/PolhodeExamples.cmake.
#include \"polhode/catalog/examples.h\"

namespace polhode::catalog {

const std::vector<Example>& examples() {
  static const std::vector<Example> kAll{
@entries@  };
  return kAll;
}

}  // namespace polhode::catalog
")
endfunction()
