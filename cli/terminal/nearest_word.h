// Suggests what a mistyped word was meant to be. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gprofx {

// Returns the number of edits between two words: a character inserted, removed or replaced, or two
// neighbours exchanged (optimal string alignment distance). Words of more than 64 characters are as
// far apart as they are long.
size_t EditDistance(std::string_view a, std::string_view b);

// Returns the word of `known` that is nearest to `word`, if few enough edits lead to it: none for
// one or two characters, one for three or four, two for more. "" = there is none.
std::string NearestWord(std::string_view word, std::span<const std::string> known);

// Returns "did you mean 'WORD'? ", or "" if `nearest` is empty.
std::string DidYouMean(const std::string& nearest);

}  // namespace gprofx
