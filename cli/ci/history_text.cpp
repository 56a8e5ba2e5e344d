#include "cli/ci/history_text.h"

#include "cli/diff/words.h"
#include "cli/report/number.h"
#include "cli/terminal/text.h"
#include "core/base/format.h"

namespace gprofx {

std::string VersionText(const std::string& name) {
  constexpr size_t kHashes[] = {40, 64}, kShown = 10;
  const bool is_hash = name.find_first_not_of("0123456789abcdef") == std::string::npos &&
                       (name.size() == kHashes[0] || name.size() == kHashes[1]);
  return Printable(is_hash ? name.substr(0, kShown) : name);
}

std::string ChangePlace(const std::string& before, const std::string& at, bool gap) {
  return gap ? "between " + before + " and " + at : at;
}

std::string ShortTimeText(double ns) {
  constexpr double kShort = 9.995;
  return ns > 0 && ns < kShort ? Format("%.3g ns", ns) : Duration(Whole(ns));
}

}  // namespace gprofx
