// The time of one kernel on a device: a floor, plus the time of its arithmetic and memory traffic
// at the sustained rates, in waves of tiles for products.
//
// Numbers that no specification has (how well a 64x64 tile uses a multiprocessor, how often a
// normalisation reads its rows) are parameters, fitted over several generations of GPUs by
// tests/bench/train_forecast. They are not specific to a GPU, so they hold for GPUs that were not
// measured. By construction, more rows, more columns or a longer reduction never take less time.
// More FLOP/s, bandwidth or L2 never take more time. Pure; any thread.
#pragma once

#include <span>

#include "core/forecast/work.h"

namespace gprofx::forecast {

// The rates of a device, as the models need them.
struct DeviceRates {
  double flops = 0;                       // sustained FLOP/s for the type of the work
  double bytes = 0;                       // sustained bytes/s of memory
  double peak_flops = 0, peak_bytes = 0;  // specified
  double sms = 1;
  double threads = 2048;  // per multiprocessor
  double l2_bytes = 0;
  double l1_bytes = 0;       // per multiprocessor; 0 = loads bypass it
  bool fast_l2 = false;      // L2 much faster than memory: with GDDR, not HBM
  bool one_tile = false;     // batched FP32 products always use 128x128 tiles
  bool late_stores = false;  // FP32 products store tiles after computing, no overlap
  bool measured = false;     // both sustained rates are measured
};
DeviceRates RatesOf(const Device& device, NumberType type);

// Logarithms of parameters, in the order of the enum, so that any number is valid.
enum ProductParameter {
  kProductFloorUs,  // of a kernel between two events
  kProductFill,     // columns of reduction for filling a tile's pipeline
  kProductSteps,    // whole waves against evenly spread work: a sigmoid
  kProductMemory,   // share of the streaming rate that operands reach
  kProductSplitUs,  // joining the parts of a divided reduction
  kProductPeak,     // rate of the best tile over the sustained rate
  kProductLong,     // extra cost of a reduction of 65536, by distance in memory
  kProductTiles,    // seven tiles from here: share of that rate, a sigmoid
};
inline constexpr size_t kProductTileKinds = 7;
inline constexpr size_t kProductParameters = kProductTiles + kProductTileKinds;

enum RowParameter {
  kRowFloorUs,
  kRowRate,        // share of the streaming rate
  kRowCached,      // share of L2 that serves recently used data
  kRowCacheSpeed,  // L2 over memory speed, minus 1
  kRowExtraHit,    // repeated reads of rows if the rows in work fit into L2
  kRowExtraMiss,   // the same if they do not
  kRowInWork,      // share of the cache available to rows in work
  kRowRow,         // overhead of a row, in elements
  kRowPad,         // cost of a padding element in a softmax's block
};
inline constexpr size_t kRowParameters = kRowPad + 1;

// Return the milliseconds beyond the floor, given parameters `p`.
double ProductMs(const KernelWork& work, const DeviceRates& rates, std::span<const double> p);
double RowMs(const KernelWork& work, const DeviceRates& rates, std::span<const double> p);
// Returns the floor: the minimum milliseconds of a kernel of the family with parameters `p`. A
// kernel timed alone, by events around it, has the floor of the events. A kernel among others in a
// stream does not.
double FloorMs(std::span<const double> p, bool alone);
// The floor plus ProductMs() or RowMs().
double ModelMs(const KernelWork& work, const DeviceRates& rates, std::span<const double> p,
               bool alone);

// Minimum time by the specification: arithmetic at the peak, bytes beyond L2 at memory speed, the
// others at the speed of L2.
double RooflineMs(const KernelWork& work, const DeviceRates& rates);
// The classic roofline, without L2.
double PlainRooflineMs(const KernelWork& work, const DeviceRates& rates);

}  // namespace gprofx::forecast
