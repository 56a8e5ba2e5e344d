// Suggests the word that a user probably meant. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gprofx {

// Returns the number of edits that turn one word into the other (optimal string alignment
// distance). An edit inserts, removes or replaces a character, or exchanges two neighbours. If a
// word has more than 64 characters, the result is the length of the longer word.
size_t EditDistance(std::string_view a, std::string_view b);

// Returns the word in `known` that is most similar to `word`. Returns "" if none is similar enough.
// A word of three or four characters may need one edit, a longer word two. Nothing is similar to a
// shorter word.
std::string NearestWord(std::string_view word, std::span<const std::string> known);

// Returns "did you mean 'WORD'? ", or "" if `nearest` is empty.
std::string DidYouMean(const std::string& nearest);

}  // namespace gprofx
