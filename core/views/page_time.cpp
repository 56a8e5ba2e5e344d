#include "core/views/page_time.h"

#include <algorithm>
#include <utility>

#include "core/arithmetic.h"
#include "core/views/wall.h"
#include "core/wall_partition.h"

namespace gprofx {
namespace {

constexpr size_t kParts = PageTimeline::kBuckets;  // before they are made coarser
constexpr size_t kFewestParts = 64;
constexpr size_t kMostStreams = 64;

enum ThreadClass : uint8_t { kPythonCode, kNativeCode, kWaiting, kNothing };
enum StreamClass : uint8_t { kComputing, kCommunicating, kCopying };

// Of a thread that was sampled there, or of a stream whose work it is.
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

bool Before(const PageSlice& a, const PageSlice& b) {
  if (a.part != b.part) return a.part < b.part;
  return a.thread != b.thread ? a.thread < b.thread : a.node < b.node;
}

void MergeSlices(std::vector<PageSlice>& slices) {
  std::sort(slices.begin(), slices.end(), Before);
  size_t end = 0;
  for (const PageSlice& slice : slices) {
    if (end > 0 && !Before(slices[end - 1], slice)) {
      slices[end - 1].self = AddSaturated(slices[end - 1].self, slice.self);
      slices[end - 1].count += slice.count;
    } else {
      slices[end++] = slice;
    }
  }
  slices.resize(end);
}

std::vector<int64_t>& LaneOf(PageLane& lane, size_t kind) {
  if (lane.ns[kind].empty()) lane.ns[kind].resize(PageTimeline::kBuckets);
  return lane.ns[kind];
}

HostNs Border(HostNs duration, size_t parts, size_t part) {
  const double share = static_cast<double>(part) / static_cast<double>(parts);
  return part >= parts ? duration : static_cast<HostNs>(share * static_cast<double>(duration));
}

}  // namespace

PageTimelineBuilder::PageTimelineBuilder(const Profile& profile, const PageTree& tree,
                                         HostNs duration, std::pair<HostNs, HostNs> focus,
                                         int64_t expected, const PageBudget& budget)
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
  // A window of about as many events as there is room for; CutWindow makes it fit.
  const auto room = static_cast<int64_t>(budget.events);
  if (expected <= room) {
    window_end_ = kParts;
    return;
  }
  const double share = static_cast<double>(room) / static_cast<double>(expected);
  const auto width = std::max<uint32_t>(1, static_cast<uint32_t>(share * 2 * kParts));
  const HostNs middle = focus.first + (focus.second - focus.first) / 2;
  const uint32_t center = PartOf(middle);
  window_begin_ = center > width / 2 ? center - width / 2 : 0;
  window_end_ = std::min<uint32_t>(kParts, window_begin_ + width);
}

uint32_t PageTimelineBuilder::PartOf(HostNs time) const {
  if (time <= 0) return 0;
  if (time >= out_.duration) return kParts - 1;
  auto part = static_cast<uint32_t>(static_cast<double>(time) * kParts /
                                    static_cast<double>(out_.duration));
  part = std::min<uint32_t>(part, kParts - 1);
  // As the borders have it, to the nanosecond.
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
  const HostNs end = std::min(AddSaturated(begin, duration), out_.duration);
  uint32_t part = PartOf(begin);
  bool in_window = InWindow(part);
  HostNs from = begin;
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
    samples_.Add(part, thread, node, row.weight, 1);
    const bool idle = (row.state & kStateIdle) != 0;
    const uint8_t kind = idle ? uint8_t{kNothing} : class_of_[node];
    if (kind == kNothing) continue;
    LaneOf(out_.thread_lanes[thread], kind)[part] += row.weight;
  }
}

uint32_t PageTimelineBuilder::StreamOf(int64_t id) {
  const size_t at = id > 0 && static_cast<size_t>(id) < stream_of_.size() ? static_cast<size_t>(id) : 0;
  uint32_t& stream = stream_of_[at];
  if (stream != UINT32_MAX) return stream;
  if (out_.streams.size() >= kMostStreams) return stream = kMostStreams - 1;
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
  // The first columns of kernels, copies and sets are the same.
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
    const bool in_window =
        Spread(work.start, work.duration, [&](uint32_t part, int64_t ns) {
          work_.Add(part, thread, node, ns, std::exchange(begins, 0));
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
      waits_.Add(part, thread, node, ns, std::exchange(begins, 0));
      lane[part] += ns;
    });
    if (in_window) out_.waits.push_back({start, duration, thread, node});
  }
}

// Shrinks the window from both ends until what is in it fits.
void PageTimelineBuilder::CutWindow() {
  std::vector<size_t> events(kParts);
  const auto part_of = [&](HostNs time) { return std::max(PartOf(time), window_begin_); };
  for (const PageSample& sample : out_.samples) ++events[part_of(sample.time)];
  for (const PageWork& work : out_.work) ++events[part_of(work.start)];
  for (const PageWait& wait : out_.waits) ++events[part_of(wait.start)];
  size_t all = out_.samples.size() + out_.work.size() + out_.waits.size();
  for (bool at_begin = false; all > budget_.events && window_begin_ < window_end_;
       at_begin = !at_begin) {
    all -= std::min(all, events[at_begin ? window_begin_++ : --window_end_]);
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

// Parts twice as long until the slices fit. None lies on both sides of the window.
void PageTimelineBuilder::Coarsen() {
  using Part = std::pair<uint32_t, uint32_t>;
  std::vector<Part> before, behind;
  for (uint32_t i = 0; i < window_begin_; ++i) before.emplace_back(i, i + 1);
  for (uint32_t i = window_end_; i < kParts; ++i) behind.emplace_back(i, i + 1);
  const auto each = [&](const auto& what) {
    for (Sums* sums : {&samples_, &work_, &waits_}) what(sums->slices);
  };
  const auto count = [&] {
    return samples_.slices.size() + work_.slices.size() + waits_.slices.size();
  };
  each([&](auto& slices) {
    std::erase_if(slices, [&](const PageSlice& slice) { return InWindow(slice.part); });
    for (PageSlice& slice : slices) {
      if (slice.part >= window_end_) slice.part -= window_end_ - window_begin_;
    }
    MergeSlices(slices);
  });
  const auto halve = [](std::vector<Part>& parts) {
    const size_t half = (parts.size() + 1) / 2;
    for (size_t i = 0; i < half; ++i) {
      parts[i] = {parts[2 * i].first, parts[std::min(2 * i + 1, parts.size() - 1)].second};
    }
    parts.resize(half);
  };
  while (count() > budget_.slices && before.size() + behind.size() > kFewestParts) {
    const auto first_behind = static_cast<uint32_t>(before.size());
    halve(before);
    halve(behind);
    const auto now_behind = static_cast<uint32_t>(before.size());
    each([&](auto& slices) {
      for (PageSlice& slice : slices) {
        const bool is_behind = slice.part >= first_behind;
        slice.part = is_behind ? now_behind + (slice.part - first_behind) / 2 : slice.part / 2;
      }
      MergeSlices(slices);
    });
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
