// Sequence numbers to operators of the forward pass: by hand, and against the arrows that PyTorch's
// profiler draws itself in two real traces.
#include "formats/importers/forward_join.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "formats/importers/byte_source.h"
#include "formats/importers/call_words.h"

namespace gprofx {
using namespace importers;
namespace {

HostSpan Forward(int64_t start, int64_t duration, int64_t sequence) {
  HostSpan span;
  span.start = start;
  span.duration = duration;
  span.sequence = sequence;
  return span;
}

HostSpan Backward(int64_t start, int64_t sequence, uint32_t thread) {
  HostSpan span = Forward(start, 5, sequence);
  span.forward_thread = thread;
  span.is_backward = true;
  return span;
}

Profile Threads(size_t count) {
  Profile profile;
  profile.processes.push_back({});
  Thread thread;
  thread.process = ProcessId{1};
  profile.threads.assign(count, thread);
  return profile;
}

// Exact: the files have at most three digits behind the point.
int64_t Nanoseconds(const nlohmann::json& time) {
  return time.is_number_integer() ? time.get<int64_t>() * 1000
                                  : static_cast<int64_t>(time.get<double>() * 1000 + 0.5);
}

struct Counted {
  size_t arrows = 0, equal = 0;
};

Counted CompareWithArrows(const std::string& path) {
  Result<ByteSource> source = ByteSource::Open(path);
  REQUIRE(source);
  std::string text;
  for (std::span<const char> piece; !(piece = source->Next()).empty();) {
    text.append(piece.data(), piece.size());
  }
  const nlohmann::json trace = nlohmann::json::parse(text);
  std::map<int64_t, ThreadId> threads;
  std::map<std::pair<ThreadId, int64_t>, HostSpan> backwards;
  std::map<int64_t, std::pair<int64_t, int64_t>> begins, ends;  // arrow -> thread, time
  std::vector<std::pair<ThreadId, HostSpan>> spans;
  for (const auto& event : trace["traceEvents"]) {
    const std::string category = event.value("cat", "");
    if (!event.contains("tid") || !event["tid"].is_number()) continue;
    const int64_t tid = event["tid"];
    const ThreadId thread =
        threads.try_emplace(tid, ThreadId{static_cast<uint32_t>(threads.size() + 1)}).first->second;
    if (category == "fwdbwd") {
      (event["ph"] == "s" ? begins : ends)[event["id"]] = {tid, Nanoseconds(event["ts"])};
    }
    if (category != "cpu_op" || !event["args"].contains("Sequence number")) continue;
    HostSpan span = Forward(Nanoseconds(event["ts"]), Nanoseconds(event["dur"]),
                            event["args"]["Sequence number"]);
    span.forward_thread = event["args"].value("Fwd thread id", 0u);
    span.is_backward = span.forward_thread != 0 || IsBackwardName(event["name"].get<std::string>());
    spans.push_back({thread, span});
    if (span.is_backward) backwards[{thread, span.start}] = span;
  }
  const Profile profile = Threads(threads.size());
  ForwardJoin join(profile);
  for (const auto& [thread, span] : spans) join.Add(thread, span);
  join.Finish();
  Counted counted;
  for (const auto& [id, begin] : begins) {
    const auto end = ends.find(id);
    if (end == ends.end()) continue;
    ++counted.arrows;
    const ThreadId thread = threads.at(end->second.first);
    const auto span = backwards.find({thread, end->second.second});
    if (span == backwards.end()) continue;
    const auto forward = join.ForwardOf(thread, span->second);
    const bool equal =
        forward && forward->thread == threads.at(begin.first) && forward->start == begin.second;
    counted.equal += equal ? 1 : 0;
  }
  return counted;
}

}  // namespace

TEST_CASE("the innermost operator of a number has made the node") {
  const Profile profile = Threads(2);
  const ThreadId forward{1}, engine{2};
  ForwardJoin join(profile);
  join.Add(forward, Forward(100, 50, 7));
  join.Add(forward, Forward(110, 20, 7));
  join.Add(forward, Forward(500, 20, 8));
  join.Add(forward, Forward(20, 5, -1));
  const HostSpan node = Backward(300, 7, 1), early = Backward(400, 8, 1),
                 lost = Backward(300, 9, 1);
  for (const HostSpan& span : {node, early, lost}) join.Add(engine, span);
  join.Finish();
  CHECK(join.ForwardOf(engine, node) == SpanKey{forward, 110, 20});
  CHECK_FALSE(join.ForwardOf(engine, early));  // its operator comes later
  CHECK_FALSE(join.ForwardOf(engine, lost));
  CHECK_FALSE(join.ForwardOf(forward, Forward(110, 20, 7)));
}

TEST_CASE("threads that count alike are told apart by most of their numbers") {
  const Profile profile = Threads(3);
  ForwardJoin join(profile);
  for (int64_t i = 0; i < 10; ++i) join.Add(ThreadId{1}, Forward(i * 10, 5, i));
  for (int64_t i = 8; i < 10; ++i) join.Add(ThreadId{2}, Forward(i * 10 + 1, 5, i));
  for (int64_t i = 0; i < 10; ++i) join.Add(ThreadId{3}, Backward(1000 + i, i, 4));
  join.Finish();
  CHECK(join.ForwardOf(ThreadId{3}, Backward(1009, 9, 4))->thread == ThreadId{1});
}

// Would take minutes if each backward span were compared with each operator.
TEST_CASE("hundreds of thousands of spans with one sequence number") {
  constexpr int64_t kSpans = 300'000;
  const Profile profile = Threads(3);
  const ThreadId forward{1}, other{2}, engine{3};
  ForwardJoin join(profile);
  for (int64_t i = 0; i < kSpans; ++i) {
    join.Add(forward, Forward(10 * kSpans + 2 * i, 1, 7));
    join.Add(engine, Backward(10 * kSpans + 2 * i + (i < kSpans / 2 ? -20 * kSpans : 1), 7, 1));
  }
  join.Add(other, Forward(40 * kSpans, 1, 7));
  join.Finish();
  int64_t found = 0, right = 0;
  for (int64_t i = 0; i < kSpans; ++i) {
    const int64_t start = 10 * kSpans + 2 * i;
    const auto at = join.ForwardOf(engine, Backward(start + 1, 7, 1));
    found += at ? 1 : 0;
    right += at == SpanKey{forward, start, 1} ? 1 : 0;
  }
  CHECK(found == kSpans);
  CHECK(right == kSpans);
  CHECK_FALSE(join.ForwardOf(engine, Backward(5, 7, 1)));
}

TEST_CASE("sequence numbers of named ranges") {
  CHECK(SequenceOf("aten::addmm, seq = 12, op_id = 345") == 12);
  CHECK(SequenceOf("aten::addmm, op_id = 345") == -1);
  CHECK(SequenceOf("x, seq = -3") == -1);
  CHECK(WithoutNumbers("aten::copy_, seq = 3") == "aten::copy_");
  CHECK(IsBackwardName("AddmmBackward0"));
  CHECK(IsBackwardName("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"));
  CHECK_FALSE(IsBackwardName("aten::embedding_dense_backward"));
  CHECK_FALSE(IsBackwardName("Backward"));
}

TEST_CASE("backward operators of real traces are those of the profiler's arrows") {
  const char* shared = getenv("GPROFX_SHARED");
  const std::filesystem::path folder =
      std::filesystem::path(shared == nullptr ? "" : shared) / "traces" / "kineto_hta";
  if (!std::filesystem::is_directory(folder)) {
    WARN("skipped: no traces in GPROFX_SHARED");
    return;
  }
  size_t traces = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().filename();
    if (!name.starts_with("ns_resolution") && !name.starts_with("nccl_parser")) continue;
    const Counted counted = CompareWithArrows(file.path());
    INFO(name << ": " << counted.equal << " of " << counted.arrows << " arrows");
    CHECK(counted.arrows == (name.starts_with("ns_") ? 905 : 543));
    CHECK(counted.equal * 100 >= counted.arrows * 98);
    ++traces;
  }
  CHECK(traces == 2);
}

}  // namespace gprofx
