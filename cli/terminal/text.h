// Text that is safe to print and whose screen width is known.
//
// Names come from other people's programs: they may contain escape sequences, newlines, direction
// marks or bytes that are not UTF-8. Printable() makes them harmless; the other functions take the
// result of Printable(). Widths are columns, from our own range table, so the result does not
// depend on the locale. Pure functions, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gprofx {

// Decodes one code point at `pos` and advances `pos`. If the bytes are not UTF-8, returns nothing
// and advances by 1.
std::optional<char32_t> DecodeUtf8(std::string_view text, size_t& pos);

// True for control characters, line and paragraph separators, and characters that are invisible or
// change the writing direction: they rearrange the screen, and no name needs them.
bool IsUnsafe(char32_t code_point);

// Replaces control characters and invalid bytes by \xNN; keeps everything else.
std::string Printable(std::string_view text);

int CodePointColumns(char32_t code_point);  // 0, 1 or 2
int Columns(std::string_view text);

// Returns `text` if it fits into `columns`, else its beginning followed by "..".
std::string FitEnd(std::string_view text, int columns);

// Returns ASCII text with blanks before it, so that it fills `columns`.
std::string AtRight(const std::string& text, int columns);

// Like FitEnd, but keeps the end: for paths.
std::string FitStart(std::string_view text, int columns);

// Like FitEnd, but cuts the middle: the beginning says what it is, the end (a shape, a number)
// which one.
std::string FitMiddle(std::string_view text, int columns);

// Like FitEnd, for "GPT.transformer.h.3.attn": removes whole components from the start.
std::string FitDotted(std::string_view text, int columns);

// Like FitEnd, for "path:123 function" and "path:123": cuts the path at its start, then the
// function at its end. Keeps the line number as long as it fits.
std::string FitPlace(std::string_view text, int columns);

// Returns the place of such a text, "model.py:88"; "" if there is none.
std::string_view PlaceIn(std::string_view text);

// Breaks `parts` (joined by `gap`) into lines of at most `columns`. Lines after the first start
// with `indent` blanks.
std::string WrapParts(const std::string* parts, size_t count, std::string_view gap, int columns,
                      int indent);

}  // namespace gprofx
