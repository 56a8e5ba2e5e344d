// `record --when RULE`: when the last minutes are written.
//
//   step>1.5*p99   a step that the program names took longer than so many times a quantile (p50,
//   p90,
//                  p95, p99) of the steps before it; step>200ms: longer than this (us, ms, s)
//   gpu_idle>30%   of the last 10 s no GPU worked for a larger share
//   rss>20G        the processes have more memory than this (K, M, G, T: powers of 1024)
//
// Blanks may stand between the parts. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace gprofx::recorder {

enum class WhenWhat { kStep, kGpuIdle, kRss };

struct WhenRule {
  WhenWhat what = WhenWhat::kStep;
  double limit = 0;             // ns, share of 1, bytes; with a quantile: times that
  std::optional<int> quantile;  // percent
  std::string text;             // as it was given
};

Result<WhenRule> ParseWhen(std::string_view text);

// "30s", "5m", "2h" or plain seconds, in ns; none: it is no such time.
std::optional<double> ParseSpan(std::string_view text);

}  // namespace gprofx::recorder
