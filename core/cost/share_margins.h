// Computes margins of error for shares of time if GPU work was observed only part of the time.
//
// Time is cut into windows of fixed length and position. Each window says how much of it was
// observed and how much of that each part took. The share of a part is estimated as its time in all
// windows divided by the observed time in all windows.
//
// The variance is that of a ratio of sums over clusters (Cochran, Sampling Techniques, 6.4), with a
// finite population correction for the observed fraction, and Student's t. The method assumes that
// activity is correlated only over times shorter than a window. Pure; memory is proportional to the
// number of names; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/gpu/gpu.h"

namespace gprofx {

class ShareMargins {
 public:
  static constexpr int64_t kFewestWindows = 3;

  // `unseen` is the name of the part that is the unobserved time.
  explicit ShareMargins(std::string unseen) : unseen_name_(std::move(unseen)) {}

  void AddWindow(const std::vector<WallPart>& parts);
  // Sets margin_ns of each part except the unseen one. Sets nothing if all time was observed or if
  // fewer than kFewestWindows windows have observed time.
  void Give(std::vector<WallPart>& parts) const;

 private:
  struct Sums {  // sums over the windows, in seconds
    double part = 0, squares = 0, products = 0;
  };
  // Half the width of the confidence interval of the share.
  double HalfWidth(const Sums& sums) const;

  std::string unseen_name_;
  std::map<std::string, Sums> parts_;
  int64_t windows_ = 0;
  double seen_ = 0, squares_ = 0, unseen_ = 0;
};

}  // namespace gprofx
