// GPU time by layer, operator, library, CUDA call or kernel.
//
// The amounts are the values of the profile, or of the part that it shows. So the sums over each
// level, including time outside of it (key 0), are exactly the GPU time of every other view. If
// records cover only part of the time, the amounts are the estimates. Linear in values; pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/levels/levels.h"
#include "core/model/profile.h"

namespace gprofx {

enum class Level : uint8_t { kLayer, kOperator, kLibrary, kCall, kKernel };

// Backward work of a node, by the layer of the forward pass that it belongs to
// (core/levels/backward.h). Its share of the node's GPU time is `weight` divided by the sum of
// weights of the node.
struct LayerShare {
  NodeId node;
  uint32_t layer_path = 0;  // 0 = unknown
  int64_t weight = 0;       // ns
  int64_t calls = 0;        // operations
  NodeId forward;           // start of its forward call, if that is known and in no layer
};

struct LevelSum {
  uint32_t key = 0;         // layer, operator, ModuleId, StringId of the call or kernel; 0 = none
  int64_t gpu_ns = 0;       // of operations with this innermost layer (operator, ...)
  int64_t total_ns = 0;     // including nested layers; else equals gpu_ns
  int64_t kernel_ns = 0;    // part of gpu_ns: kernels
  int64_t backward_ns = 0;  // part of gpu_ns: backward work
  int64_t operations = 0, kernels = 0;
  NodeId heaviest;  // the node with the most GPU time
};

// `kept`: by NodeId::index(), which nodes count; empty = all. Rows are sorted by gpu_ns, largest
// first; key 0 is the last if it has any time. Empty rows are left out.
std::vector<LevelSum> SumByLevel(const Profile& profile, const Levels& levels, Level level,
                                 std::span<const LayerShare> shares = {},
                                 std::span<const uint8_t> kept = {});

// As SumByLevel, but sums `times` instead of the values of the profile.
struct NodeTime {
  NodeId node;
  int64_t ns = 0;
};
std::vector<LevelSum> SumTimes(const Profile& profile, const Levels& levels, Level level,
                               std::span<const LayerShare> shares, std::span<const NodeTime> times);

// The GPU time outside of all layers, by cause.
struct OutsideLayers {
  int64_t before_ns = 0;         // launched before the recording, or launch lost
  int64_t optimizer_ns = 0;      // in an optimizer step
  int64_t communication_ns = 0;  // collectives
  // Requested by the program itself outside of modules. Counted only if this is proven by the
  // complete Python stack of the work or, for backward work, of its forward call.
  int64_t program_ns = 0;
  FrameId program_line;  // the line with most of program_ns, 0 = none
  int64_t other_ns = 0;
};
OutsideLayers SumOutside(const Profile& profile, const Levels& levels,
                         std::span<const LayerShare> shares);

// Returns all GPU time; estimates if records cover only part of the time.
int64_t GpuTime(const Profile& profile);

// Returns the key of a node at a level.
uint32_t KeyAt(const Profile& profile, const Levels& levels, Level level, NodeId node);

// Returns "c_attn_3", "addmm", "/usr/lib/libcublas.so.12", "cudaLaunchKernel" or a kernel's full
// name; "" for key 0.
std::string KeyName(const Profile& profile, const Levels& levels, Level level, uint32_t key);

}  // namespace gprofx
