#include "core/views/imported.h"

#include <algorithm>
#include <string_view>

namespace gprofx {

Imported DescribeImport(const Profile& profile) {
  constexpr std::string_view kLeftOut = "import_left_out_";
  Imported imported;
  const auto from = profile.meta.find("imported_from");
  if (from == profile.meta.end()) return imported;
  imported.from = from->second;
  const auto counter = [&](const char* name) {
    const auto found = profile.quality.find(name);
    return found == profile.quality.end() ? int64_t{0} : found->second;
  };
  imported.unlinked = counter("import_unlinked");
  imported.guesses = counter("import_guessed_processes") + counter("import_guessed_calls");
  imported.cut_ns = counter("import_cut_ns");
  imported.markers = counter("import_markers");
  for (const auto& [name, count] : profile.quality) {
    if (!name.starts_with(kLeftOut)) continue;
    LeftOut row{name.substr(kLeftOut.size()), count};
    std::replace(row.what.begin(), row.what.end(), '_', ' ');
    imported.left_out.push_back(std::move(row));
  }
  std::stable_sort(imported.left_out.begin(), imported.left_out.end(),
                   [](const LeftOut& a, const LeftOut& b) { return a.count > b.count; });
  return imported;
}

}  // namespace gprofx
