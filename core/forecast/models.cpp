#include "core/forecast/models.h"

#include <algorithm>
#include <cmath>

namespace gprofx::forecast {
namespace {

static_assert(kProductFloorUs == 0 && kRowFloorUs == 0);
constexpr double kStreamFloorUs = 2.5;
constexpr double kL2OverMemory = 5;  // upper bound of L2 speed / memory speed; measured 2 to 4
// Longest reduction in the fit; longer ones have no further effect.
constexpr double kLongest = 65536;

struct Tile {
  double rows, columns;
};
constexpr Tile kTiles[kProductTileKinds] = {{128, 128}, {128, 64}, {64, 128}, {64, 64},
                                            {128, 32},  {32, 128}, {32, 32}};
constexpr double kSplits[] = {1, 2, 4, 8};
constexpr double kShortestSplit = 128;

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Returns the time of two tasks that mostly overlap. It lies between the maximum of both (full
// overlap) and their sum (no overlap).
double Overlap(double a, double b) {
  const double a2 = a * a, b2 = b * b;
  return std::sqrt(std::sqrt(a2 * a2 + b2 * b2));
}

// Returns the size of L1 in bytes, by generation. Returns 0 before Volta, where loads of global
// memory bypass L1.
double L1BytesOf(const Device& device) {
  struct Generation {
    double capability, kib;
  };
  constexpr Generation kGenerations[] = {{120, 128}, {90, 256}, {86, 128},
                                         {80, 192},  {75, 64},  {70, 128}};
  for (const Generation& generation : kGenerations) {
    if (device.capability >= generation.capability) return generation.kib * 1024;
  }
  return 0;
}

}  // namespace

DeviceRates RatesOf(const Device& device, NumberType type) {
  const SustainedRate gemm = SustainedGemm(device, type), copy = SustainedCopy(device);
  DeviceRates rates;
  rates.flops = gemm.value;
  rates.bytes = copy.value;
  rates.peak_flops = PeakFlops(device, type);
  rates.peak_bytes = device.bandwidth * 1e9;
  rates.sms = device.sms;
  rates.threads = device.threads;
  rates.l2_bytes = device.l2_mb * 1e6;
  rates.fast_l2 =
      device.kind == DeviceClass::kWorkstation || device.kind == DeviceClass::kInference;
  rates.l1_bytes = L1BytesOf(device);
  // On Ampere, cuBLAS has a single kernel for batches of FP32 products. It uses this kernel even if
  // half of the tile is outside of the matrix. On Hopper (checked on an H100), it has kernels with
  // tiles of all sizes. They do not overlap their stores with computing, which matters if the
  // reduction is short.
  rates.one_tile = device.capability >= 80 && device.capability < 90;
  rates.late_stores = device.capability >= 90;
  rates.measured = gemm.measured && copy.measured;
  return rates;
}

double ProductMs(const KernelWork& work, const DeviceRates& rates, std::span<const double> p) {
  const double steps = Sigmoid(p[kProductSteps]);
  const double fill = std::exp(p[kProductFill]);
  const double memory_rate = rates.bytes * std::exp(p[kProductMemory]);
  const double sm_rate = rates.flops / rates.sms * std::exp(p[kProductPeak]);
  const double longer = 1 + std::exp(p[kProductLong]) * std::min(work.n, kLongest) / kLongest;
  const double operands_ms = work.Bytes() / memory_rate * 1e3;
  const double stores_ms = 4 * work.b * work.m * work.k / rates.bytes * 1e3;
  double best = INFINITY;
  const bool one_tile = work.family == WorkFamily::kBatchedProduct && rates.one_tile;
  for (size_t i = 0; i < (one_tile ? 1 : kProductTileKinds); ++i) {
    const Tile& tile = kTiles[i];
    const double rate = sm_rate * Sigmoid(p[kProductTiles + i]);
    const double tiles = work.b * std::ceil(work.m / tile.rows) * std::ceil(work.k / tile.columns);
    for (const double split : kSplits) {
      if (split > 1 && (one_tile || work.n / split < kShortestSplit)) break;
      const double even = tiles * split / rates.sms;
      const double waves = std::max(1.0, (1 - steps) * even + steps * std::ceil(even));
      const double compute_ms =
          waves * 2 * tile.rows * tile.columns * (work.n / split * longer + fill) / rate * 1e3;
      double memory_ms = operands_ms;
      if (split > 1) {  // each part of the reduction is written and read again
        memory_ms += 2 * 4 * work.b * work.m * work.k * split / memory_rate * 1e3 +
                     std::exp(p[kProductSplitUs]) * 1e-3;
      }
      double ms = Overlap(compute_ms, memory_ms);
      if (rates.late_stores) ms = std::max(ms, compute_ms + stores_ms);
      best = std::min(best, ms);
    }
  }
  return best;
}

namespace {

// Returns the fraction of accesses that miss a cache. `used` is the size of the working set divided
// by that of the cache.
double MissShare(double used) { return std::clamp(std::log2(used) + 0.5, 0.0, 1.0); }

constexpr double kRegisterRow = 1024;  // longest row of a softmax that stays in registers

// Returns the cost of reading rows again, in units of one read of the whole tensor from memory. A
// normalisation reads its rows twice. A softmax reads them three times, unless they fit into
// registers. A repeated read hits a cache if the rows in work fit into it: L1 for a softmax, if
// loads go through L1; otherwise L2, which holds the rows of all multiprocessors.
double ReadAgain(const KernelWork& work, const DeviceRates& rates, std::span<const double> p) {
  const bool softmax = work.family == WorkFamily::kSoftmax;
  if (softmax && work.k <= kRegisterRow) return 0;
  const double block = softmax ? std::clamp(work.k / 8, 256.0, 512.0) : 128;
  const double in_work = rates.threads / block * work.k * BytesOf(work.type);
  const double used = softmax && rates.l1_bytes > 0 ? in_work / rates.l1_bytes
                                                    : rates.sms * in_work / rates.l2_bytes;
  return std::exp(p[kRowExtraHit]) +
         MissShare(used / std::exp(p[kRowInWork])) * std::exp(p[kRowExtraMiss]);
}

// Returns the number of elements past the end of a row that the threads of a softmax's block also
// handle. A thread handles four elements per step.
double PaddedElements(const KernelWork& work) {
  if (work.family != WorkFamily::kSoftmax || work.k <= kRegisterRow) return 0;
  const double step = 4 * (work.k <= 2048 ? 256 : 512);
  return std::ceil(work.k / step) * step - work.k;
}

// Returns the number of elements of a broadcast input that are read again from memory. An input
// that is smaller than the output is read once for each part of the output. Between two such reads,
// all three tensors pass through L2. The fraction of the input that does not stay in L2 is read
// from memory each time.
double ReadBroadcastAgain(const KernelWork& work, const DeviceRates& rates) {
  if (work.broadcast <= 0) return 0;
  const double between = 3 * work.broadcast * BytesOf(work.type);
  return MissShare(between / rates.l2_bytes) * std::max(0.0, work.m * work.k - work.broadcast);
}

}  // namespace

double RowMs(const KernelWork& work, const DeviceRates& rates, std::span<const double> p) {
  const double size = BytesOf(work.type), elements = work.m * work.k;
  double bytes = work.Bytes();
  if (work.family == WorkFamily::kSoftmax || work.family == WorkFamily::kNorm) {
    bytes += ReadAgain(work, rates, p) * size * elements +
             (std::exp(p[kRowRow]) + std::exp(p[kRowPad]) * PaddedElements(work)) * size * work.m;
  }
  bytes += ReadBroadcastAgain(work, rates) * size;
  const double rate = rates.bytes * std::exp(p[kRowRate]);
  const double cached = std::min(bytes, std::exp(p[kRowCached]) * rates.l2_bytes);
  return ((bytes - cached) / rate + cached / (rate * (1 + std::exp(p[kRowCacheSpeed])))) * 1e3;
}

double FloorMs(std::span<const double> p, bool alone) {
  return (alone ? std::exp(p[0]) : kStreamFloorUs) * 1e-3;
}

double ModelMs(const KernelWork& work, const DeviceRates& rates, std::span<const double> p,
               bool alone) {
  return FloorMs(p, alone) + (work.IsProduct() ? ProductMs(work, rates, p) : RowMs(work, rates, p));
}

double RooflineMs(const KernelWork& work, const DeviceRates& rates) {
  const double bytes = work.Bytes();
  const double cached = std::min(bytes, rates.l2_bytes);
  const double memory =
      (bytes - cached) / rates.peak_bytes + cached / (kL2OverMemory * rates.peak_bytes);
  return std::max(work.Flop() / rates.peak_flops, memory) * 1e3;
}

double PlainRooflineMs(const KernelWork& work, const DeviceRates& rates) {
  return std::max(work.Flop() / rates.peak_flops, work.Bytes() / rates.peak_bytes) * 1e3;
}

}  // namespace gprofx::forecast
