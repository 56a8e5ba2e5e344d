#include <algorithm>

#include "cli/report/number.h"
#include "cli/terminal/text.h"
#include "cli/variability/variability.h"
#include "core/kernel_family.h"

namespace gprofx {

using namespace variability;

std::string BesideInWords(Beside beside) {
  switch (beside) {
    case Beside::kCopy:
      return "a copy beside it";
    case Beside::kCollective:
      return "a collective beside it";
    case Beside::kKernel:
      return "another kernel beside it";
    case Beside::kAfterIdle:
      return "the GPU was idle before";
  }
  return "";
}

std::string CauseInWords(const Explanation& why) {
  switch (why.cause) {
    case Cause::kNone:
      return "unexplained";
    case Cause::kBeside:
      return BesideInWords(why.beside) + " (" + Percent(why.share, 1) + ")";
    case Cause::kCommon:
      return "the whole GPU: clock, power, heat or another process";
    case Cause::kWaiting:
      return "waits for a late rank";
    case Cause::kOneRank:
      return "unexplained: of its ranks one is here";
  }
  return "";
}

std::string_view CauseWord(const Explanation& why) {
  switch (why.cause) {
    case Cause::kNone:
      return "unexplained";
    case Cause::kBeside:
      return BesideWord(why.beside);
    case Cause::kCommon:
      return "common";
    case Cause::kWaiting:
      return "waiting";
    case Cause::kOneRank:
      return "one_rank";
  }
  return "";
}

std::string GroupInWords(const GroupRow& group, bool full_name) {
  const GroupKey& key = group.key;
  const bool is_kernel = key.kind <= Kind::kCollective;
  std::string text = Printable(is_kernel && !full_name ? ShortKernelName(key.name) : key.name);
  if (text.empty()) text = "[no name]";
  if (group.cluster > 0) text += " #" + std::to_string(group.cluster);
  const auto size = [](const uint32_t (&parts)[3]) {
    size_t last = 3;
    while (last > 1 && parts[last - 1] <= 1) --last;
    std::string out;
    for (size_t i = 0; i < last; ++i) out += (i == 0 ? "" : "x") + std::to_string(parts[i]);
    return out;
  };
  if (is_kernel) text += " [" + size(key.grid) + ", " + size(key.block) + "]";
  if (!key.shape.empty()) text += " " + Printable(key.shape);
  return text;
}

}  // namespace gprofx
