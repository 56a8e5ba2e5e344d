// Sums up GPU time by layer, operator, library, CUDA call or kernel.
//
// The amounts are the values of the profile, or of the range that it shows. The sums of each level,
// including time outside of it (key 0), are therefore exactly the GPU time of every other view. If
// records cover only part of the time, the amounts are estimates. Linear in values; pure.
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
  NodeId forward;           // first node of its forward call, if that is known and in no layer
};

struct LevelSum {
  // Id of the layer or operator, ModuleId, or StringId of the call or kernel; 0 = none.
  uint32_t key = 0;
  int64_t gpu_ns = 0;       // of operations whose innermost layer (operator, ...) this is
  int64_t total_ns = 0;     // includes nested layers; equals gpu_ns for other levels
  int64_t kernel_ns = 0;    // time of kernels, part of gpu_ns
  int64_t backward_ns = 0;  // time of backward work, part of gpu_ns
  int64_t operations = 0, kernels = 0;
  NodeId heaviest;  // the node with the most GPU time
};

// Returns the rows sorted by gpu_ns, largest first. Key 0 is the last row. Rows without time are
// left out. `kept` says, by NodeId::index(), which nodes count; empty = all.
std::vector<LevelSum> SumByLevel(const Profile& profile, const Levels& levels, Level level,
                                 std::span<const LayerShare> shares = {},
                                 std::span<const uint8_t> kept = {});

// A time of a node that SumTimes() sums up, in place of the profile's values.
struct NodeTime {
  NodeId node;
  int64_t ns = 0;
};
std::vector<LevelSum> SumTimes(const Profile& profile, const Levels& levels, Level level,
                               std::span<const LayerShare> shares, std::span<const NodeTime> times);

// The GPU time outside of all layers, by cause.
struct OutsideLayers {
  int64_t before_ns = 0;         // launched before the recording, or the launch was lost
  int64_t optimizer_ns = 0;      // work in an optimizer step
  int64_t communication_ns = 0;  // collectives
  // Launched by the program itself outside of modules. Counts only if the complete Python stack of
  // the work proves it or, for backward work, that of its forward call.
  int64_t program_ns = 0;
  FrameId program_line;  // the line with most of program_ns; 0 = none
  int64_t other_ns = 0;
};
OutsideLayers SumOutside(const Profile& profile, const Levels& levels,
                         std::span<const LayerShare> shares);

// Returns the sum of all GPU time; an estimate if records cover only part of the time.
int64_t GpuTime(const Profile& profile);

// Returns the key (LevelSum::key) of a node at a level.
uint32_t KeyAt(const Profile& profile, const Levels& levels, Level level, NodeId node);

// Returns the name of a key: "c_attn_3", "addmm", "/usr/lib/libcublas.so.12", "cudaLaunchKernel" or
// a kernel's full name; "" for key 0.
std::string KeyName(const Profile& profile, const Levels& levels, Level level, uint32_t key);

}  // namespace gprofx
