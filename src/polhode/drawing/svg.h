#pragma once

#include "polhode/drawing/view.h"

#include <string>
#include <string_view>

/// The few words of SVG that the drawings are written in. Every function gives the same bytes for the same input.
namespace polhode::drawing::svg {

/// Text for element content and attribute values; characters that XML cannot hold become U+FFFD.
std::string escape(std::string_view text);

/// A length on paper: at most two decimals, never "-0".
std::string number(double value);
std::string point(Point p);

/// "#rrggbb" made darker (factor < 1) or lighter (factor > 1: towards white).
std::string shade(std::string_view colour, double factor);

/// A number for people: at most `decimals` digits after the point, no trailing zeros, a true minus sign.
std::string readable(double value, int decimals);
/// The same for a number that was given, not computed: one too small for two such digits keeps three of its own,
/// "1e-10".
std::string stated(double value, int decimals);
/// An angle in rad as "32.5°".
std::string degrees(double angle);

/// Content of a <text> element from "θ_R" or "θ_{rear}": subscripts lowered, the rest escaped.
std::string with_subscripts(std::string_view text, double font_size);
/// Its width on paper, a generous estimate that holds for the usual sans-serif fonts.
double text_width(std::string_view text, double font_size);

}  // namespace polhode::drawing::svg
