// Prepares the texts in the data of a page: makes them printable (Printable), shortens them, and
// stores equal ones once. Pure.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "cli/json_text.h"
#include "cli/report/html/packed.h"
#include "cli/terminal/text.h"
#include "core/kernels/kernel_family.h"
#include "core/views/naming/names.h"

namespace gprofx {

inline constexpr int kLongestPageText = 2'000;

inline std::string PageText(std::string_view text, int longest = kLongestPageText) {
  return FitEnd(Printable(text.substr(0, 4 * static_cast<size_t>(longest))), longest);
}

// Stores each text once and gives it a number. Other data refer to a text by this number. 0 is the
// empty text.
class PageTexts {
 public:
  explicit PageTexts(int longest = kLongestPageText) : longest_(longest) { Of(""); }

  size_t Of(std::string_view text) {
    const auto [found, made] = index_.try_emplace(PageText(text, longest_), list_.size());
    if (made) list_.push_back(found->first);
    return found->second;
  }
  Json& list() { return list_; }

 private:
  int longest_;
  Json list_ = Json::array();
  std::unordered_map<std::string, size_t> index_;
};

// Adds the columns that readLabels() in labels.js reads. The names of the columns begin with
// `what`. A label has kind, name, file, line and module.
template <class Rows, class LabelOf, class ShortOf>
void AddLabels(const std::string& what, const Rows& rows, const LabelOf& label_of,
               const ShortOf& short_of, PageTexts& texts, PackedColumns& columns) {
  const auto add = [&](const char* name, const auto& get) {
    columns.Add((what + "." + name).c_str(), rows,
                [&](const auto& row) { return get(label_of(row)); });
  };
  add("name", [&](const auto& label) { return texts.Of(label.name); });
  add("short", [&](const auto& label) { return texts.Of(short_of(label)); });
  add("file", [&](const auto& label) { return texts.Of(label.file); });
  add("line", [&](const auto& label) { return label.line; });
  add("module", [&](const auto& label) { return texts.Of(label.module); });
  add("kind", [&](const auto& label) { return static_cast<int>(label.kind); });
  add("word", [&](const auto& label) { return texts.Of(KindWord(label.kind, label.name)); });
  add("communicates", [](const auto& label) {
    return label.kind == FrameKind::kGpuKernel && IsCommunicationKernel(label.name);
  });
}

}  // namespace gprofx
