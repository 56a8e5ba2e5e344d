#include "core/gpu/gpu.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "core/events/events.h"

namespace gprofx {
namespace {

TEST_CASE("stall reasons fold by name, with or without the prefix and the suffix of CUPTI") {
  const std::pair<const char*, StallClass> expected[] = {
      {"long_scoreboard", StallClass::kMemory},
      {"lg_throttle", StallClass::kMemory},
      {"tex_throttle", StallClass::kMemory},
      {"drain", StallClass::kMemory},
      {"short_scoreboard", StallClass::kShared},
      {"mio_throttle", StallClass::kShared},
      {"barrier", StallClass::kSync},
      {"membar", StallClass::kSync},
      {"warpgroup_arrive", StallClass::kSync},
      {"math_pipe_throttle", StallClass::kCompute},
      {"wait", StallClass::kCompute},
      {"dispatch_stall", StallClass::kCompute},
      {"gmma", StallClass::kCompute},
      {"no_instructions", StallClass::kFrontend},
      {"branch_resolving", StallClass::kFrontend},
      {"imc_miss", StallClass::kFrontend},
      {"selected", StallClass::kIssue},
      {"not_selected", StallClass::kIssue},
      {"misc", StallClass::kOther},
      {"sleeping", StallClass::kOther},
      {"of_a_gpu_to_come", StallClass::kOther},
      {"", StallClass::kOther}};
  const std::string prefix = "smsp__pcsamp_warps_issue_stalled_";
  for (const auto& [name, folded] : expected) {
    INFO(name);
    CHECK(StallClassOf(name) == folded);
    CHECK(StallClassOf(prefix + name) == folded);
    CHECK(StallClassOf(prefix + name + "_not_issued") == folded);
    CHECK(StallClassOf(std::string(name) + "_not_issued") == folded);
  }
  CHECK(StallClassOf("smsp__pcsamp_sample_count") == StallClass::kOther);
}

TEST_CASE("streams of events have numbers in order and distinct names") {
  std::set<std::string> names;
  uint32_t number = static_cast<uint32_t>(Stream::kKernels);
  for (const EventStream& stream : EventStreams()) {
    if (number == static_cast<uint32_t>(Stream::kSteadyValues)) ++number;  // no events
    CHECK(static_cast<uint32_t>(stream.id) == number++);
    CHECK(FindEventStream(stream.id) == &stream);
    CHECK(names.insert(stream.name).second);
    CHECK((stream.columns[0].role == ColumnRole::kTime) == stream.has_times);
    std::set<std::string> columns;
    for (const EventColumn& column : stream.columns) CHECK(columns.insert(column.name).second);
  }
  CHECK(number == 19);
  CHECK(FindEventStream(Stream::kCpuSamples) == nullptr);
  CHECK(EventTable(Stream::kValues).columns() == 0);
}

TEST_CASE("a table of events keeps rows as columns") {
  EventTable table(Stream::kCalls);
  CHECK(table.rows() == 0);
  table.Append(CallEvent{10, 1, ThreadId{2}, NodeId{3}, StringId{4}});
  table.Append(CallEvent{20, -1, ThreadId{2}, NodeId{3}, StringId{4}});
  CHECK(table.rows() == 2);
  CHECK(table.column(column::kCallDuration) == std::vector<int64_t>{1, -1});
  CHECK(table.column(column::kCallKind) == std::vector<int64_t>{4, 4});
  EventTable partly(Stream::kCalls);
  partly.column(column::kCallKind) = {1, 2, 3};
  CHECK(partly.rows() == 3);
  table.Clear();
  CHECK(table.rows() == 0);
}

// Every field has a number of its own: each must be found in the column of its name.
TEST_CASE("the fields of a row are in the columns of their names") {
  EventTable kernels(Stream::kKernels);
  kernels.Append(KernelEvent{1, 2, 3, ThreadId{4}, NodeId{5}, GpuStreamId{6}, GpuConfigId{7}, 8,
                             ~uint64_t{0}});
  for (size_t i = 0; i < 8; ++i) CHECK(kernels.column(i)[0] == static_cast<int64_t>(i + 1));
  CHECK(kernels.column(column::kKernelGraphNode)[0] == -1);
  CHECK(kernels.column(column::kKernelConfig)[0] == 7);
  EventTable copies(Stream::kCopies);
  copies.Append(CopyEvent{1, 2, 3, ThreadId{4}, NodeId{5}, GpuStreamId{6}, 7, 8, 9, 10, 11, 12});
  for (size_t i = 0; i < 12; ++i) CHECK(copies.column(i)[0] == static_cast<int64_t>(i + 1));
  CHECK(copies.column(column::kCopyTarget)[0] == 10);
  EventTable sets(Stream::kSets);
  sets.Append(SetEvent{1, 2, 3, ThreadId{4}, NodeId{5}, GpuStreamId{6}, 7, 8, 9, 10});
  for (size_t i = 0; i < 10; ++i) CHECK(sets.column(i)[0] == static_cast<int64_t>(i + 1));
  EventTable syncs(Stream::kSyncs);
  syncs.Append(SyncEvent{1, 2, ThreadId{3}, NodeId{4}, GpuContextId{5}, 6, 7});
  for (size_t i = 0; i < 7; ++i) CHECK(syncs.column(i)[0] == static_cast<int64_t>(i + 1));
  EventTable overheads(Stream::kOverheads);
  overheads.Append(OverheadEvent{1, 2, ProcessId{3}, 4, 5});
  for (size_t i = 0; i < 5; ++i) CHECK(overheads.column(i)[0] == static_cast<int64_t>(i + 1));
  EventTable pc(Stream::kPcSamples);
  pc.Append(PcEvent{CubinId{1}, FunctionId{2}, 3, StringId{4}, 5, 6, NodeId{7},
                    PcConfidence::kFunctionOnly});
  for (size_t i = 0; i < 7; ++i) CHECK(pc.column(i)[0] == static_cast<int64_t>(i + 1));
  CHECK(pc.column(column::kPcConfidence)[0] == 3);
}

}  // namespace
}  // namespace gprofx
