// How long one kernel takes on a device: a floor, plus what its arithmetic and its memory traffic
// take at the rates that the device sustains, in waves of tiles for products.
//
// The numbers that no specification tells (how well a tile of 64x64 feeds a multiprocessor, how
// many times a normalisation reads its rows) are parameters, fitted over several generations of
// GPUs by tests/bench/train_forecast. They have no unit of one GPU, so they hold for GPUs that
// nobody measured. By construction more rows, columns or reduction never take less time, and more
// FLOP/s, bandwidth or L2 never more. Pure; any thread.
#pragma once

#include <span>

#include "core/forecast/work.h"

namespace gprofx::forecast {

// What the models ask of a device.
struct DeviceRates {
  double flops = 0;                       // sustained FLOP/s of the work's type
  double bytes = 0;                       // sustained bytes/s of memory
  double peak_flops = 0, peak_bytes = 0;  // the specification
  double sms = 1;
  double threads = 2048;  // of a multiprocessor
  double l2_bytes = 0;
  double l1_bytes = 0;       // of a multiprocessor, where loads go through it; 0 = they do not
  bool fast_l2 = false;      // L2 that is well ahead of memory: beside GDDR, not beside HBM
  bool one_tile = false;     // batches of FP32 products always have tiles of 128x128
  bool late_stores = false;  // FP32 products store a tile when they have computed it, not meanwhile
  bool measured = false;     // both sustained rates
};
DeviceRates RatesOf(const Device& device, NumberType type);

// Logarithms of parameters, in the order of the enum, so that any number is a valid one.
enum ProductParameter {
  kProductFloorUs,  // of a kernel between two events
  kProductFill,     // columns of reduction that filling a tile's pipeline takes
  kProductSteps,    // whole waves against evenly spread work: a sigmoid
  kProductMemory,   // share of the streaming rate that operands reach
  kProductSplitUs,  // joining the parts of a divided reduction
  kProductPeak,     // rate of the best tile over the sustained rate
  kProductLong,     // what a reduction of 65536 costs more, by memory that is far apart
  kProductTiles,    // seven tiles from here: share of that rate, a sigmoid
};
inline constexpr size_t kProductTileKinds = 7;
inline constexpr size_t kProductParameters = kProductTiles + kProductTileKinds;

enum RowParameter {
  kRowFloorUs,
  kRowRate,        // share of the streaming rate
  kRowCached,      // share of L2 that serves what was just used
  kRowCacheSpeed,  // L2 over memory speed, less 1
  kRowExtraHit,    // rows that are read again, in reads, where those in work fit into L2
  kRowExtraMiss,   // the same where they do not
  kRowInWork,      // share of the cache that rows in work may take
  kRowRow,         // what a row costs beside its elements, in elements
  kRowPad,         // what an element costs that a softmax's block steps over beyond its row
};
inline constexpr size_t kRowParameters = kRowPad + 1;

// Milliseconds beyond the floor.
double ProductMs(const KernelWork& work, const DeviceRates& rates, std::span<const double> p);
double RowMs(const KernelWork& work, const DeviceRates& rates, std::span<const double> p);
// The floor of a family: a kernel that is timed alone, by events around it, shows that of the
// events; one among others in a stream does not.
double FloorMs(std::span<const double> p, bool alone);
// Both together.
double ModelMs(const KernelWork& work, const DeviceRates& rates, std::span<const double> p,
               bool alone);

// The least time by the specification: arithmetic at the peak, bytes beyond L2 at memory speed and
// those within it at the speed of L2.
double RooflineMs(const KernelWork& work, const DeviceRates& rates);
// The classic roofline, without L2.
double PlainRooflineMs(const KernelWork& work, const DeviceRates& rates);

}  // namespace gprofx::forecast
