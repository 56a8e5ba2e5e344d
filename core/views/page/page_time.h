// The time line of a page: what each thread and each GPU stream did when, for a picture of the
// whole run and for sums of any part of it.
//
// Three levels of detail. Lanes: how busy each thread and stream was in each of kBuckets parts of
// the time, by class. Events: samples, GPU operations and waits one by one, in one window of the
// run; all of them where the budget has room. Slices: outside of that window, sums by part of the
// time, thread and node; small nodes are summed up in others of the tree (RestBelow) where slices
// would be too many. So the sum of any range is exact whose ends lie in the window or on the border
// of a part: TimelineOf() says where these are. An event belongs to the moment of its begin, a
// sample to its time.
//
// Memory: what the budget holds, several times over. Rows may come in any order, best as the file
// has them. Pure; one thread. Times: HostNs.
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

struct PageWork {  // of a GPU
  HostNs start = 0;
  int64_t duration = 0;
  HostNs launch = 0;                          // 0 = unknown
  uint32_t thread = 0, node = 0, stream = 0;  // PageTimeline::streams
};

struct PageWait {  // of a host thread for a GPU
  HostNs start = 0;
  int64_t duration = 0;
  uint32_t thread = 0, node = 0;
};

struct PageSlice {
  uint32_t part = 0, thread = 0, node = 0;
  uint32_t count = 0;  // of events that begin there
  int64_t self = 0;
};

struct PageStream {
  GpuStreamId id;    // 0 = unknown
  uint32_t gpu = 0;  // the number that people know, see GpuNumbers()
  bool gpu_known = false;
  uint32_t number = 0;   // of the stream, as CUPTI counts it
  uint32_t process = 0;  // PageTree::processes
};

// Of a thread: Python, native code, waiting for a GPU. Of a stream: computing, communication,
// copies.
inline constexpr size_t kLaneClasses = 3;
struct PageLane {
  std::array<std::vector<int64_t>, kLaneClasses> ns;  // by bucket
};

struct PageTimeline {
  static constexpr size_t kBuckets = 2048;
  HostNs duration = 0;  // the time line is [0, duration)
  std::vector<PageStream> streams;
  std::vector<PageLane> thread_lanes, stream_lanes;  // by thread and stream; of kBuckets

  // What reaches into the window is there one by one; the parts cover the rest of the run.
  HostNs window_begin = 0, window_end = 0;
  std::vector<std::pair<HostNs, HostNs>> parts;  // [begin, end), in order of time
  std::vector<PageSample> samples;               // in order of time, as the next two
  std::vector<PageWork> work;
  std::vector<PageWait> waits;
  // Of the metrics whose PageMetric::events they are; by part, thread and node.
  std::vector<PageSlice> sample_slices, work_slices, wait_slices;
  size_t folded_nodes = 0;  // so many nodes have slices of their own; 0 = all
  bool has_events = false;  // the recording holds a time line
};

class PageTimelineBuilder {
 public:
  // `focus`: the part of the run that a window should lie in the middle of. `expected`: how many
  // events there are about. The tree must outlive the object; Finish may add nodes to it.
  PageTimelineBuilder(const Profile& profile, PageTree& tree, HostNs duration,
                      std::pair<HostNs, HostNs> focus, int64_t expected, const PageBudget& budget);

  void AddSamples(std::span<const SampleRow> rows);
  // Of kernels, copies and sets, with all columns of StreamColumns().
  void AddWork(const EventTable& rows);
  // Of calls; only those that wait count.
  void AddCalls(const EventTable& rows);
  PageTimeline Finish();

  // The columns that AddWork and AddCalls read.
  static std::vector<size_t> ColumnsOf(Stream stream);

 private:
  // Sums up events of one kind; those of one part and thread that follow each other are one run.
  struct Sums {
    std::vector<PageSlice> slices;
    std::vector<int64_t> self;    // by node, of the run
    std::vector<uint32_t> count;  // likewise
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
  // Calls use(part, ns) for what of [begin, begin + duration) lies in each part, the first one for
  // a duration of 0. True where some of it lies in the window.
  template <class Use>
  bool Spread(HostNs begin, int64_t duration, const Use& use) const;
  void CutWindow();
  void Coarsen();

  const Profile& profile_;
  PageTree& tree_;
  const PageBudget budget_;
  PageTimeline out_;
  uint32_t window_begin_ = 0, window_end_ = 0;
  uint32_t step_ = 1;              // buckets that slices begin with as one part
  std::vector<uint8_t> class_of_;  // by node of the tree
  std::vector<uint32_t> stream_of_;
  Sums samples_, work_, waits_;
};

}  // namespace gprofx
