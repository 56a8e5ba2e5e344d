#include "core/gpu/gpu.h"

#include <algorithm>
#include <string_view>

namespace gprofx {
namespace {

struct Folding {
  std::string_view reason;
  StallClass folded;
};

// Groups stall reasons by the remedy that a programmer would try. Reasons of newer GPUs that are
// not listed here are `other`.
constexpr Folding kFoldings[] = {
    {"long_scoreboard", StallClass::kMemory},
    {"lg_throttle", StallClass::kMemory},
    {"tex_throttle", StallClass::kMemory},
    {"drain", StallClass::kMemory},
    {"short_scoreboard", StallClass::kShared},
    {"mio_throttle", StallClass::kShared},
    {"barrier", StallClass::kSync},
    {"membar", StallClass::kSync},
    {"warpgroup_arrive", StallClass::kSync},
    {"math_pipe_throttle", StallClass::kCompute},
    {"wait", StallClass::kCompute},
    {"dispatch_stall", StallClass::kCompute},
    {"gmma", StallClass::kCompute},
    {"no_instructions", StallClass::kFrontend},
    {"branch_resolving", StallClass::kFrontend},
    {"imc_miss", StallClass::kFrontend},
    {"selected", StallClass::kIssue},
    {"not_selected", StallClass::kIssue},
};

constexpr std::string_view kPrefix = "smsp__pcsamp_warps_issue_stalled_";
constexpr std::string_view kSuffix = "_not_issued";

}  // namespace

StallClass StallClassOf(const std::string& reason) {
  std::string_view name = reason;
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  const auto* found = std::find_if(std::begin(kFoldings), std::end(kFoldings),
                                   [&](const Folding& f) { return f.reason == name; });
  return found == std::end(kFoldings) ? StallClass::kOther : found->folded;
}

}  // namespace gprofx
