// GPU time by layer, operator, library, CUDA call or kernel.
//
// The amounts are the values of the profile (of the part that it shows, where it is one), so that
// sums over each level, with what is in none (key 0), are the GPU time of every other view, to the
// nanosecond. Where records were made for a part of the time, they are the estimates. Linear in
// values; pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/levels/levels.h"
#include "core/model/profile.h"

namespace gprofx {

enum class Level : uint8_t { kLayer, kOperator, kLibrary, kCall, kKernel };

// Backward work of a node of the tree, by the layers of the forward pass that it belongs to
// (core/levels/backward.h): a part of the node's GPU time that is `weight` of the sum of weights.
struct LayerShare {
  NodeId node;
  uint32_t layer_path = 0;  // 0 = of no known layer
  int64_t weight = 0;       // ns
  int64_t calls = 0;        // operations
  NodeId forward;           // of the forward call in no layer that it belongs to, where known
};

struct LevelSum {
  uint32_t key = 0;    // layer, operator, ModuleId, StringId of the call or of the kernel; 0 = none
  int64_t gpu_ns = 0;  // kernels, copies and memsets whose innermost layer (operator, ...) it is
  int64_t total_ns = 0;     // with the layers in it; else as gpu_ns
  int64_t kernel_ns = 0;    // of gpu_ns: kernels
  int64_t backward_ns = 0;  // of gpu_ns: backward work
  int64_t operations = 0, kernels = 0;
  NodeId heaviest;  // with the most GPU time
};

// `kept`: by NodeId::index(), which nodes count; empty = all. Rows by gpu_ns, the largest first;
// key 0 is the last where it has any time. Rows with nothing are left out.
std::vector<LevelSum> SumByLevel(const Profile& profile, const Levels& levels, Level level,
                                 std::span<const LayerShare> shares = {},
                                 std::span<const uint8_t> kept = {});

// The same of other times of GPU work than the profile's.
struct NodeTime {
  NodeId node;
  int64_t ns = 0;
};
std::vector<LevelSum> SumTimes(const Profile& profile, const Levels& levels, Level level,
                               std::span<const LayerShare> shares, std::span<const NodeTime> times);

// What of the GPU time lies in no layer, and why not.
struct OutsideLayers {
  int64_t before_ns = 0;         // launched before the recording began, or its launch was lost
  int64_t optimizer_ns = 0;      // in the step of an optimizer
  int64_t communication_ns = 0;  // collectives of ranks
  // The program asks for it itself, in no module: its whole Python stack says so, or that of the
  // forward call whose backward work it is.
  int64_t program_ns = 0;
  FrameId program_line;  // with most of that, 0 = none
  int64_t other_ns = 0;
};
OutsideLayers SumOutside(const Profile& profile, const Levels& levels,
                         std::span<const LayerShare> shares);

// All of it, estimates where records were made for a part of the time.
int64_t GpuTime(const Profile& profile);

// The key of a node at a level.
uint32_t KeyAt(const Profile& profile, const Levels& levels, Level level, NodeId node);

// "c_attn_3", "addmm", "/usr/lib/libcublas.so.12", "cudaLaunchKernel", a kernel's full name; "" of
// 0.
std::string KeyName(const Profile& profile, const Levels& levels, Level level, uint32_t key);

}  // namespace gprofx
