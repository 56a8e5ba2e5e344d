#include "core/forecast/run_carrier.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/arithmetic.h"
#include "core/forecast/collective.h"
#include "core/steps/step_finders.h"

namespace gprofx::forecast {
namespace {

constexpr double kCopyStartMs = 0.0015;  // milliseconds of a copy that do not depend on its size
// A product of unknown size is assumed to use this fraction of the memory rate. On a device with
// slower memory relative to its arithmetic, memory may become its limit.
constexpr double kMemoryOfProduct = 0.3;
// A block reaches this multiple of the memory rate of one multiprocessor.
constexpr double kBlocksOfShare = 3;
constexpr double kCollectiveSpread = 1.2, kLinkSpread = 1.1;

int64_t Ns(double ms) { return std::llround(std::clamp(ms, 0.0, kMaxMs) * 1e6); }

CarriedWork Of(const KernelForecast& forecast) {
  return {Ns(forecast.ms), Ns(forecast.low_ms), Ns(forecast.high_ms), forecast.bound};
}

CarriedWork As(double ms, double spread) {
  return {Ns(ms), Ns(ms / spread), Ns(ms * spread), KernelBound::kMemory};
}

CarriedWork AsRecorded(int64_t ns) { return {ns, ns, ns, KernelBound::kFloor}; }

// Returns the operation of a kernel in the tables of collectives, by its short name; "" if there is
// none.
std::string_view CollectiveWord(std::string_view name) {
  struct Word {
    std::string_view part, word;
  };
  static constexpr Word kWords[] = {{"allreduce", "all_reduce"},
                                    {"allgather", "all_gather"},
                                    {"reducescatter", "reduce_scatter"},
                                    {"alltoall", "alltoall"},
                                    {"sendrecv", "send"},
                                    {"send", "send"},
                                    {"recv", "send"}};
  for (const Word& word : kWords) {
    if (name.starts_with(word.part)) return word.word;
  }
  return {};
}

bool IsPeerCopy(const CopyMemory& copy) { return copy.kind == cupti::kPeerToPeer; }

}  // namespace

RunCarrier::RunCarrier(const Profile& profile, const RecordedKernels& kernels,
                       const ForecastTable& table, const Device& source, const Device& target,
                       int gpus, const RunChange& change)
    : profile_(profile),
      kernels_(kernels),
      table_(table),
      source_(source),
      target_(target),
      carrier_(table, source, target),
      gpus_(gpus),
      change_(change) {
  if (change_.batch != 1) optimizer_ = OptimizerCalls(profile);
}

CarriedWork RunCarrier::Carry(const ReplayOperation& operation) {
  const int64_t recorded = std::max<int64_t>(SubtractSaturated(operation.end, operation.start), 0);
  if (operation.kind == ReplayOperation::kCopy) {
    return is_same() ? AsRecorded(recorded) : Copy(operation);
  }
  if (operation.kind == ReplayOperation::kSet) {
    return is_same() ? AsRecorded(recorded) : Streamed(static_cast<double>(recorded) * 1e-6);
  }
  const RecordedKernel& kernel = kernels_.At(operation.node);
  CarriedWork out = kernel.family == KernelFamily::kCollective ? Collective(operation, kernel)
                                                               : Kernel(operation, kernel);
  // If nothing changes, return exactly the recorded time, because the conversion to ms may have
  // rounded it.
  if (is_same()) out.ns = out.low_ns = out.high_ns = recorded;
  return out;
}

Untold RunCarrier::What(const ReplayOperation& operation) const {
  if (operation.kind == ReplayOperation::kCopy) {
    if (IsPageable(operation.copy)) return Untold::kPageable;
    const bool link = HostMemory(operation.copy) != 0;
    return link && (source_.pcie <= 0 || target_.pcie <= 0) ? Untold::kNoLink : Untold::kNo;
  }
  if (operation.kind == ReplayOperation::kSet) return Untold::kNo;
  const RecordedKernel& kernel = kernels_.At(operation.node);
  if (kernel.source == WorkSource::kNothing) return Untold::kUnknownWork;
  if (kernel.family == KernelFamily::kCollective) return Untold::kCollective;
  const bool old = target_.capability > 0 && target_.capability < 80;
  return kernel.no_type && old ? Untold::kNoType : Untold::kNo;
}

CarriedWork RunCarrier::Kernel(const ReplayOperation& operation,
                               const RecordedKernel& kernel) const {
  MeasuredKernel measured;
  measured.ms = static_cast<double>(SubtractSaturated(operation.end, operation.start)) * 1e-6;
  measured.type = kernel.type;
  measured.flop = kernel.flop;
  measured.bytes = kernel.bytes;
  measured.memory_share = kernel.memory_share;
  measured.mixed = kernel.mixed;
  double blocks = 0;
  if (operation.config && operation.config.value <= profile_.gpu.configs.size()) {
    const GpuKernelConfig& config = profile_.gpu.configs[operation.config.index()];
    blocks = static_cast<double>(config.grid[0]) * config.grid[1] * config.grid[2];
  }
  double low = 1, high = 1, work = 1;
  if (change_.any()) {
    const ChangedKernel changed =
        Changed(measured, kernel, blocks, GrowsWithBatch(operation.node), change_, source_);
    measured = changed.kernel;
    blocks = changed.blocks;
    work = changed.work;
    low = changed.low;
    high = changed.high;
  }
  const double rest = std::max(measured.ms - measured.floor_ms, 0.0);
  if (blocks > 0) {
    const double busy = std::min(1.0, kBlocksOfShare * blocks / source_.sms);
    measured.floor_ms += (1 - busy) * rest;
  }
  const DeviceRates& rates = carrier_.from(measured.type);
  if (kernel.streams) {
    const double bytes = kernels_.LaunchBytes(operation.node, operation.config) * work;
    measured.bytes = StreamedBytes(rest, rates);
    if (bytes > 0) measured.bytes = std::min(bytes, measured.bytes);
  }
  if (kernel.computes) {
    measured.flop = rest * 1e-3 * rates.flops;
    measured.bytes = kMemoryOfProduct * StreamedBytes(rest, rates);
  }
  KernelForecast forecast = carrier_(measured);
  forecast.low_ms *= low;
  forecast.high_ms *= high;
  return Of(forecast);
}

bool RunCarrier::GrowsWithBatch(NodeId node) const {
  return node && !optimizer_.empty() && !optimizer_[node.index()];
}

CarriedWork RunCarrier::Streamed(double ms) const {
  MeasuredKernel measured;
  measured.ms = ms;
  measured.bytes =
      StreamedBytes(std::max(ms - measured.floor_ms, 0.0), carrier_.from(NumberType::kFp32));
  return Of(carrier_(measured));
}

CarriedWork RunCarrier::Copy(const ReplayOperation& operation) const {
  const int64_t ns = std::max<int64_t>(SubtractSaturated(operation.end, operation.start), 0);
  double ms = static_cast<double>(ns) * 1e-6;
  const double start = std::min(ms, kCopyStartMs);
  if (GrowsWithBatch(operation.node)) ms = start + (ms - start) * change_.batch;
  const auto by_link = [&](double from, double to) {
    if (from <= 0 || to <= 0) return AsRecorded(Ns(ms));
    return As(start + (ms - start) * from / to, kLinkSpread);
  };
  if (IsPageable(operation.copy)) return AsRecorded(Ns(ms));
  if (HostMemory(operation.copy) != 0) return by_link(source_.pcie, target_.pcie);
  if (IsPeerCopy(operation.copy)) return by_link(source_.link, target_.link);
  return Streamed(ms);
}

// Derives the message size from the time on the source, and the time on the target from the size.
// Both use the same curves, which cancels their errors. The recorded time includes waiting for late
// peers, which makes the derived size too large.
CarriedWork RunCarrier::Collective(const ReplayOperation& operation, const RecordedKernel& kernel) {
  const int64_t ns = std::max<int64_t>(SubtractSaturated(operation.end, operation.start), 0);
  const double ms = static_cast<double>(ns) * 1e-6;
  const std::string_view word = CollectiveWord(kernel.name);
  // Times that differ by up to 5 % share one result.
  const auto step = static_cast<uint64_t>(ns > 0 ? std::llround(std::log(ns) * 20) : 0);
  const auto [known, is_new] =
      collectives_.try_emplace(uint64_t{operation.node.value} << 32 | step, 1.0);
  if (is_new && !is_same()) {
    const std::string_view name = word.empty() ? "all_gather" : word;
    const auto time = [&](const Device& device, double log2_bytes) {
      return ForecastCollective(table_, device, name, gpus_, std::exp2(log2_bytes)).ms;
    };
    double low = 0, high = 44;
    for (int i = 0; i < 40; ++i) {
      const double middle = (low + high) / 2;
      (time(source_, middle) < ms ? low : high) = middle;
    }
    const double there = time(source_, high);
    known->second = there > 0 ? time(target_, high) / there : 1;
  }
  const double spread = word.empty() ? kCollectiveSpread * kCollectiveSpread : kCollectiveSpread;
  return As(ms * known->second, spread);
}

}  // namespace gprofx::forecast
