#include "core/cost/share_margins.h"

#include <algorithm>
#include <cmath>

#include "core/base/student.h"

namespace gprofx {
namespace {

double Seconds(const WallPart& part) { return static_cast<double>(part.ns) / 1e9; }

}  // namespace

void ShareMargins::AddWindow(const std::vector<WallPart>& parts) {
  double seen = 0;
  for (const WallPart& part : parts) {
    const double seconds = Seconds(part);
    (part.name == unseen_name_ ? unseen_ : seen) += seconds;
  }
  if (seen <= 0) return;
  ++windows_;
  seen_ += seen;
  squares_ += seen * seen;
  for (const WallPart& part : parts) {
    if (part.name == unseen_name_) continue;
    const double seconds = Seconds(part);
    Sums& sums = parts_[part.name];
    sums.part += seconds;
    sums.squares += seconds * seconds;
    sums.products += seconds * seen;
  }
}

double ShareMargins::HalfWidth(const Sums& sums) const {
  const auto n = static_cast<double>(windows_);
  const double share = sums.part / seen_;
  const double residuals = sums.squares - 2 * share * sums.products + share * share * squares_;
  const double not_seen = unseen_ / (seen_ + unseen_);
  // The unobserved time is the fraction `not_seen` of all time. The estimate is wrong by `not_seen`
  // times the difference between the shares in the unobserved and the observed time. Both may vary
  // equally, so the variance of the difference may be the sum of the two.
  const double correction = std::max(not_seen, 2 * not_seen * not_seen);
  const double variance = correction * n / (n - 1) * std::max(residuals, 0.0) / (seen_ * seen_);
  return StudentQuantile(n - 1, 0.975) * std::sqrt(variance);
}

void ShareMargins::Give(std::vector<WallPart>& parts) const {
  if (windows_ < kFewestWindows || unseen_ <= 0) return;
  for (WallPart& part : parts) {
    const auto found = parts_.find(part.name);
    if (part.name == unseen_name_ || found == parts_.end()) continue;
    const double share = std::min(HalfWidth(found->second), 1.0);
    part.margin_ns = static_cast<int64_t>(std::llround(share * seen_ * 1e9));
  }
}

}  // namespace gprofx
