// Sums up GPU time by layer, operator, library, CUDA call or kernel.
//
// The sums are made from the values of the profile, or of the range that it shows. Key 0 is the
// time outside of the level. With it, the sums of each level add up to exactly the GPU time that
// every other view shows. If records cover only part of the time, the sums are estimates. Linear in
// values; pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/levels/levels.h"
#include "core/model/profile.h"

namespace gprofx {

enum class Level : uint8_t { kLayer, kOperator, kLibrary, kCall, kKernel };

// Part of the backward work of a node that belongs to one layer of the forward pass
// (core/levels/backward.h). Its share of the node's GPU time is `weight` divided by the sum of all
// weights of the node.
struct LayerShare {
  NodeId node;
  uint32_t layer_path = 0;  // 0 = unknown
  int64_t weight = 0;       // ns
  int64_t calls = 0;        // number of operations
  NodeId forward;           // node at which its forward call begins; set if known and in no layer
};

struct LevelSum {
  // Id of the layer or operator, a ModuleId, or the StringId of the call or kernel; 0 = none.
  uint32_t key = 0;
  int64_t gpu_ns = 0;       // of operations whose innermost layer (operator, ...) is this
  int64_t total_ns = 0;     // includes nested layers; equals gpu_ns for other levels
  int64_t kernel_ns = 0;    // time of kernels, part of gpu_ns
  int64_t backward_ns = 0;  // time of backward work, part of gpu_ns
  int64_t operations = 0, kernels = 0;
  NodeId heaviest;  // the node with the most of this row's GPU time
};

// Returns the rows sorted by gpu_ns, largest first; the row of key 0 is last. Rows without time are
// left out. `kept` holds a flag for each node, by NodeId::index(), that says whether it counts;
// empty = all count.
std::vector<LevelSum> SumByLevel(const Profile& profile, const Levels& levels, Level level,
                                 std::span<const LayerShare> shares = {},
                                 std::span<const uint8_t> kept = {});

// A time at a node. SumTimes() sums up such times instead of the profile's values.
struct NodeTime {
  NodeId node;
  int64_t ns = 0;
};
std::vector<LevelSum> SumTimes(const Profile& profile, const Levels& levels, Level level,
                               std::span<const LayerShare> shares, std::span<const NodeTime> times);

// GPU time of work that belongs to no layer, by cause.
struct OutsideLayers {
  int64_t before_ns = 0;         // launched before the recording, or the launch was lost
  int64_t optimizer_ns = 0;      // work in an optimizer step
  int64_t communication_ns = 0;  // collectives
  // Work that the program itself launched outside of modules. It counts only if this is proven by
  // the complete Python stack of the work or, for backward work, of its forward call.
  int64_t program_ns = 0;
  FrameId program_line;  // the line with most of program_ns; 0 = none
  int64_t other_ns = 0;
};
OutsideLayers SumOutside(const Profile& profile, const Levels& levels,
                         std::span<const LayerShare> shares);

// Returns the total GPU time; an estimate if records cover only part of the time.
int64_t GpuTime(const Profile& profile);

// Returns the key (LevelSum::key) that a node has at a level.
uint32_t KeyAt(const Profile& profile, const Levels& levels, Level level, NodeId node);

// Returns the name that belongs to a key: "c_attn_3", "addmm", "/usr/lib/libcublas.so.12",
// "cudaLaunchKernel" or a kernel's full name; "" for key 0.
std::string KeyName(const Profile& profile, const Levels& levels, Level level, uint32_t key);

}  // namespace gprofx
