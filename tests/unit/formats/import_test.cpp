// Importers of traces of other tools: times, nesting, names, what is cut anywhere.
#include "formats/importers/import.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "core/redact/redact.h"
#include "formats/importers/call_words.h"
#include "formats/importers/chrome/begun_events.h"
#include "formats/importers/collapsed/collapsed.h"
#include "formats/importers/gather/match_in_time.h"
#include "formats/importers/host_tree.h"
#include "formats/importers/json_mender.h"
#include "formats/importers/launch_calls.h"
#include "formats/importers/micros.h"
#include "formats/importers/perf/perf_script.h"
#include "formats/importers/trace_gather.h"
#include "formats/importers/usual_times.h"
#include "formats/profile/profile_reader.h"
#include "formats/redaction/redacted_file.h"
#include "tests/unit/core/random_profile.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
using namespace importers;
namespace {

TEST_CASE("microseconds become nanoseconds exactly") {
  CHECK(NanosecondsOf("1712195495519689.25") == 1712195495519689250);
  CHECK(NanosecondsOf("1712195495519689.001") == 1712195495519689001);
  CHECK(NanosecondsOf("0.0004") == 0);
  CHECK(NanosecondsOf("0.0005") == 1);
  CHECK(NanosecondsOf("-1.5") == -1500);
  CHECK(NanosecondsOf("4.5e+3") == 4500000);
  CHECK(NanosecondsOf("1.5E-2") == 15);
  CHECK(NanosecondsOf("7") == 7000);
  for (const char* bad : {"", "-", ".5", "1.2.3", "1e", "1e9999", "99999999999999999999.0", "x"}) {
    CHECK_FALSE(NanosecondsOf(bad));
  }
}

// The time of each moment goes to the innermost span, by brute force over moments.
TEST_CASE("self times of spans are the union of the outermost") {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    Profile profile;
    Thread row;
    profile.processes.push_back({});
    row.process = ProcessId{1};
    profile.threads.push_back(row);
    const MetricId metric = profile.AddMetric("host", "ns", MetricKind::kExact);
    SpanStore spans;
    std::vector<bool> covered(400);
    for (int i = 0; i < 20; ++i) {
      Frame frame;
      frame.kind = FrameKind::kOperator;
      frame.line = static_cast<uint32_t>(random() % 5);
      HostSpan span;
      span.start = static_cast<int64_t>(random() % 300);
      span.duration = static_cast<int64_t>(random() % 100);
      span.frame = profile.Intern(frame);
      for (int64_t t = span.start; t < span.start + span.duration; ++t) {
        covered[static_cast<size_t>(t)] = true;
      }
      spans.Add(span);
    }
    const CutSpans cut = PlaceSpans(
        spans, ThreadId{1}, metric, 1'000'000, profile,
        [](const HostSpan&, NodeId caller) { return caller; },
        [](const HostSpan&, NodeId, NodeId, int64_t) {});
    int64_t sum = 0;
    for (const Value& value : profile.values) {
      CHECK(value.self >= 0);
      sum += value.self;
    }
    const auto whole = std::count(covered.begin(), covered.end(), true);
    CHECK(sum <= whole);
    CHECK(sum + cut.ns >= whole);
    if (cut.spans == 0) CHECK(sum == whole);
  }
}

// Every span has its own frame, so that its time is found by it.
TEST_CASE("ranges may overlap all else, and nothing is cut") {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    Profile profile;
    Thread row;
    profile.processes.push_back({});
    row.process = ProcessId{1};
    profile.threads.push_back(row);
    const MetricId metric = profile.AddMetric("host", "ns", MetricKind::kExact);
    SpanStore spans;
    std::vector<bool> covered(400);
    const auto add = [&](int64_t start, int64_t duration, bool is_range) {
      Frame frame;
      frame.kind = FrameKind::kOperator;
      frame.line = static_cast<uint32_t>(spans.size() + 1);
      HostSpan span;
      span.start = start;
      span.duration = duration;
      span.frame = profile.Intern(frame);
      span.is_range = is_range;
      spans.Add(span);
      for (int64_t t = start; t < start + duration; ++t) covered[static_cast<size_t>(t)] = true;
    };
    for (int i = 0; i < 6; ++i) {  // calls within calls
      add(50 * i, 50, false);
      add(50 * i + static_cast<int64_t>(random() % 20), static_cast<int64_t>(random() % 30), false);
    }
    for (int i = 0; i < 8; ++i) {
      add(static_cast<int64_t>(random() % 300), static_cast<int64_t>(random() % 100), true);
    }
    std::map<FrameId, int64_t> durations;
    spans.ForEach([&](const HostSpan& span) { durations[span.frame] = span.duration; });
    const CutSpans cut = PlaceSpans(
        spans, ThreadId{1}, metric, 1'000'000, profile,
        [](const HostSpan&, NodeId caller) { return caller; },
        [](const HostSpan&, NodeId, NodeId, int64_t) {});
    CHECK(cut.spans == 0);
    std::map<FrameId, int64_t> times;
    int64_t sum = 0;
    for (const Value& value : profile.values) {
      sum += value.self;
      for (NodeId node = value.node; node != profile.root(); node = profile.node(node).parent) {
        times[profile.node(node).frame] += value.self;
      }
    }
    CHECK(sum == std::count(covered.begin(), covered.end(), true));
    for (const auto& [frame, duration] : durations) CHECK(times[frame] == duration);
  }
}

// Would take hours if each span cost as much as the stack is deep.
TEST_CASE("hundreds of thousands of nested spans and ranges across them") {
  constexpr int64_t kDeep = 300'000;
  Profile profile;
  profile.processes.push_back({});
  Thread row;
  row.process = ProcessId{1};
  profile.threads.push_back(row);
  const MetricId metric = profile.AddMetric("host", "ns", MetricKind::kExact);
  Frame frame;
  frame.kind = FrameKind::kOperator;
  SpanStore spans;
  for (int64_t i = 0; i < kDeep; ++i) {
    HostSpan span;
    span.start = i;
    span.duration = (i % 3 == 0 ? 4 : 2) * kDeep - 2 * i;
    span.frame = profile.Intern(frame);
    span.is_range = i % 3 == 0;
    spans.Add(span);
  }
  PlaceSpans(
      spans, ThreadId{1}, metric, 1'000'000, profile,
      [](const HostSpan&, NodeId caller) { return caller; },
      [](const HostSpan&, NodeId, NodeId, int64_t) {});
  int64_t sum = 0;
  for (const Value& value : profile.values) sum += value.self;
  CHECK(sum == 4 * kDeep);
}

// Calls with long paths outlast the ranges around them, so each end of a range moves them all.
TEST_CASE("ranges move no more nodes than there are spans for") {
  constexpr int64_t kHalf = 400, kPath = 300;
  Profile profile;
  profile.processes.push_back({});
  Thread row;
  row.process = ProcessId{1};
  profile.threads.push_back(row);
  const MetricId metric = profile.AddMetric("host", "ns", MetricKind::kExact);
  const auto frame_of = [&](int64_t line) {
    Frame frame;
    frame.kind = FrameKind::kOperator;
    frame.line = static_cast<uint32_t>(line);
    return profile.Intern(frame);
  };
  SpanStore spans;
  for (int64_t i = 0; i < 2 * kHalf; ++i) {
    const bool is_range = i < kHalf;
    HostSpan span;
    span.start = i;
    span.duration = (is_range ? 4 : 8) * kHalf - 2 * i;
    span.frame = frame_of(i + 1);
    span.is_range = is_range;
    spans.Add(span);
  }
  const CutSpans cut = PlaceSpans(
      spans, ThreadId{1}, metric, 10'000'000, profile,
      [&](const HostSpan& span, NodeId caller) {
        for (int64_t i = 0; i < kPath && !span.is_range; ++i) {
          caller = profile.Child(caller, frame_of(1'000'000 + i));
        }
        return caller;
      },
      [](const HostSpan&, NodeId, NodeId, int64_t) {});
  CHECK(profile.nodes.size() < 300'000);
  CHECK(cut.unfollowed > 0);
  CHECK(cut.without_node == 0);
  int64_t sum = 0;
  for (const Value& value : profile.values) sum += value.self;
  CHECK(sum == 7 * kHalf);
}

TEST_CASE("spans for which the tree has no room are counted, and their time is kept") {
  Profile profile;
  profile.processes.push_back({});
  Thread row;
  row.process = ProcessId{1};
  profile.threads.push_back(row);
  const MetricId metric = profile.AddMetric("host", "ns", MetricKind::kExact);
  SpanStore spans;
  for (uint32_t i = 0; i < 10; ++i) {
    Frame frame;
    frame.line = i + 1;
    HostSpan span;
    span.start = i;
    span.duration = 100 - 2 * static_cast<int64_t>(i);
    span.frame = profile.Intern(frame);
    spans.Add(span);
  }
  const CutSpans cut = PlaceSpans(
      spans, ThreadId{1}, metric, 5, profile, [](const HostSpan&, NodeId caller) { return caller; },
      [](const HostSpan&, NodeId, NodeId, int64_t) {});
  CHECK(profile.nodes.size() == 5);
  CHECK(cut.without_node == 6);  // the root is a node, too
  int64_t sum = 0;
  for (const Value& value : profile.values) sum += value.self;
  CHECK(sum == 100);
}

TEST_CASE("B and E events beyond the limit end no other span") {
  BegunEvents begun;
  ChromeEvent event;
  event.start = 1;
  const BegunEvents::Row row{1, 1}, other{1, 2};
  event.name = "outer";
  begun.Begin(other, event);
  for (size_t i = 0; i < BegunEvents::kMaxBegun + 5; ++i) begun.Begin(row, event);
  event.name = "inner";
  begun.Begin(other, event);  // no room
  event.name.clear();
  event.start = 5;
  CHECK(begun.left_out() == 7);
  CHECK_FALSE(begun.End(other, event));
  const auto outer = begun.End(other, event);
  REQUIRE(outer);
  CHECK(outer->name == "outer");
  CHECK(outer->duration == 4);
  CHECK_FALSE(begun.End(other, event));
  CHECK(begun.without_begin() == 1);
  int64_t spans = 0;
  for (size_t i = 0; i < BegunEvents::kMaxBegun + 5; ++i) spans += begun.End(row, event) ? 1 : 0;
  CHECK(spans == BegunEvents::kMaxBegun - 1);
  CHECK(begun.without_end() == 0);
}

TEST_CASE("ids that are words: a label and a number") {
  const auto is = [](std::string_view word, std::string_view label, int64_t number) {
    const IdWord parsed = ParseIdWord(word);
    return parsed.label == label && parsed.number == number;
  };
  CHECK(is("stream 7", "stream", 7));
  CHECK(is("[TP00] 100", "[TP00]", 100));
  CHECK(is("rank 3", "rank 3", 3));
  CHECK(is("GPU 0 (rank 3)", "rank 3", 0));
  CHECK(is("[Rank3] GPU 12", "rank 3", 12));
  CHECK(is("rank: 3 pid 77", "rank 3", 77));
  CHECK(is("frank 3", "frank", 3));
  CHECK(is("rank", "rank", 0));
  CHECK(is("rankings 5", "rankings", 5));
  CHECK(is("", "", 0));
}

TEST_CASE("JSON that is nearly right is mended, cut anywhere") {
  const std::string bad =
      "{\"a\xe9\": NaN, \"b\\ud83d\": -Infinity, \"\\ud83d\\ude00\": [1e5, -1.5e-3, true, inf, \n "
      "], "
      "\"\x01\t\\q\\u00zz\xf0\x9f\x98\x80\xed\xa0\x80\": \"NaN\"}";
  std::string good =
      "{\"a\\ufffd\": null, \"b\\ufffd\": null, \"\\ud83d\\ude00\": [1e5, -1.5e-3, true, null], "
      "\"\\ufffd\\t\\ufffdq\\ufffdzz\xf0\x9f\x98\x80\\ufffd\\ufffd\\ufffd\": \"NaN\"}";
  std::erase(good, ' ');  // blanks behind commas may go
  for (size_t piece = 1; piece <= bad.size(); ++piece) {
    JsonMender mender;
    std::string out;
    for (size_t at = 0; at < bad.size(); at += piece) {
      mender.Add(std::span(bad).subspan(at, std::min(piece, bad.size() - at)), out);
    }
    mender.Finish(out);
    std::erase(out, ' ');
    CHECK(out == good);
  }
}

TEST_CASE("times far from all others") {
  UsualTimes times;
  constexpr int64_t kNow = 1'700'000'000'000'000'000;
  for (int64_t i = 0; i < 20; ++i) times.Add(TimeKind::kSpan, kNow + i, kNow + i + 5);
  times.Add(TimeKind::kSpan, 1, 2);
  REQUIRE(times.Finish());
  CHECK(times.first() == kNow);
  CHECK(times.last() == kNow + 24);
  CHECK_FALSE(times.all());
  CHECK_FALSE(times.Holds(1));
  UsualTimes half;
  half.Add(TimeKind::kSpan, 1, 2);
  half.Add(TimeKind::kSpan, kNow, kNow);
  CHECK_FALSE(half.Finish());
  UsualTimes kinds;  // all of one kind far from the others
  for (int64_t i = 0; i < 100; ++i) kinds.Add(TimeKind::kSpan, kNow + i, kNow + i + 5);
  for (int64_t i = 0; i < 2; ++i) kinds.Add(TimeKind::kWork, 5, 6);
  CHECK_FALSE(kinds.Finish());
  UsualTimes none;
  CHECK(none.Finish());
  CHECK(none.empty());
}

TEST_CASE("names of calls, ranges and copies") {
  CHECK(WithoutVersion("cudaStreamSynchronize_v3020") == "cudaStreamSynchronize");
  CHECK(WithoutVersion("cuLaunchKernel_ptsz") == "cuLaunchKernel");
  CHECK(WithoutVersion("my_view") == "my_view");
  CHECK(IsWaitingCall("cudaDeviceSynchronize"));
  CHECK(IsWaitingCall("cudaMemcpy"));
  CHECK_FALSE(IsWaitingCall("cudaMemcpyAsync"));
  CHECK_FALSE(IsWaitingCall("aten::Synchronize"));
  CHECK(WithoutNumbers("ProfilerStep#12") == "ProfilerStep");
  CHECK(WithoutNumbers("aten::mm, seq = 3, op_id = 8") == "aten::mm");
  CHECK(WithoutNumbers("Step 90 to 100") == "Step");
  CHECK(WithoutNumbers("Batch 5/10") == "Batch");
  CHECK(WithoutNumbers("step (12)") == "step");
  CHECK(WithoutNumbers("my_iteration12") == "my_iteration");
  for (const char* name : {"Batch 5/10 encode", "step1_load", "BatchNorm2d", "BatchNorm_2", "v1.0",
                           "conv2d_3x3", "epoch_1_eval", "name #", "f(3)"}) {
    CHECK(WithoutNumbers(name) == name);
  }
  CHECK(WithoutNumbers("layer_3") == "layer_3");
  CHECK(WithoutNumbers("42") == "42");
  TraceWork copy;
  ReadCopyName("Memcpy DtoH (Device -> Pinned)", copy);
  CHECK(copy.copy_kind == 2);
  CHECK(copy.source == 3);
  CHECK(copy.target == 2);
  ReadCopyName("MemcpyH2D", copy);
  CHECK(copy.copy_kind == 1);
}

TEST_CASE("stacks as text may be cut into pieces anywhere") {
  const std::string perf = test::ReadBytes(GPROFX_SOURCE_DIR "/tests/data/import/perf-script.txt");
  const std::string folded = test::ReadBytes(GPROFX_SOURCE_DIR "/tests/data/import/py-spy.txt");
  const auto perf_times = [&](size_t piece) {
    Profile profile;
    std::vector<HostNs> times;
    PerfScriptReader reader(profile, [&](const SampleRow& row) { times.push_back(row.time); });
    for (size_t at = 0; at < perf.size(); at += piece) {
      reader.Add(std::span(perf).subspan(at, std::min(piece, perf.size() - at)));
    }
    reader.Finish();
    CHECK(profile.nodes.size() == 6);
    return times;
  };
  const auto folded_nodes = [&](size_t piece) {
    Profile profile;
    CollapsedReader reader(profile);
    for (size_t at = 0; at < folded.size(); at += piece) {
      reader.Add(std::span(folded).subspan(at, std::min(piece, folded.size() - at)));
    }
    reader.Finish();
    CHECK(reader.stacks() == 3);
    return profile.nodes.size();
  };
  const auto whole = perf_times(perf.size());
  CHECK(whole == std::vector<HostNs>{0, 1'000'000, 2'000'500});
  for (const size_t piece : {1, 2, 3, 7, 64}) {
    CHECK(perf_times(piece) == whole);
    CHECK(folded_nodes(piece) == folded_nodes(folded.size()));
  }
}

TEST_CASE("work below its call, whatever comes first; the rest is kept and counted") {
  Profile profile;
  TraceGather gather(profile);
  TraceWork work;
  work.start = 1000;
  work.duration = 10;
  work.correlation = 5;
  work.config = gather.AddConfig("k", {});
  gather.AddWork(work);
  work.correlation = 6;
  gather.AddWork(work);
  const ThreadId thread = gather.Thread(10, 11);
  gather.AddHost(thread, {900, 50, gather.Frame(FrameKind::kOperator, "op"), 0});
  gather.AddHost(thread, {910, 20, gather.Frame(FrameKind::kNative, "cudaLaunchKernel"), 5});
  EventTable kernels(Stream::kKernels);
  REQUIRE(gather.Finish([&](const EventTable& rows) {
    if (rows.stream() == Stream::kKernels) kernels = rows;
    return Ok();
  }));
  REQUIRE(kernels.rows() == 2);
  CHECK(kernels.column(column::kKernelLaunch) == std::vector<int64_t>{10, 0});
  CHECK(profile.quality.at("import_unlinked") == 1);
  const NodeId node{static_cast<uint32_t>(kernels.column(column::kKernelNode)[0])};
  const Frame& above = profile.frame(profile.node(profile.node(node).parent).frame);
  CHECK(profile.Text(profile.function(above.function).name) == "cudaLaunchKernel");
  CHECK(profile.meta.at("duration_ns") == "110");
}

TEST_CASE("the call that launched work, where ids repeat") {
  LaunchCalls calls;
  const auto add = [&](uint32_t correlation, uint32_t process, int64_t start, int64_t duration) {
    calls.Add({correlation, ProcessId{process}, ThreadId{process}, {}, start, duration});
  };
  add(5, 1, 100, 10);
  add(5, 1, 102, 5);  // of the driver, within the runtime's
  add(5, 1, 900, 10);
  add(5, 2, 400, 10);
  add(6, 2, 50, 10);
  // Work that is looked up in a trace in which all calls have one id.
  for (int64_t i = 0; i < 200'000; ++i) add(9, 3, 1000 + 2 * i, 1);
  calls.Sort();
  const auto start_of = [&](uint32_t process, uint32_t correlation, int64_t start) {
    const LaunchCall* call = calls.Find(ProcessId{process}, correlation, start);
    return call == nullptr ? -1 : call->start;
  };
  CHECK(start_of(1, 5, 105) == 100);
  CHECK(start_of(1, 5, 899) == 100);
  CHECK(start_of(1, 5, 2000) == 900);
  CHECK(start_of(1, 5, 20) == 100);
  CHECK(start_of(2, 5, 2000) == 400);
  CHECK(start_of(1, 6, 2000) == -1);
  CHECK(start_of(1, 0, 2000) == -1);
  int64_t sum = 0;
  for (int64_t i = 0; i < 200'000; ++i) sum += start_of(3, 9, 1001 + 2 * i) - 1000 - 2 * i;
  CHECK(sum == 0);
}

TEST_CASE("work and calls are matched in order of time, and no call is left without work") {
  using Found = std::vector<size_t>;
  const auto match = [](const std::vector<int64_t>& calls, std::vector<int64_t> work) {
    for (int64_t& start : work) start -= kClockError;
    return MatchInTime(calls, work);
  };
  CHECK(match({}, {5}) == Found{kNoCall});
  CHECK(match({10}, {}).empty());
  CHECK(match({10, 20}, {5, 15, 25}) == Found{kNoCall, 0, 1});
  CHECK(match({10, 20}, {25}) == Found{1});
  CHECK(match({10, 20}, {25, 26}) == Found{0, 1});
  CHECK(match({10, 20}, {25, 26, 27, 28}) == Found{0, 0, 1, 1});
  CHECK(match({10, 12, 20}, {13, 25, 26}) == Found{0, 1, 2});
  CHECK(match({10, 20}, {11, 12, 13, 25, 26}) == Found{0, 0, 0, 1, 1});
  CHECK(match({10, 20, 30}, {40, 41}) == Found{1, 2});
  // Every call that can have work has some: by brute force over the number of calls with work.
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int64_t> calls(1 + random() % 6), work(1 + random() % 8);
    for (int64_t& at : calls) at = static_cast<int64_t>(random() % 20);
    for (int64_t& at : work) at = static_cast<int64_t>(random() % 20);
    std::sort(calls.begin(), calls.end());
    std::sort(work.begin(), work.end());
    const Found found = match(calls, work);
    CHECK(std::is_sorted(found.begin(), found.end(),
                         [](size_t a, size_t b) { return a + 1 < b + 1; }));
    size_t most = 0;  // the latest work takes the latest call that it may
    auto last = calls.rbegin();
    for (auto at = work.rbegin(); at != work.rend(); ++at) {
      while (last != calls.rend() && *last > *at) ++last;
      if (last == calls.rend()) break;
      ++last;
      ++most;
    }
    std::set<size_t> used(found.begin(), found.end());
    used.erase(kNoCall);
    CHECK(used.size() == most);
    for (size_t i = 0; i < work.size(); ++i) {
      if (found[i] != kNoCall) CHECK(calls[found[i]] <= work[i]);
      if (found[i] == kNoCall) CHECK(calls[0] > work[i]);
    }
  }
}

TEST_CASE("times that are none, and times too far apart") {
  Profile profile;
  TraceGather gather(profile);
  TraceWork work;
  work.config = gather.AddConfig("k", {});
  work.start = -5;
  gather.AddWork(work);
  work.start = 0;
  work.duration = -1;
  gather.AddWork(work);
  CHECK(profile.quality.at("import_left_out_events_without_a_time") == 2);
  work.start = work.duration = 1;
  gather.AddWork(work);
  work.start = INT64_MAX / 2;
  gather.AddWork(work);
  CHECK_FALSE(gather.Finish([](const EventTable&) { return Ok(); }));
}

TEST_CASE("a redacted file keeps every number") {
  test::TempFolder folder;
  const Profile profile = test::RandomProfile(3, 200);
  const std::string path = test::WriteFinished(folder, profile, 100, 50);
  REQUIRE(WriteRedacted(path, folder / "r.gprofx", "key"));
  CHECK_FALSE(WriteRedacted(path, path, "key"));
  const auto before = LoadProfile(path), after = LoadProfile(folder / "r.gprofx");
  REQUIRE(before);
  REQUIRE(after);
  std::map<std::string, int64_t> sums[2];
  for (const int i : {0, 1}) {
    const Profile& p = i == 0 ? *before : *after;
    for (const Value& value : p.values) sums[i][p.metrics[value.metric.index()].unit] += value.self;
  }
  CHECK(sums[0] == sums[1]);
  CHECK(test::AllSamples(path).size() == test::AllSamples(folder / "r.gprofx").size());
  for (const EventStream& stream : EventStreams()) {
    const auto count = [&](const std::string& file) {
      const std::vector<size_t> columns = {0};
      const auto rows = test::ReadEvents(file, stream.id, columns, INT64_MIN, INT64_MAX,
                                         [](const EventTable&) {});
      REQUIRE(rows);
      return *rows;
    };
    CHECK(count(path) == count(folder / "r.gprofx"));
  }
}

}  // namespace
}  // namespace gprofx
