// What a page holds of a profile adds up to the profile, whatever the budget is.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "core/views/page/page_time.h"
#include "core/views/page/page_tree.h"

namespace gprofx::testing {
namespace {

constexpr HostNs kDuration = 10'000'000'003;
constexpr uint32_t kThreads = 5;

// What happened in a made-up run, as its file would hold it.
struct Run {
  Profile profile;
  std::vector<SampleRow> samples;
  EventTable kernels{Stream::kKernels};
  EventTable calls{Stream::kCalls};
  int64_t operations = 0;
};

FrameId NamedFrame(Profile& profile, FrameKind kind, const std::string& name) {
  Function function;
  function.name = profile.Intern(name);
  Frame frame;
  frame.kind = kind;
  frame.function = profile.Intern(function);
  return profile.Intern(frame);
}

Run MakeRun(unsigned seed, int events) {
  Run run;
  Profile& profile = run.profile;
  std::mt19937 random(seed);
  profile.meta["clock"] = "cpu";
  profile.processes.push_back({1, 0, profile.Intern("a.py"), profile.Intern("python3 a.py")});
  for (uint32_t i = 0; i < kThreads; ++i) {
    profile.threads.push_back({ProcessId{1}, 100 + i, profile.Intern("t" + std::to_string(i))});
  }
  profile.gpu.streams.push_back({{}, 7, 0});
  std::vector<NodeId> nodes = {profile.root()}, work, waits;
  for (int i = 0; i < 800; ++i) {
    const FrameKind kind = i % 2 == 0 ? FrameKind::kPython : FrameKind::kNative;
    const NodeId parent = nodes[random() % nodes.size()];
    nodes.push_back(
        profile.Child(parent, NamedFrame(profile, kind, "f" + std::to_string(random() % 60))));
  }
  for (int i = 0; i < 60; ++i) {
    const NodeId launch = nodes[random() % nodes.size()];
    const FrameKind kind = i % 5 == 0 ? FrameKind::kGpuCopy : FrameKind::kGpuKernel;
    work.push_back(profile.Child(launch, NamedFrame(profile, kind, "k" + std::to_string(i % 12))));
    waits.push_back(profile.Child(launch, NamedFrame(profile, FrameKind::kCudaApi, "cuSync")));
  }
  const MetricId cpu = profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  const MetricId gpu = profile.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
  const MetricId wait = profile.AddMetric(kMetricGpuWait, "ns", MetricKind::kExact);
  const auto time = [&] { return static_cast<HostNs>(random() % 1'000'000) * 10'000; };
  for (int i = 0; i < events; ++i) {
    const ThreadId thread{1 + static_cast<uint32_t>(random() % kThreads)};
    SampleRow sample;
    sample.time = time();
    sample.thread = thread;
    sample.node = nodes[1 + random() % (nodes.size() - 1)];
    sample.weight = 1 + static_cast<uint32_t>(random() % 1'000'000);
    run.samples.push_back(sample);
    profile.AddSelf(sample.node, thread, cpu, sample.weight);
    KernelEvent kernel;
    kernel.start = time();
    kernel.duration =
        std::min<HostNs>(static_cast<HostNs>(random() % 40'000'000), kDuration - kernel.start);
    kernel.thread = thread;
    kernel.node = work[random() % work.size()];
    kernel.stream = GpuStreamId{1};
    run.kernels.Append(kernel);
    profile.AddSelf(kernel.node, thread, gpu, kernel.duration);
    ++run.operations;
    CallEvent call;
    call.start = time();
    call.duration =
        std::min<HostNs>(static_cast<HostNs>(random() % 9'000'000), kDuration - call.start);
    call.thread = thread;
    call.node = waits[random() % waits.size()];
    run.calls.Append(call);
    profile.AddSelf(call.node, thread, wait, call.duration);
  }
  return run;
}

struct Page {
  PageTree tree;
  PageTimeline time;
};

Page MakePage(const Run& run, const PageBudget& budget, int64_t expected) {
  const Profile& profile = run.profile;
  Page page{MakePageTree(profile, KeptStacks(profile, {}), profile.FindMetric("cpu"), true, budget),
            {}};
  PageTimelineBuilder builder(profile, page.tree, kDuration, {0, kDuration}, expected, budget);
  builder.AddSamples(run.samples);
  builder.AddWork(run.kernels);
  builder.AddCalls(run.calls);
  page.time = builder.Finish();
  return page;
}

int64_t Sum(const PageMetric& metric) {
  int64_t sum = 0;
  for (const PageValue& value : metric.values) sum += value.self;
  return sum;
}

using ByThread = std::map<uint32_t, int64_t>;

// As the page's script adds up a range: slices of parts that lie in it, and what of the window's
// events does.
ByThread RangeOf(const PageTimeline& time, PageEvents what, HostNs begin, HostNs end) {
  ByThread sums;
  const auto& slices = what == PageEvents::kSamples ? time.sample_slices
                       : what == PageEvents::kWork  ? time.work_slices
                                                    : time.wait_slices;
  for (const PageSlice& slice : slices) {
    const auto& [from, to] = time.parts[slice.part];
    if (from >= begin && to <= end) sums[slice.thread] += slice.self;
  }
  begin = std::max(begin, time.window_begin);
  end = std::min(end, time.window_end);
  const auto clip = [&](uint32_t thread, HostNs from, int64_t duration) {
    const HostNs length = std::min(from + duration, end) - std::max(from, begin);
    if (length > 0) sums[thread] += length;
  };
  if (what == PageEvents::kSamples) {
    for (const PageSample& each : time.samples) {
      if (each.time >= begin && each.time < end) sums[each.thread] += each.weight;
    }
  } else if (what == PageEvents::kWork) {
    for (const PageWork& each : time.work) clip(each.thread, each.start, each.duration);
  } else {
    for (const PageWait& each : time.waits) clip(each.thread, each.start, each.duration);
  }
  return sums;
}

// The same out of what was recorded.
ByThread Expected(const Run& run, const PageTree& tree, PageEvents what, HostNs begin, HostNs end) {
  ByThread sums;
  if (what == PageEvents::kSamples) {
    for (const SampleRow& row : run.samples) {
      if (row.time >= begin && row.time < end) sums[tree.thread_of[row.thread.value]] += row.weight;
    }
    return sums;
  }
  const EventTable& rows = what == PageEvents::kWork ? run.kernels : run.calls;
  const size_t thread =
      what == PageEvents::kWork ? size_t{column::kKernelThread} : size_t{column::kCallThread};
  for (size_t i = 0; i < rows.rows(); ++i) {
    const HostNs from = rows.column(0)[i], to = from + rows.column(1)[i];
    const HostNs length = std::min(to, end) - std::max(from, begin);
    const auto id = static_cast<uint32_t>(rows.column(thread)[i]);
    if (length > 0) sums[tree.thread_of[id]] += length;
  }
  return sums;
}

void CheckRange(const Run& run, const Page& page, HostNs begin, HostNs end) {
  for (const PageEvents what : {PageEvents::kSamples, PageEvents::kWork, PageEvents::kWaits}) {
    CHECK(RangeOf(page.time, what, begin, end) == Expected(run, page.tree, what, begin, end));
  }
}

}  // namespace

TEST_CASE("a page that has room for everything has every event one by one") {
  const Run run = MakeRun(1, 2'000);
  const Page page = MakePage(run, {}, 6'000);
  CHECK(page.time.parts.empty());
  CHECK(page.time.samples.size() == run.samples.size());
  CHECK(page.time.work.size() == run.kernels.rows());
  CHECK(page.tree.left_out == 0);
  for (const auto& [begin, end] :
       {std::pair<HostNs, HostNs>{0, kDuration}, {1'234'567'890, 1'234'999'999}, {5, 6}}) {
    CheckRange(run, page, begin, end);
  }
}

TEST_CASE("below any budget the parts of a page add up to the run") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    std::mt19937 random(seed);
    const Run run = MakeRun(seed, 3'000);
    PageBudget budget;
    budget.nodes = 20 + random() % 800;
    budget.values = 50 + random() % 8'000;
    budget.threads = 1 + random() % 6;
    budget.events = random() % 3'000;
    budget.slices = 100 + random() % 4'000;
    const Page page = MakePage(run, budget, 9'000);
    INFO(seed);
    for (const PageMetric& metric : page.tree.metrics) CHECK(Sum(metric) == metric.sum);
    CHECK(page.time.samples.size() + page.time.work.size() + page.time.waits.size() <=
          budget.events + 200);  // what reaches into the window from before it

    // Parts and window cover the run, once.
    std::vector<std::pair<HostNs, HostNs>> pieces = page.time.parts;
    if (page.time.window_begin < page.time.window_end) {
      pieces.emplace_back(page.time.window_begin, page.time.window_end);
    }
    std::sort(pieces.begin(), pieces.end());
    HostNs at = 0;
    for (const auto& [begin, end] : pieces) {
      CHECK(begin == at);
      at = end;
    }
    CHECK(at == kDuration);

    CheckRange(run, page, 0, kDuration);
    for (const auto& [begin, end] : page.time.parts) CheckRange(run, page, begin, end);
    const HostNs middle = (page.time.window_begin + page.time.window_end) / 2;
    CheckRange(run, page, page.time.window_begin, middle);
    CheckRange(run, page, middle, page.time.window_end);

    uint64_t operations = 0;
    for (const PageSlice& slice : page.time.work_slices) operations += slice.count;
    for (const PageWork& work : page.time.work) {
      operations += work.start >= page.time.window_begin && work.start < page.time.window_end;
    }
    CHECK(operations == static_cast<uint64_t>(run.operations));
    for (const PageSlice& slice : page.time.sample_slices) {
      REQUIRE(slice.node < page.tree.nodes.size());
    }
  }
}

TEST_CASE("small branches are one node below their caller, and parents come first") {
  const Run run = MakeRun(3, 2'000);
  PageBudget budget;
  budget.nodes = 30;
  const Page page = MakePage(run, budget, 6'000);
  CHECK(page.tree.left_out > 0);
  size_t rests = 0;
  for (uint32_t i = 1; i < page.tree.nodes.size(); ++i) {
    const PageNode& node = page.tree.nodes[i];
    REQUIRE(node.parent < i);
    const bool rest = page.tree.sites[node.site].label.name == kSmallBranches;
    rests += rest;
    if (rest) CHECK(page.tree.nodes[node.parent].site != node.site);
  }
  CHECK(rests > 0);
  CHECK(rests == page.tree.rest_of.size());
}

TEST_CASE("threads beyond the budget are one") {
  const Run run = MakeRun(4, 500);
  PageBudget budget;
  budget.threads = 2;
  const Page page = MakePage(run, budget, 1'500);
  REQUIRE(page.tree.threads.size() == 3);
  CHECK(page.tree.threads[2].others == kThreads - 2);
  CheckRange(run, page, 0, kDuration);
}

TEST_CASE("times outside of the run and broken durations do no harm") {
  Run run = MakeRun(5, 10);
  SampleRow sample = run.samples[0];
  for (const HostNs time : {INT64_MIN, HostNs{-1}, kDuration, INT64_MAX}) {
    sample.time = time;
    run.samples.push_back(sample);
    KernelEvent kernel;
    kernel.start = time;
    kernel.duration = INT64_MAX;
    kernel.thread = sample.thread;
    kernel.node = run.profile.nodes.size() > 1 ? NodeId{2} : NodeId{1};
    run.kernels.Append(kernel);
    kernel.duration = INT64_MIN;
    run.kernels.Append(kernel);
  }
  PageBudget budget;
  budget.events = 5;
  const Page page = MakePage(run, budget, 100);
  CHECK(page.time.duration == kDuration);
}

// A Python frame of a file, or a native one of a module.
FrameId FrameIn(Profile& profile, const std::string& path) {
  Frame frame;
  Function function;
  function.name = profile.Intern("f of " + path);
  if (path.ends_with(".py")) {
    frame.kind = FrameKind::kPython;
    function.file = frame.file = profile.Intern(path);
    frame.line = 1;
  } else {
    frame.kind = FrameKind::kNative;
    profile.modules.push_back({});
    profile.modules.back().path = profile.Intern(path);
    frame.module = ModuleId{static_cast<uint32_t>(profile.modules.size())};
  }
  frame.function = profile.Intern(function);
  return profile.Intern(frame);
}

TEST_CASE("Sites of a page are own code, or name the library that they are part of") {
  Profile profile;
  const std::vector<std::pair<std::string, std::string>> stack = {
      {"/home/me/app.py", ""},
      {"/usr/lib/python3/dist-packages/pandas/core/frame.py", "pandas"},
      {"/usr/lib/python3.11/json/decoder.py", "json"},
      {"/usr/lib/x86_64-linux-gnu/libsqlite3.so.0", "sqlite3"},
      {"/usr/lib/x86_64-linux-gnu/libc.so.6", "C library"}};
  NodeId node = profile.root();
  for (const auto& [path, library] : stack) node = profile.Child(node, FrameIn(profile, path));
  const MetricId cpu = profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  profile.AddSelf(node, ThreadId{}, cpu, 1'000);
  const PageTree tree = MakePageTree(profile, KeptStacks(profile, {}), cpu, true, {});
  REQUIRE(tree.sites.size() == stack.size() + 1);
  for (size_t i = 0; i < stack.size(); ++i) {
    INFO(stack[i].first);
    CHECK(tree.sites[i + 1].own == (i == 0));
    CHECK(tree.sites[i + 1].library == stack[i].second);
  }
}

}  // namespace gprofx::testing
