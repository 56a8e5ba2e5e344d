// Makes text safe to print and computes its width on the screen.
//
// Names come from other people's programs. They may contain escape sequences, newlines, direction
// marks or bytes that are not UTF-8. Printable() makes them harmless; the other functions take the
// result of Printable(). Widths are columns, from our own table of ranges, so they do not depend on
// the locale. Pure functions, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gprofx {

// Decodes one code point at `pos` and advances `pos`. If the bytes are not UTF-8, returns nullopt
// and advances `pos` by 1.
std::optional<char32_t> DecodeUtf8(std::string_view text, size_t& pos);

// True for control characters, line and paragraph separators, and characters that are invisible or
// change the writing direction. Such characters can rearrange the screen, and no name needs them.
bool IsUnsafe(char32_t code_point);

// Returns `text` with control characters and invalid bytes replaced by \xNN.
std::string Printable(std::string_view text);

int CodePointColumns(char32_t code_point);  // returns 0, 1 or 2
int Columns(std::string_view text);

// Returns `text` if it fits into `columns`. Otherwise returns its beginning, followed by "..".
std::string FitEnd(std::string_view text, int columns);

// Returns ASCII text with so many blanks before it that it fills `columns`.
std::string AtRight(const std::string& text, int columns);

// Shortens like FitEnd, but keeps the end of the text. Used for paths.
std::string FitStart(std::string_view text, int columns);

// Shortens like FitEnd, but cuts the middle. Used for texts whose beginning says what something is,
// and whose end (a shape, a number) says which one.
std::string FitMiddle(std::string_view text, int columns);

// Shortens like FitEnd, but removes whole components from the start. Used for
// "GPT.transformer.h.3.attn".
std::string FitDotted(std::string_view text, int columns);

// Shortens "path:123 function" and "path:123" to `columns`. Cuts the path at its start, then the
// function at its end. Keeps the line number as long as it fits.
std::string FitPlace(std::string_view text, int columns);

// Returns the place in a text for FitPlace, such as "model.py:88". Returns "" if there is none.
std::string_view PlaceIn(std::string_view text);

// Breaks `parts`, joined by `gap`, into lines of at most `columns`. Lines after the first start
// with `indent` blanks.
std::string WrapParts(const std::string* parts, size_t count, std::string_view gap, int columns,
                      int indent);

}  // namespace gprofx
