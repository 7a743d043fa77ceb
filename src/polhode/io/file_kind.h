#pragma once

#include "polhode/core/error.h"

#include <optional>
#include <string>
#include <string_view>

namespace polhode::io {

/// The kind of a file that was given instead of the expected one.
struct FileKind {
  std::string_view what;  ///< "a PNG picture"
  std::string_view cure;  ///< what takes it, FILE for its name; "" where nothing of ours does
  enum class Form { scenario, rows, other } form = Form::other;
};

/// By the first bytes of a file; nothing where they tell nothing. It is a guess for messages: ask only after a file was
/// found not to be what it should be.
std::optional<FileKind> file_kind_of(std::string_view bytes);

/// "FILE:1:1: this is KIND; wanted: WANTED; CURE"
Problem wrong_kind(const FileKind& kind, std::string_view wanted, const std::string& file);

}  // namespace polhode::io
