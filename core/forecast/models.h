// Models the time of one kernel on a device: a floor, plus the time of its arithmetic and memory
// traffic at the sustained rates. Products are computed in waves of tiles.
//
// Numbers that no specification has are parameters, such as how well a 64x64 tile uses a
// multiprocessor. tests/bench/train_forecast fits them over several generations of GPUs. They are
// not specific to a GPU and thus also apply to GPUs that were not measured. By construction, more
// rows, more columns or a longer reduction never take less time; more FLOP/s, bandwidth or L2 never
// take more. Pure; any thread.
#pragma once

#include <span>

#include "core/forecast/work.h"

namespace gprofx::forecast {

// The rates of a device in the form that the models need.
struct DeviceRates {
  double flops = 0;                       // sustained FLOP/s for the type of the work
  double bytes = 0;                       // sustained bytes/s of memory
  double peak_flops = 0, peak_bytes = 0;  // from the specification
  double sms = 1;
  double threads = 2048;  // maximum threads per multiprocessor
  double l2_bytes = 0;
  double l1_bytes = 0;       // per multiprocessor; 0 = loads bypass it
  bool fast_l2 = false;      // L2 is much faster than memory, as with GDDR but not with HBM
  bool one_tile = false;     // batched FP32 products always use 128x128 tiles
  bool late_stores = false;  // FP32 products store tiles only after computing, without overlap
  bool measured = false;     // true if both sustained rates are measured
};
DeviceRates RatesOf(const Device& device, NumberType type);

// Parameters for products, in the order of the enum. Values are logarithms or arguments of a
// sigmoid, so any number is valid.
enum ProductParameter {
  kProductFloorUs,  // minimum time of a kernel between two events, microseconds
  kProductFill,     // columns of the reduction that it takes to fill a tile's pipeline
  // 0 = work is spread evenly over multiprocessors, 1 = in whole waves of tiles; a sigmoid
  kProductSteps,
  kProductMemory,   // fraction of the streaming rate at which operands are read
  kProductSplitUs,  // microseconds for joining the parts of a divided reduction
  kProductPeak,     // rate of the best tile / sustained rate
  kProductLong,     // relative extra cost of a reduction of 65536, due to distance in memory
  kProductTiles,    // first of seven tiles: fraction of kProductPeak, a sigmoid
};
inline constexpr size_t kProductTileKinds = 7;
inline constexpr size_t kProductParameters = kProductTiles + kProductTileKinds;

enum RowParameter {
  kRowFloorUs,
  kRowRate,        // fraction of the streaming rate
  kRowCached,      // fraction of L2 that serves recently used data
  kRowCacheSpeed,  // L2 speed / memory speed - 1
  kRowExtraHit,    // cost of repeated reads of rows, if the rows in work fit into the cache
  kRowExtraMiss,   // extra cost if they do not
  kRowInWork,      // fraction of the cache that rows in work can use
  kRowRow,         // overhead per row, in elements
  kRowPad,         // cost of a padding element in a softmax's block
};
inline constexpr size_t kRowParameters = kRowPad + 1;

// ProductMs() and RowMs() return the milliseconds beyond the floor, for the parameters `p`.
double ProductMs(const KernelWork& work, const DeviceRates& rates, std::span<const double> p);
double RowMs(const KernelWork& work, const DeviceRates& rates, std::span<const double> p);
// Returns the floor: the minimum milliseconds of a kernel with the parameters `p`. If `alone` is
// set, the kernel is timed by two events around it, and the floor is that of the events. A kernel
// among others in a stream has a lower one.
double FloorMs(std::span<const double> p, bool alone);
// Returns the milliseconds of a kernel: FloorMs() plus ProductMs() or RowMs().
double ModelMs(const KernelWork& work, const DeviceRates& rates, std::span<const double> p,
               bool alone);

// Returns the minimum time by the specification: arithmetic at peak rate, bytes within L2 at L2
// speed and the others at memory speed.
double RooflineMs(const KernelWork& work, const DeviceRates& rates);
// Returns RooflineMs() without the L2 term: the classic roofline.
double PlainRooflineMs(const KernelWork& work, const DeviceRates& rates);

}  // namespace gprofx::forecast
