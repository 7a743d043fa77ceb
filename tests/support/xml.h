#pragma once

#include <string>
#include <string_view>
#include <vector>

/// A small judge of XML: enough to know that a browser will read what we write.
namespace polhode::test {

/// How often a part stands in a text.
inline std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) { ++n; }
  return n;
}

/// "" if `text` is well-formed (one root, tags nested, attributes quoted and not repeated, & and < escaped), else what
/// is wrong.
inline std::string why_not_xml(std::string_view text) {
  std::vector<std::string> open;
  int roots = 0;
  const auto is_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == ':' ||
           c == '_';
  };
  const auto bad_reference = [](std::string_view part) {
    for (std::size_t at = part.find('&'); at != std::string_view::npos; at = part.find('&', at + 1)) {
      bool known = false;
      for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;"}) {
        known |= part.substr(at).starts_with(entity);
      }
      if (!known) { return true; }
    }
    return false;
  };
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && c != '\n' && c != '\t') { return "control character"; }
  }
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '<') {
      const std::size_t end = std::min(text.find('<', i), text.size());
      const std::string_view part = text.substr(i, end - i);
      if (open.empty() && part.find_first_not_of(" \n") != std::string_view::npos) { return "text outside the root"; }
      if (bad_reference(part)) { return "bare & in text"; }
      i = end;
      continue;
    }
    ++i;
    const bool closing = i < text.size() && text[i] == '/';
    if (closing) { ++i; }
    std::string name;
    while (i < text.size() && is_name(text[i])) { name += text[i++]; }
    if (name.empty()) { return "tag without a name"; }
    std::vector<std::string> attributes;
    while (i < text.size() && text[i] != '>' && text[i] != '/') {
      if (text[i] == ' ') {
        ++i;
        continue;
      }
      std::string attribute;
      while (i < text.size() && is_name(text[i])) { attribute += text[i++]; }
      if (attribute.empty() || !text.substr(i).starts_with("=\"")) { return "bad attribute in <" + name; }
      for (const std::string& other : attributes) {
        if (other == attribute) { return "attribute twice: " + attribute; }
      }
      attributes.push_back(attribute);
      const std::size_t end = text.find('"', i + 2);
      if (end == std::string_view::npos) { return "attribute without end"; }
      const std::string_view value = text.substr(i + 2, end - i - 2);
      if (value.find('<') != std::string_view::npos || bad_reference(value)) { return "bare < or & in " + attribute; }
      i = end + 1;
    }
    const bool empty = i < text.size() && text[i] == '/';
    if (empty) { ++i; }
    if (i >= text.size() || text[i] != '>') { return "tag without end: " + name; }
    ++i;
    if (closing) {
      if (open.empty() || open.back() != name) { return "</" + name + "> does not close anything"; }
      open.pop_back();
    } else {
      if (open.empty() && ++roots > 1) { return "two roots"; }
      if (!empty) { open.push_back(name); }
    }
  }
  if (!open.empty()) { return "<" + open.back() + "> is not closed"; }
  return roots == 1 ? "" : "no root";
}

}  // namespace polhode::test
