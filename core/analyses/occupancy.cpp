// Computes the theoretical occupancy of kernels on NVIDIA GPUs. It is limited by the threads,
// blocks, registers and shared memory of a multiprocessor. These limits depend on the compute
// capability (CUDA C++ Programming Guide, table of technical specifications).
#include <algorithm>

#include "core/analyses/parts.h"

namespace gprofx::analyses {
namespace {

struct Limits {
  uint32_t major, minor;
  uint32_t warps, blocks;
  uint32_t shared;  // bytes per multiprocessor; compute capability 8.0+ uses 1 kB more per block
};

constexpr Limits kLimits[] = {
    {6, 0, 64, 32, 65'536},   {6, 1, 64, 32, 98'304},   {7, 0, 64, 32, 98'304},
    {7, 2, 64, 32, 98'304},   {7, 5, 32, 16, 65'536},   {8, 0, 64, 32, 167'936},
    {8, 6, 48, 16, 102'400},  {8, 7, 48, 16, 167'936},  {8, 9, 48, 24, 102'400},
    {9, 0, 64, 32, 233'472},  {10, 0, 64, 32, 233'472}, {10, 3, 64, 32, 233'472},
    {12, 0, 48, 32, 102'400},
};
constexpr uint64_t kWarp = 32, kRegisters = 65'536, kRegistersAtOnce = 256;
// A multiprocessor has four partitions, and each warp of a block takes its registers from one of
// them.
constexpr uint64_t kParts = 4;

uint64_t RoundedUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

AnalysisCell TheoreticalOccupancy(const GpuDevice& device, const GpuKernelConfig& config) {
  const auto limits = std::find_if(std::begin(kLimits), std::end(kLimits), [&](const Limits& row) {
    return row.major == device.compute_major && row.minor == device.compute_minor;
  });
  const uint64_t threads = uint64_t{config.block[0]} * config.block[1] * config.block[2];
  if (limits == std::end(kLimits) || threads == 0 || threads > 1024 || config.registers == 0 ||
      config.registers > 255) {
    return {};
  }
  const uint64_t warps = (threads + kWarp - 1) / kWarp;
  uint64_t blocks = std::min<uint64_t>(limits->blocks, limits->warps / warps);
  const uint64_t registers = RoundedUp(config.registers * kWarp, kRegistersAtOnce);
  const uint64_t warps_by_registers = kRegisters / kParts / registers * kParts;
  blocks = std::min(blocks, warps_by_registers / warps);
  const uint64_t reserved = limits->major >= 8 ? 1024 : 0;
  const uint64_t shared =
      RoundedUp(uint64_t{config.static_shared} + config.dynamic_shared + reserved,
                limits->major >= 8 ? 128 : 256);
  if (shared > 0) blocks = std::min(blocks, limits->shared / shared);
  if (blocks == 0) return {};  // the kernel did run, so these limits are not those of the device
  return static_cast<double>(blocks * warps) / limits->warps;
}

}  // namespace gprofx::analyses
