# polhode_examples(OUTPUT): writes a source file with the text of every scenario in examples/.
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
    string(APPEND entries "    {\"${name}\", R\"polhode(${title})polhode\", R\"polhode(${text})polhode\"},\n")
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
