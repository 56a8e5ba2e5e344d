#include "core/views/page/page_time.h"

#include <algorithm>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/kernels/kernel_family.h"
#include "core/views/wall.h"
#include "core/wall/wall_partition.h"

namespace gprofx {
namespace {

// The run is divided into parts of time, at first one for each bucket. Neighbouring parts are
// merged if there is too much data.
constexpr uint32_t kParts = PageTimeline::kBuckets;
constexpr int64_t kManyEvents = 2'000'000;  // above this, each part begins as kStepOfMany buckets
constexpr uint32_t kStepOfMany = 8;
constexpr size_t kGoodParts = 256, kFewestParts = 64;
constexpr size_t kGoodNodes = 1'000, kFewestNodes = 64;
constexpr size_t kMaxStreams = 64;

enum ThreadClass : uint8_t { kPythonCode, kNativeCode, kWaiting, kNothing };
enum StreamClass : uint8_t { kComputing, kCommunicating, kCopying };

// Returns the class (kLaneClasses) of a sample or of GPU work at a node with this label.
uint8_t ClassOf(const Label& label) {
  switch (label.kind) {
    case FrameKind::kGpuKernel:
      return IsCommunicationKernel(label.name) ? kCommunicating : kComputing;
    case FrameKind::kGpuCopy:
      return kCopying;
    case FrameKind::kPython:
      return kPythonCode;
    case FrameKind::kCudaApi:
      return kWaiting;
    case FrameKind::kIdle:
      return kNothing;
    default:
      return kNativeCode;
  }
}

uint32_t IdAt(const std::vector<int64_t>& column, size_t i) {
  return static_cast<uint32_t>(column[i]);
}

template <class Event>
void SortByTime(std::vector<Event>& events, HostNs Event::*time) {
  std::sort(events.begin(), events.end(), [&](const Event& a, const Event& b) {
    if (a.*time != b.*time) return a.*time < b.*time;
    return a.thread != b.thread ? a.thread < b.thread : a.node < b.node;
  });
}

// Merges slices of the same part, thread and node and sorts them in this order. Linear, except for
// sorting the few nodes of each part and thread.
class SliceMerger {
 public:
  explicit SliceMerger(size_t nodes) : self_(nodes), count_(nodes) {}

  void Merge(std::vector<PageSlice>& slices, uint32_t parts, uint32_t threads) {
    std::vector<uint32_t> end(size_t{parts} * threads + 1);
    const auto cell = [&](const PageSlice& slice) { return slice.part * threads + slice.thread; };
    for (const PageSlice& slice : slices) ++end[cell(slice) + 1];
    for (size_t i = 1; i < end.size(); ++i) end[i] += end[i - 1];
    std::vector<PageSlice> sorted(slices.size());
    for (const PageSlice& slice : slices) sorted[end[cell(slice)]++] = slice;
    slices.clear();
    for (size_t begin = 0, i = 0; begin < sorted.size(); begin = i) {
      for (; i < sorted.size() && cell(sorted[i]) == cell(sorted[begin]); ++i) Take(sorted[i]);
      Give(sorted[begin], slices);
    }
  }

 private:
  void Take(const PageSlice& slice) {
    if (count_[slice.node] == 0 && self_[slice.node] == 0) touched_.push_back(slice.node);
    self_[slice.node] = AddSaturated(self_[slice.node], slice.self);
    count_[slice.node] += slice.count;
  }

  void Give(const PageSlice& like, std::vector<PageSlice>& out) {
    std::sort(touched_.begin(), touched_.end());
    for (const uint32_t node : touched_) {
      if (count_[node] == 0 && self_[node] == 0) continue;  // already written to the result
      out.push_back({like.part, like.thread, node, count_[node], self_[node]});
      self_[node] = 0;
      count_[node] = 0;
    }
    touched_.clear();
  }

  std::vector<int64_t> self_;
  std::vector<uint32_t> count_;
  std::vector<uint32_t> touched_;
};

std::vector<int64_t>& LaneOf(PageLane& lane, size_t kind) {
  if (lane.ns[kind].empty()) lane.ns[kind].resize(PageTimeline::kBuckets);
  return lane.ns[kind];
}

HostNs Border(HostNs duration, size_t parts, size_t part) {
  const double share = static_cast<double>(part) / static_cast<double>(parts);
  return part >= parts ? duration : static_cast<HostNs>(share * static_cast<double>(duration));
}

}  // namespace

PageTimelineBuilder::PageTimelineBuilder(const Profile& profile, PageTree& tree, HostNs duration,
                                         std::pair<HostNs, HostNs> focus, int64_t expected,
                                         const PageBudget& budget)
    : profile_(profile), tree_(tree), budget_(budget) {
  out_.duration = std::max<HostNs>(duration, 1);
  out_.thread_lanes.resize(tree.threads.size());
  for (Sums* sums : {&samples_, &work_, &waits_}) {
    sums->self.resize(tree.nodes.size());
    sums->count.resize(tree.nodes.size());
  }
  class_of_.reserve(tree.nodes.size());
  for (const PageNode& node : tree.nodes) class_of_.push_back(ClassOf(tree.sites[node.site].label));
  stream_of_.assign(profile.gpu.streams.size() + 1, UINT32_MAX);
  if (expected > kManyEvents) step_ = kStepOfMany;
  // The first window is twice as long as the budget would allow if events were spread evenly.
  // CutWindow shrinks it to fit.
  const auto room = static_cast<int64_t>(budget.events);
  if (expected <= room) {
    window_end_ = kParts;
    return;
  }
  const double share = static_cast<double>(room) / static_cast<double>(expected);
  const auto width = static_cast<uint32_t>(share * 2 * kParts) / step_ * step_ + step_;
  const HostNs middle = focus.first + (focus.second - focus.first) / 2;
  const uint32_t center = PartOf(middle) / step_ * step_;
  window_begin_ = center > width / 2 ? (center - width / 2) / step_ * step_ : 0;
  window_end_ = std::min(kParts, window_begin_ + width);
}

uint32_t PageTimelineBuilder::PartOf(HostNs time) const {
  if (time <= 0) return 0;
  if (time >= out_.duration) return kParts - 1;
  auto part = static_cast<uint32_t>(static_cast<double>(time) * kParts /
                                    static_cast<double>(out_.duration));
  part = std::min<uint32_t>(part, kParts - 1);
  // Correct rounding errors: each time must be in the part between whose borders it lies, to the
  // nanosecond.
  while (part > 0 && time < Border(out_.duration, kParts, part)) --part;
  while (part + 1 < kParts && time >= Border(out_.duration, kParts, part + 1)) ++part;
  return part;
}

void PageTimelineBuilder::Sums::Add(uint32_t at_part, uint32_t at_thread, uint32_t node,
                                    int64_t amount, uint32_t events) {
  if (at_part != part || at_thread != thread) {
    EndRun();
    part = at_part;
    thread = at_thread;
  }
  if (count[node] == 0 && self[node] == 0) touched.push_back(node);
  count[node] += events;
  self[node] = AddSaturated(self[node], amount);
}

void PageTimelineBuilder::Sums::EndRun() {
  for (const uint32_t node : touched) {
    slices.push_back({part, thread, node, count[node], self[node]});
    self[node] = 0;
    count[node] = 0;
  }
  touched.clear();
}

template <class Use>
bool PageTimelineBuilder::Spread(HostNs begin, int64_t duration, const Use& use) const {
  // A file may contain any times. Time outside of the run does not count.
  HostNs from = std::clamp<HostNs>(begin, 0, out_.duration);
  const HostNs end = std::clamp(AddSaturated(begin, duration), from, out_.duration);
  uint32_t part = PartOf(begin);
  bool in_window = InWindow(part);
  do {
    const HostNs border = part + 1 < kParts ? Border(out_.duration, kParts, part + 1) : end;
    const HostNs to = std::max(from, std::min(end, border));
    use(part, to - from);
    in_window |= InWindow(part);
    from = to;
    ++part;
  } while (from < end && part < kParts);
  return in_window;
}

void PageTimelineBuilder::AddSamples(std::span<const SampleRow> rows) {
  out_.has_events = true;
  for (const SampleRow& row : rows) {
    const uint32_t thread = tree_.thread_of[row.thread.value];
    const uint32_t node = row.node ? tree_.node_of[row.node.index()] : PageTree::kNowhere;
    if (thread == PageTree::kNowhere || node == PageTree::kNowhere) continue;
    const uint32_t part = PartOf(row.time);
    if (InWindow(part)) {
      out_.samples.push_back({row.time, thread, node, row.weight});
    }
    samples_.Add(part / step_, thread, node, row.weight, 1);
    const bool idle = (row.state & kStateIdle) != 0;
    const uint8_t kind = idle ? uint8_t{kNothing} : class_of_[node];
    if (kind == kNothing) continue;
    LaneOf(out_.thread_lanes[thread], kind)[part] += row.weight;
  }
}

uint32_t PageTimelineBuilder::StreamOf(int64_t id) {
  const size_t at =
      id > 0 && static_cast<size_t>(id) < stream_of_.size() ? static_cast<size_t>(id) : 0;
  uint32_t& stream = stream_of_[at];
  if (stream != UINT32_MAX) return stream;
  if (out_.streams.size() >= kMaxStreams) return stream = kMaxStreams - 1;
  PageStream row;
  row.id.value = static_cast<uint32_t>(at);
  if (at != 0) {
    const GpuStreamRow& source = profile_.gpu.streams[at - 1];
    row.number = source.number;
    if (source.context) {
      const GpuContext& context = profile_.gpu.contexts[source.context.index()];
      row.gpu_known = static_cast<bool>(context.device);
      if (context.device) row.gpu = GpuNumbers(profile_)[context.device.index()];
      for (uint32_t i = 0; i < tree_.processes.size(); ++i) {
        if (tree_.processes[i].id == context.process) row.process = i;
      }
    }
  }
  stream = static_cast<uint32_t>(out_.streams.size());
  out_.streams.push_back(row);
  out_.stream_lanes.emplace_back();
  return stream;
}

std::vector<size_t> PageTimelineBuilder::ColumnsOf(Stream stream) {
  if (stream == Stream::kCalls) {
    return {column::kCallStart, column::kCallDuration, column::kCallThread, column::kCallNode};
  }
  // Kernels, copies and sets are read alike, because their first columns are the same.
  static_assert(int{column::kCopyStream} == int{column::kKernelStream});
  static_assert(int{column::kSetStream} == int{column::kKernelStream});
  return {column::kKernelStart,  column::kKernelDuration, column::kKernelLaunch,
          column::kKernelThread, column::kKernelNode,     column::kKernelStream};
}

void PageTimelineBuilder::AddWork(const EventTable& rows) {
  out_.has_events = true;
  for (size_t i = 0; i < rows.column(column::kKernelStart).size(); ++i) {
    const uint32_t id = IdAt(rows.column(column::kKernelNode), i);
    const uint32_t thread = tree_.thread_of[IdAt(rows.column(column::kKernelThread), i)];
    const uint32_t node = id != 0 ? tree_.node_of[id - 1] : PageTree::kNowhere;
    if (thread == PageTree::kNowhere || node == PageTree::kNowhere) continue;
    PageWork work;
    work.start = rows.column(column::kKernelStart)[i];
    work.duration = std::max<int64_t>(rows.column(column::kKernelDuration)[i], 0);
    work.launch = rows.column(column::kKernelLaunch)[i];
    work.thread = thread;
    work.node = node;
    work.stream = StreamOf(rows.column(column::kKernelStream)[i]);
    std::vector<int64_t>& lane =
        LaneOf(out_.stream_lanes[work.stream], std::min<uint8_t>(class_of_[node], kCopying));
    uint32_t begins = 1;
    const bool in_window = Spread(work.start, work.duration, [&](uint32_t part, int64_t ns) {
      work_.Add(part / step_, thread, node, ns, std::exchange(begins, 0));
      lane[part] += ns;
    });
    if (in_window) out_.work.push_back(work);
  }
}

void PageTimelineBuilder::AddCalls(const EventTable& rows) {
  for (size_t i = 0; i < rows.column(column::kCallStart).size(); ++i) {
    const uint32_t id = IdAt(rows.column(column::kCallNode), i);
    if (id == 0) continue;
    const FrameId frame = profile_.nodes[id - 1].frame;
    if (!frame || profile_.frame(frame).kind != FrameKind::kCudaApi) continue;
    const uint32_t thread = tree_.thread_of[IdAt(rows.column(column::kCallThread), i)];
    const uint32_t node = tree_.node_of[id - 1];
    if (thread == PageTree::kNowhere || node == PageTree::kNowhere) continue;
    const HostNs start = rows.column(column::kCallStart)[i];
    const int64_t duration = std::max<int64_t>(rows.column(column::kCallDuration)[i], 0);
    std::vector<int64_t>& lane = LaneOf(out_.thread_lanes[thread], kWaiting);
    uint32_t begins = 1;
    const bool in_window = Spread(start, duration, [&](uint32_t part, int64_t ns) {
      waits_.Add(part / step_, thread, node, ns, std::exchange(begins, 0));
      lane[part] += ns;
    });
    if (in_window) out_.waits.push_back({start, duration, thread, node});
  }
}

// Shrinks the window from both ends until its events fit the budget. Then removes the events that
// are no longer in it.
void PageTimelineBuilder::CutWindow() {
  std::vector<size_t> events(kParts);
  const auto part_of = [&](HostNs time) { return std::max(PartOf(time), window_begin_); };
  for (const PageSample& sample : out_.samples) ++events[part_of(sample.time)];
  for (const PageWork& work : out_.work) ++events[part_of(work.start)];
  for (const PageWait& wait : out_.waits) ++events[part_of(wait.start)];
  size_t all = out_.samples.size() + out_.work.size() + out_.waits.size();
  for (bool at_begin = false; all > budget_.events && window_begin_ < window_end_;
       at_begin = !at_begin) {
    for (uint32_t i = 0; i < step_ && window_begin_ < window_end_; ++i) {
      all -= std::min(all, events[at_begin ? window_begin_++ : --window_end_]);
    }
  }
  const auto outside = [&](HostNs begin, int64_t duration) {
    return !Spread(begin, duration, [](uint32_t, int64_t) {});
  };
  std::erase_if(out_.samples, [&](const PageSample& sample) { return outside(sample.time, 0); });
  std::erase_if(out_.work,
                [&](const PageWork& work) { return outside(work.start, work.duration); });
  std::erase_if(out_.waits,
                [&](const PageWait& wait) { return outside(wait.start, wait.duration); });
}

void PageTimelineBuilder::MergeAll() {
  SliceMerger merger(tree_.nodes.size());
  const auto threads = static_cast<uint32_t>(tree_.threads.size());
  for (Sums* sums : {&samples_, &work_, &waits_}) merger.Merge(sums->slices, kParts, threads);
}

// Keeps the slices of the `most` heaviest nodes. The slices of others move to the nodes for small
// branches.
void PageTimelineBuilder::FoldNodes(size_t most) {
  std::vector<uint32_t> place(tree_.nodes.size());
  for (uint32_t i = 0; i < place.size(); ++i) {
    const uint32_t parent = tree_.nodes[i].parent, above = place[parent];
    const bool ranked = i < tree_.rank.size();
    const bool stays = ranked ? tree_.rank[i] < most : above == parent;
    place[i] = stays ? i : RestBelow(tree_, above);
  }
  for (Sums* sums : {&samples_, &work_, &waits_}) {
    for (PageSlice& slice : sums->slices) slice.node = place[slice.node];
  }
}

// Merges parts and folds nodes until the number of slices fits the budget. Parts are not merged
// across the window.
void PageTimelineBuilder::Coarsen() {
  using Part = std::pair<uint32_t, uint32_t>;
  std::vector<Part> before, behind;
  for (uint32_t i = 0; i < window_begin_; i += step_) before.emplace_back(i, i + step_);
  for (uint32_t i = window_end_; i < kParts; i += step_) behind.emplace_back(i, i + step_);
  const std::initializer_list<Sums*> all = {&samples_, &work_, &waits_};
  const auto count = [&] {
    return samples_.slices.size() + work_.slices.size() + waits_.slices.size();
  };
  const uint32_t inside = window_begin_ / step_, behind_it = window_end_ / step_;
  for (Sums* sums : all) {
    std::erase_if(sums->slices, [&](const PageSlice& slice) {
      return slice.part >= inside && slice.part < behind_it;
    });
    for (PageSlice& slice : sums->slices) {
      if (slice.part >= behind_it) slice.part -= behind_it - inside;
    }
  }
  const auto halve = [](std::vector<Part>& parts) {
    const size_t half = (parts.size() + 1) / 2;
    for (size_t i = 0; i < half; ++i) {
      parts[i] = {parts[2 * i].first, parts[std::min(2 * i + 1, parts.size() - 1)].second};
    }
    parts.resize(half);
  };
  const auto halve_all = [&] {
    const auto first_behind = static_cast<uint32_t>(before.size());
    halve(before);
    halve(behind);
    const auto now_behind = static_cast<uint32_t>(before.size());
    for (Sums* sums : all) {
      for (PageSlice& slice : sums->slices) {
        const bool is_behind = slice.part >= first_behind;
        slice.part = is_behind ? now_behind + (slice.part - first_behind) / 2 : slice.part / 2;
      }
    }
  };
  size_t nodes = tree_.nodes.size();
  for (MergeAll(); count() > budget_.slices; MergeAll()) {
    const size_t parts = before.size() + behind.size();
    const bool many_parts = parts > kGoodParts || (parts > kFewestParts && nodes <= kGoodNodes);
    if (many_parts) {
      halve_all();
    } else if (nodes > kFewestNodes) {
      FoldNodes(nodes /= 2);
      out_.folded_nodes = nodes;
    } else {
      break;
    }
  }
  before.insert(before.end(), behind.begin(), behind.end());
  for (const auto& [begin, end] : before) {
    out_.parts.emplace_back(Border(out_.duration, kParts, begin),
                            Border(out_.duration, kParts, end));
  }
}

PageTimeline PageTimelineBuilder::Finish() {
  for (Sums* sums : {&samples_, &work_, &waits_}) sums->EndRun();
  CutWindow();
  SortByTime(out_.samples, &PageSample::time);
  SortByTime(out_.work, &PageWork::start);
  SortByTime(out_.waits, &PageWait::start);
  Coarsen();
  out_.window_begin = Border(out_.duration, kParts, window_begin_);
  out_.window_end = Border(out_.duration, kParts, window_end_);
  out_.sample_slices = std::move(samples_.slices);
  out_.work_slices = std::move(work_.slices);
  out_.wait_slices = std::move(waits_.slices);
  return std::move(out_);
}

}  // namespace gprofx
