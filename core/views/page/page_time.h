// Builds the timeline of a page (HTML report): what each thread and each GPU stream did over time.
// The page draws the whole run from it and computes sums of any range.
//
// There are three levels of detail:
//   - Lanes: how busy each thread and stream was, by class, in each of kBuckets buckets of the run.
//   - Events: the individual samples, GPU operations and waits in one window of the run. The window
//     is the whole run if the budget allows.
//   - Slices: sums by part, thread and node outside of that window. A part is a range of buckets.
// If there would be too many slices, small nodes are merged into nodes for smaller branches
// (RestBelow() in page_tree.h). The sum of a range is exact if its ends lie in the window or on a
// border of a part. The time of an event counts in all parts in which it lies; the event itself is
// counted in the part in which it begins. A sample counts at its time.
//
// Memory: a small multiple of the budget. Rows may come in any order; the order of the file is
// best. Pure; one thread. Times are HostNs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/events/events.h"
#include "core/model/profile.h"
#include "core/views/page/page_tree.h"

namespace gprofx {

struct PageSample {
  HostNs time = 0;
  uint32_t thread = 0, node = 0;
  int64_t weight = 0;
};

struct PageWork {  // GPU operation
  HostNs start = 0;
  int64_t duration = 0;
  HostNs launch = 0;                          // 0 = unknown
  uint32_t thread = 0, node = 0, stream = 0;  // `stream`: position in PageTimeline::streams
};

struct PageWait {  // a host thread that waits for a GPU
  HostNs start = 0;
  int64_t duration = 0;
  uint32_t thread = 0, node = 0;
};

struct PageSlice {
  uint32_t part = 0, thread = 0, node = 0;
  uint32_t count = 0;  // number of events that begin in the part
  int64_t self = 0;
};

struct PageStream {
  GpuStreamId id;    // 0 = unknown
  uint32_t gpu = 0;  // number in nvidia-smi, see GpuNumbers()
  bool gpu_known = false;
  uint32_t number = 0;   // CUPTI's stream number
  uint32_t process = 0;  // PageTree::processes
};

// The classes of a thread are Python, native code and waiting for a GPU. Those of a stream are
// computing, communication and copies.
inline constexpr size_t kLaneClasses = 3;
struct PageLane {
  std::array<std::vector<int64_t>, kLaneClasses> ns;  // by bucket
};

struct PageTimeline {
  static constexpr size_t kBuckets = 2048;
  HostNs duration = 0;  // the timeline is [0, duration)
  std::vector<PageStream> streams;
  // One lane per thread and per stream; each has kBuckets buckets.
  std::vector<PageLane> thread_lanes, stream_lanes;

  // The window [window_begin, window_end). Events that overlap it are listed one by one. The parts
  // cover the rest of the run.
  HostNs window_begin = 0, window_end = 0;
  std::vector<std::pair<HostNs, HostNs>> parts;  // [begin, end), sorted by time
  std::vector<PageSample> samples;               // sorted by time, as are `work` and `waits`
  std::vector<PageWork> work;
  std::vector<PageWait> waits;
  // Slices of the metrics whose PageMetric::events is kSamples, kWork or kWaits. Sorted by part,
  // thread and node.
  std::vector<PageSlice> sample_slices, work_slices, wait_slices;
  // Number of the heaviest nodes that have their own slices; 0 = all nodes.
  size_t folded_nodes = 0;
  bool has_events = false;  // the recording has a timeline
};

class PageTimelineBuilder {
 public:
  // `focus` is the range of the run around whose middle the window lies. `expected` is the
  // approximate number of events. `tree` must outlive the object; Finish may add nodes to it.
  PageTimelineBuilder(const Profile& profile, PageTree& tree, HostNs duration,
                      std::pair<HostNs, HostNs> focus, int64_t expected, const PageBudget& budget);

  void AddSamples(std::span<const SampleRow> rows);
  // Adds GPU operations. `rows` holds kernels, copies or sets, with the columns that ColumnsOf()
  // returns.
  void AddWork(const EventTable& rows);
  // Adds waits. `rows` holds CUDA calls; only those that wait for a GPU are used.
  void AddCalls(const EventTable& rows);
  PageTimeline Finish();

  // Returns the columns of a stream that AddWork and AddCalls read.
  static std::vector<size_t> ColumnsOf(Stream stream);

 private:
  // Sums events of one kind by part, thread and node. Consecutive events with the same part and
  // thread form a run, which is summed in `self` and `count` first.
  struct Sums {
    std::vector<PageSlice> slices;
    std::vector<int64_t> self;    // by node, of the current run
    std::vector<uint32_t> count;  // by node, of the current run
    std::vector<uint32_t> touched;
    uint32_t part = 0, thread = 0;

    void Add(uint32_t at_part, uint32_t at_thread, uint32_t node, int64_t amount, uint32_t events);
    void EndRun();
  };

  void FoldNodes(size_t most);
  void MergeAll();

  uint32_t PartOf(HostNs time) const;
  bool InWindow(uint32_t part) const { return part >= window_begin_ && part < window_end_; }
  uint32_t StreamOf(int64_t id);
  // Calls use(part, ns) for each part that [begin, begin + duration) overlaps. For a duration of 0,
  // calls it once, for the part of `begin`. Returns true if any of these parts is in the window.
  template <class Use>
  bool Spread(HostNs begin, int64_t duration, const Use& use) const;
  void CutWindow();
  void Coarsen();

  const Profile& profile_;
  PageTree& tree_;
  const PageBudget budget_;
  PageTimeline out_;
  uint32_t window_begin_ = 0, window_end_ = 0;
  uint32_t step_ = 1;              // number of buckets per part at the start
  std::vector<uint8_t> class_of_;  // by node of the tree
  std::vector<uint32_t> stream_of_;
  Sums samples_, work_, waits_;
};

}  // namespace gprofx
