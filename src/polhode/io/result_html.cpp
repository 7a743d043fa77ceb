#include "polhode/io/viewer_page.h"

namespace polhode::io {

extern const ResultWriter kWriter_html{
    "html", "viewer.html", "a page that shows the run in the browser: picture, plots, certificate", write_viewer_page};

}  // namespace polhode::io
