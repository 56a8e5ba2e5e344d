#include "core/forecast/models.h"

#include <algorithm>
#include <cmath>

namespace gprofx {
namespace {

static_assert(kProductFloorUs == 0 && kRowFloorUs == 0);
constexpr double kStreamFloorUs = 2.5;
constexpr double kL2OverMemory = 5;  // of the fastest; measured 2 to 4
constexpr double kLongest = 65536;   // reduction of the fit; beyond it memory is not further apart

struct Tile {
  double rows, columns;
};
constexpr Tile kTiles[kProductTileKinds] = {{128, 128}, {128, 64}, {64, 128}, {64, 64},
                                            {128, 32},  {32, 128}, {32, 32}};
constexpr double kSplits[] = {1, 2, 4, 8};
constexpr double kShortestSplit = 128;

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Both at once would be the larger one, one after the other the sum; real kernels overlap most.
double Overlap(double a, double b) {
  const double a2 = a * a, b2 = b * b;
  return std::sqrt(std::sqrt(a2 * a2 + b2 * b2));
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
  rates.fast_l2 = device.kind == DeviceClass::kWorkstation || device.kind == DeviceClass::kInference;
  // cuBLAS has one kernel for them from Ampere on, also where half of its tile is outside.
  rates.one_tile = device.capability >= 80;
  rates.measured = gemm.measured && copy.measured;
  return rates;
}

double ProductMs(const KernelWork& work, const DeviceRates& rates, std::span<const double> p) {
  const double steps = Sigmoid(p[kProductSteps]);
  const double fill = std::exp(p[kProductFill]);
  const double memory_rate = rates.bytes * std::exp(p[kProductMemory]);
  const double sm_rate = rates.flops / rates.sms * std::exp(p[kProductPeak]);
  const double longer =
      1 + std::exp(p[kProductLong]) * std::min(work.n, kLongest) / kLongest;
  const double operands_ms = work.Bytes() / memory_rate * 1e3;
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
      if (split > 1) {  // each part is written and read again
        memory_ms += 2 * 4 * work.b * work.m * work.k * split / memory_rate * 1e3 +
                     std::exp(p[kProductSplitUs]) * 1e-3;
      }
      best = std::min(best, Overlap(compute_ms, memory_ms));
    }
  }
  return best;
}

namespace {

// How often rows are read again, in reads of the whole. A normalisation goes over its rows twice, a
// softmax of more than 1024 three times; what comes again hits L2 as long as the rows that all
// multiprocessors have in work fit there.
double ReadAgain(const KernelWork& work, const DeviceRates& rates, std::span<const double> p) {
  double block = 128;
  if (work.family == WorkFamily::kSoftmax) {
    if (work.k <= 1024) return 0;  // a row stays in registers
    block = std::clamp(work.k / 8, 256.0, 512.0);
  }
  const double in_work = rates.sms * rates.threads / block * work.k * BytesOf(work.type);
  const double fits = std::exp(p[kRowInWork]) * rates.l2_bytes;
  const double misses = std::clamp(std::log2(in_work / fits) + 0.5, 0.0, 1.0);
  const double hit = std::exp(p[kRowExtraHit]);
  return hit + misses * std::exp(p[kRowExtraMiss]);
}

}  // namespace

double RowMs(const KernelWork& work, const DeviceRates& rates, std::span<const double> p) {
  const double size = BytesOf(work.type), elements = work.m * work.k;
  double bytes = work.Bytes();
  if (work.family == WorkFamily::kSoftmax || work.family == WorkFamily::kNorm) {
    bytes += ReadAgain(work, rates, p) * size * elements + std::exp(p[kRowRow]) * size * work.m;
  }
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

}  // namespace gprofx
