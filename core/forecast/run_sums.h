// Sums up the operations of a forecast by kind of work, and those that could not be modelled. Used
// inside core/forecast only.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/forecast/run_carrier.h"
#include "core/forecast/run_forecast.h"

namespace gprofx::forecast {

class RunSums {
 public:
  // `profile` and `kernels` must outlive the object.
  RunSums(const Profile& profile, const RecordedKernels& kernels)
      : profile_(profile), kernels_(kernels), nodes_(profile.nodes.size()) {}

  void Add(const ReplayOperation& operation, int64_t now_ns, const CarriedWork& then,
           Untold untold);

  // Returns one row for all kernels with the same short name; largest time on the target first.
  std::vector<RunShare> Shares(int64_t steps) const;
  std::vector<RunUntold> WhatIsUntold(const Device& target,
                                      const std::vector<RunShare>& shares) const;
  // Returns the sums over all steps, in the order of nodes.
  std::vector<RunNode> Nodes() const;
  int64_t now_ns() const { return now_ns_; }
  int64_t then_ns() const { return then_ns_; }

 private:
  struct Sum {
    NodeId node;
    int64_t runs = 0, now_ns = 0, then_ns = 0;
    std::array<int64_t, 3> bounds{};  // by KernelBound
  };
  Sum& SumOf(const ReplayOperation& operation);

  const Profile& profile_;
  const RecordedKernels& kernels_;
  std::map<std::pair<uint32_t, WorkSource>, Sum> sums_;  // by frame and source
  // The entry that was used last; loops use the same entry many times in a row.
  Sum* last_ = nullptr;
  NodeId last_node_;
  std::vector<RunNode> nodes_;  // by NodeId::index()
  std::array<int64_t, kUntold> untold_{};
  int64_t now_ns_ = 0, then_ns_ = 0;
};

}  // namespace gprofx::forecast
