// Margins of error of shares of time when only some of the time was observed.
//
// Time is cut into windows. For each window it is known how much time was observed, and how much of
// the observed time each part took. The share of a part in all time is estimated as the time that
// it took, summed over the windows, divided by the sum of observed time. Method: the variance of a
// ratio of sums over clusters (Cochran, Sampling Techniques, 6.4), with a finite population
// correction for the observed fraction, and Student's t. Windows have a fixed length and position.
// The method assumes that activity is correlated only over times shorter than a window. Pure;
// memory is proportional to the number of names; one thread.
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

  // `unseen`: the name of the part that stands for unobserved time.
  explicit ShareMargins(std::string unseen) : unseen_name_(std::move(unseen)) {}

  void AddWindow(const std::vector<WallPart>& parts);
  // Sets margin_ns of each part except the unseen one. It is 0 if everything was observed, or if
  // fewer than kFewestWindows windows have observed time.
  void Give(std::vector<WallPart>& parts) const;

 private:
  struct Sums {  // of seconds
    double part = 0, squares = 0, products = 0;
  };
  double HalfWidth(const Sums& sums) const;  // of the share

  std::string unseen_name_;
  std::map<std::string, Sums> parts_;
  int64_t windows_ = 0;
  double seen_ = 0, squares_ = 0, unseen_ = 0;
};

}  // namespace gprofx
