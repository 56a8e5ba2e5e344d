// How well shares of the time are known when only some of the time was seen.
//
// Time is cut into windows. Of each is known how much of it was seen and how much of that each part
// had; a share of all time is estimated by the ratio of both sums. Method: the variance of a ratio
// of sums over clusters (Cochran, Sampling Techniques, 6.4), with a correction for how much of the
// whole was seen, and Student's t. Windows of one length in a fixed place: what a program does in
// one is like what it does in its neighbours for less than that. Pure; memory is that of the names;
// one thread.
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

  // `unseen`: the name of the part that is none.
  explicit ShareMargins(std::string unseen) : unseen_name_(std::move(unseen)) {}

  void AddWindow(const std::vector<WallPart>& parts);
  // Sets margin_ns of each part but the unseen one: 0 where everything was seen, and with fewer
  // than kFewestWindows windows that had something seen.
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
