// Parses a rule of `record --when RULE`. A rule says when the last minutes are written.
//
//   step>1.5*p99   a step that the program names took longer than this multiple of a quantile
//                  (p50, p90, p95, p99) of the steps before it
//   step>200ms     such a step took longer than this (us, ms, s)
//   gpu_idle>30%   no GPU worked for more than this share of the last 10 s
//   rss>20G        the processes have more memory than this (K, M, G, T: powers of 1024)
//
// Blanks are allowed between the tokens. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace gprofx::recorder {

enum class WhenWhat { kStep, kGpuIdle, kRss };

struct WhenRule {
  WhenWhat what = WhenWhat::kStep;
  // The limit in ns, as a fraction, or in bytes. If `quantile` is set, it is a multiple of that
  // quantile.
  double limit = 0;
  std::optional<int> quantile;  // in percent: 50, 90, 95 or 99
  std::string text;             // the rule as the user wrote it
};

Result<WhenRule> ParseWhen(std::string_view text);

// Parses "30s", "5m", "2h" or plain seconds. Returns ns, or none if `text` is none of these.
std::optional<double> ParseSpan(std::string_view text);

}  // namespace gprofx::recorder
