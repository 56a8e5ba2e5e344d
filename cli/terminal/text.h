// Text that is safe to print and whose width on the screen is known.
//
// Names come from other people's programs: they may hold escape sequences, newlines, direction
// marks or bytes that are no UTF-8. Printable() makes them harmless; the other functions take what
// Printable() returned. Widths are in columns, by an own range table, so that the result does not
// depend on the locale. Pure functions, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gprofx {

// Reads one code point at `pos` and moves `pos` behind it. Nothing (and `pos` + 1) where the bytes
// are no UTF-8.
std::optional<char32_t> DecodeUtf8(std::string_view text, size_t& pos);

// A control character, or one that changes the direction or is not seen: nothing that a name needs.
bool IsUnsafe(char32_t code_point);

// Control characters and invalid bytes become \xNN text, everything else stays.
std::string Printable(std::string_view text);

int CodePointColumns(char32_t code_point);  // 0, 1 or 2
int Columns(std::string_view text);

// `text` when it fits into `columns`, else its beginning with ".." at the end.
std::string FitEnd(std::string_view text, int columns);

// The same, but the end is what stays: for paths.
std::string FitStart(std::string_view text, int columns);

// The same, but the middle goes: the beginning says what it is, the end (a shape, a number) which
// one.
std::string FitMiddle(std::string_view text, int columns);

// The same for "GPT.transformer.h.3.attn": whole names go from the start.
std::string FitDotted(std::string_view text, int columns);

// The same for "path:123 function" and "path:123": the path is cut at its start, then the function
// at its end; the number of the line stays as long as it fits at all.
std::string FitPlace(std::string_view text, int columns);

// Breaks `parts` (joined by `gap`) into lines of at most `columns`; lines after the first start
// with `indent` blanks.
std::string WrapParts(const std::string* parts, size_t count, std::string_view gap, int columns,
                      int indent);

}  // namespace gprofx
