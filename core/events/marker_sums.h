// Sums times over the ranges that a program has named (NVTX, steps of a profiler). There is a row
// for each name and domain.
//
// A range contains what was sampled and launched while it was open. If several threads of a process
// name ranges, a range contains only the work of its own thread. If only one thread names ranges, a
// range contains the work of all threads of the process, because a training step hands work to
// backward threads. Names that differ only in a number at the end share a row ("ProfilerStep#*") if
// there are more than kMaxNumbers of them. Times of nested ranges with the same name count once.
//
// Method: the begins and ends of a thread's ranges cut time into pieces. Samples and launches are
// added to pieces, and the sum of a range is a difference of running sums. O((ranges + events) log
// ranges), however ranges overlap. For slices, the rules of core/slice/part_builder.h apply. Pure;
// one thread. Times are HostNs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

struct MarkerSum {
  std::string domain, name;  // "" = default domain; "step *" = names with different numbers
  int64_t count = 0;         // ranges and moments that overlap the slice
  int64_t moments = 0;       // how many of `count` have no length
  int64_t total_ns = 0;      // time in at least one range, summed over threads
  int64_t mean_ns = 0, largest_ns = 0;  // length of ranges, cut to the slice
  int64_t cpu_ns = 0;                   // CPU samples taken in a range, without waiting
  int64_t gpu_ns = 0;                   // GPU work launched in a range
  int64_t gpu_operations = 0;
  std::vector<int64_t> bins;  // total_ns by time, if requested; only in the first kMaxBinned rows
};

class MarkerSums {
 public:
  static constexpr size_t kMaxNumbers = 10, kMaxBinned = 100;

  // The profile and `markers` must outlive the object. `range` must not be empty.
  MarkerSums(const Profile& profile, std::span<const PhaseMarker> markers, TimeRange range);

  void AddOperations(std::span<const PhaseOperation> operations);
  void AddSamples(std::span<const SampleRow> samples);
  // Returns the rows sorted by time, largest first.
  std::vector<MarkerSum> Finish(size_t bins) &&;

 private:
  struct Piece {
    int64_t cpu = 0, gpu = 0, operations = 0;
  };
  struct Track {                // a thread, or all threads of a process
    std::vector<HostNs> cuts;   // sorted
    std::vector<Piece> pieces;  // pieces[i] begins at cuts[i]
  };
  struct Range {
    uint32_t row = 0, track = 0;
    HostNs begin = 0, end = 0;
  };

  void NameRows();
  void MakeTracks();
  Piece* PieceAt(ThreadId thread, HostNs time);
  void SumPieces();
  std::vector<Range> CountMarkers();
  void AddRun(std::span<const Range> ranges, MarkerSum& sum, std::vector<TimeRange>& shown) const;

  const Profile& profile_;
  const std::span<const PhaseMarker> markers_;
  const TimeRange range_, counted_;
  std::vector<MarkerSum> rows_;
  std::vector<uint32_t> row_of_;    // by marker
  std::vector<uint32_t> track_of_;  // by ThreadId::value; kNowhere = none
  std::vector<Track> tracks_;
};

}  // namespace gprofx
