#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// All examples as a static site.
namespace polhode::run {

struct GalleryOptions {
  std::string folder = "gallery";
  bool overwrite = false;  ///< also over files of the same names that are not of a gallery
  std::function<bool()> keep_going{};
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress{};
};

struct Gallery {
  std::string index;  ///< the page that leads to all others
  struct Page {
    std::string example;
    std::string file;
    bool good = false;  ///< it reached its end, and nothing speaks against it
  };
  std::vector<Page> pages;
  bool interrupted = false;
};

/// Runs every example into a folder, with a picture of each.
Gallery write_gallery(const GalleryOptions& options);

}  // namespace polhode::run
