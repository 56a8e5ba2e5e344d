#include "core/redact/public_words.h"

#include <array>
#include <iterator>
#include <unordered_set>

namespace gprofx {
namespace {

constexpr std::string_view kSections[] = {"[paths]",     "[operators]",   "[calls]",
                                          "[kernels]",   "[packages]",    "[modules]",
                                          "[libraries]", "[kernel-words]"};
static_assert(std::size(kSections) == static_cast<size_t>(WordList::kKernelWords) + 1);
using Lists = std::array<std::unordered_set<std::string_view>, std::size(kSections)>;

Lists ReadLists() {
  Lists lists;
  Lists::value_type* list = nullptr;
  std::string_view text = kPublicWords;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(word.size());
    if (!text.empty()) text.remove_prefix(1);
    if (word.empty()) continue;
    bool is_section = false;
    for (size_t i = 0; i < lists.size(); ++i) {
      if (word != kSections[i]) continue;
      list = &lists[i];
      is_section = true;
    }
    if (!is_section && list != nullptr) list->insert(word);
  }
  return lists;
}

}  // namespace

bool IsPublicWord(WordList list, std::string_view word) {
  static const auto* const kLists = new Lists(ReadLists());
  return (*kLists)[static_cast<size_t>(list)].contains(word);
}

}  // namespace gprofx
