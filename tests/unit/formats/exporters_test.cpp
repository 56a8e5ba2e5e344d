// What the exporters share: texts and numbers, rows without overlap, events by lane, the range.
// What each format says is tested by its readers in tests/e2e.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "formats/exporters/exporter.h"
#include "formats/exporters/gpu_work.h"
#include "formats/exporters/lane_rows.h"
#include "formats/exporters/protobuf.h"
#include "formats/exporters/text.h"
#include "formats/profile/profile_db.h"
#include "tests/unit/formats/test_support.h"

using namespace gprofx;
using namespace gprofx::exporters;
using test::TempFolder;

namespace {

std::string Decimal(int64_t number, int places) {
  std::string out;
  AppendDecimal(out, number, places);
  return out;
}

std::string JsonOf(std::string_view text) {
  std::string out;
  AppendJson(out, text);
  return out;
}

// Two samples and three kernels: one before 100, one across it, one behind it.
void WriteProfile(const std::string& path) {
  Profile profile;
  profile.processes.push_back({1, 0, profile.Intern("p"), profile.Intern("p")});
  profile.threads.push_back({ProcessId{1}, 1, profile.Intern("t")});
  profile.gpu.contexts.push_back({ProcessId{1}, {}, 1});
  profile.gpu.streams.push_back({GpuContextId{1}, 7, 0});
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer);
  const std::vector<SampleRow> samples = {{50, ThreadId{1}, profile.root(), 10, 0},
                                          {150, ThreadId{1}, profile.root(), 20, 0}};
  writer->AppendSamples(samples);
  EventTable kernels(Stream::kKernels);
  for (const auto& [start, duration] : {std::pair{10, 20}, {90, 30}, {130, 40}}) {
    KernelEvent event;
    event.start = start, event.duration = duration, event.stream = GpuStreamId{1};
    kernels.Append(event);
  }
  writer->AppendEvents(kernels);
  EventTable calls(Stream::kCalls), markers(Stream::kMarkers);
  calls.Append(CallEvent{20, 10, ThreadId{1}, profile.root(), profile.Intern("cuMemAlloc")});
  writer->AppendEvents(calls);
  markers.Append(MarkerEvent{5, 100, ThreadId{1}, profile.Intern("step"), profile.Intern("nvtx")});
  markers.Append(MarkerEvent{60, 0, ThreadId{1}, profile.Intern("mark"), {}});
  writer->AppendEvents(markers);
  profile.sample_rows = 2;
  REQUIRE(writer->Finish(profile, {}));
}

int64_t WorkNs(const ExportJob& job) {
  int64_t sum = 0;
  REQUIRE(ForEachGpuWork(job, [&](const GpuWork& work) { sum += work.duration; }));
  return sum;
}

}  // namespace

TEST_CASE("decimals are exact, also at the limits") {
  CHECK(Decimal(0, 6) == "0");
  CHECK(Decimal(1'500'000, 6) == "1.5");
  CHECK(Decimal(1, 6) == "0.000001");
  CHECK(Decimal(-1'000'001, 3) == "-1000.001");
  CHECK(Decimal(INT64_MAX, 3) == "9223372036854775.807");
  CHECK(Decimal(INT64_MIN, 3) == "-9223372036854775.808");
}

TEST_CASE("a JSON string is one whatever the bytes") {
  CHECK(JsonOf("a\"b\\c\n\t\x01\x7f") == "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\"");
  CHECK(JsonOf(std::string_view("a\0b", 3)) == "\"a\\u0000b\"");
  CHECK(JsonOf("\xF0\x9F\x98\x80") == "\"\xF0\x9F\x98\x80\"");
  const std::string lost = "\xEF\xBF\xBD";
  CHECK(JsonOf("\xC0\x80") == "\"" + lost + lost + "\"");             // overlong
  CHECK(JsonOf("\xED\xA0\x80") == "\"" + lost + lost + lost + "\"");  // a surrogate
  CHECK(JsonOf("x\xE2\x82") == "\"x" + lost + lost + "\"");           // cut off
  CHECK(JsonOf("\xF4\x90\x80\x80") == "\"" + lost + lost + lost + lost + "\"");
}

TEST_CASE("what a line cannot hold is escaped") {
  CHECK(LineText("a;b\\c\nd", ";") == "a\\x3bb\\x5cc\\x0ad");
  CHECK(LineText("a;b") == "a;b");
}

TEST_CASE("a protobuf number takes the bytes that it needs") {
  std::string out;
  protobuf::Number(out, 1, 300);
  CHECK(out == "\x08\xAC\x02");
  out.clear();
  protobuf::Signed(out, 2, -1);
  CHECK(out == "\x10\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01");
  out.clear();
  protobuf::Double(out, 57, 1.0);
  CHECK(out == std::string("\xC9\x03\0\0\0\0\0\0\xF0\x3F", 10));
}

TEST_CASE("what overlaps has a row of its own") {
  Rows rows;
  CHECK(rows.Place(0, 10) == 0);
  CHECK(rows.Place(10, 20) == 0);
  CHECK(rows.Place(15, 30) == 1);
  CHECK(rows.Place(20, 25) == 0);
  CHECK(rows.Place(5, 6) == 2);  // out of order
  for (int i = 0; i < 1000; ++i) CHECK(rows.Place(40, 50) < Rows::kMaxRows);
}

TEST_CASE("a lane gives its rows in the order of time, however little is held") {
  const std::vector<std::pair<uint32_t, TimedRow>> all = {{0, {5, 1, 1, 0}},
                                                          {2, {3, 1, 2, 0}},
                                                          {0, {6, 1, 3, 0}},
                                                          {2, {1, 1, 4, 0}},
                                                          {1, {9, 1, 5, 0}}};
  for (const size_t most : {size_t{2}, size_t{3}, size_t{100}}) {
    LaneRows lanes(
        [&](const LaneRows::Sink& sink) {
          for (const auto& [lane, row] : all) sink(lane, row);
          return Ok();
        },
        4, most);
    REQUIRE(lanes.Count());
    CHECK(lanes.rows(0) == 2);
    CHECK(lanes.rows(3) == 0);
    std::string order;
    for (const uint32_t lane : {0u, 1u, 2u, 0u, 3u}) {
      REQUIRE(lanes.Each(lane, [&](const TimedRow& row) { order += std::to_string(row.node); }));
    }
    CHECK(order == "1354213");
  }
  // Of a lane that is larger than what may be held the order is the file's.
  LaneRows one(
      [&](const LaneRows::Sink& sink) {
        return sink(0, all[0].second), sink(0, all[1].second), Ok();
      },
      1, 1);
  REQUIRE(one.Count());
  std::string order;
  REQUIRE(one.Each(0, [&](const TimedRow& row) { order += std::to_string(row.node); }));
  CHECK(order == "12");
}

TEST_CASE("Calls and ranges of host threads are cut at the range that is exported") {
  const TempFolder folder;
  const std::string path = folder / "a.gprofx";
  WriteProfile(path);
  const Result<ProfileReader> reader = ProfileReader::Open(path);
  REQUIRE(reader);
  const Result<Profile> profile = reader->Load();
  REQUIRE(profile);
  ExportJob job{*profile, *reader};
  const auto marks = [&] {
    std::string said;
    REQUIRE(ForEachHostMark(job, [&](const HostMark& mark) {
      said += std::string(profile->Text(mark.name)) + std::string(profile->Text(mark.domain)) +
              (mark.kind == HostMark::Kind::kRange ? " range " : " call ") +
              std::to_string(mark.start) + "+" + std::to_string(mark.duration) + ";";
    }));
    return said;
  };
  CHECK(marks() == "cuMemAlloc call 20+10;stepnvtx range 5+100;mark range 60+0;");
  job.begin = 25, job.end = 50;
  CHECK(marks() == "cuMemAlloc call 25+5;stepnvtx range 25+25;");
  job.begin = 50, job.end = 70;
  CHECK(marks() == "stepnvtx range 50+20;mark range 60+0;");
}

TEST_CASE("GPU work is cut at the range that is exported") {
  const TempFolder folder;
  const std::string path = folder / "a.gprofx";
  WriteProfile(path);
  const Result<ProfileReader> reader = ProfileReader::Open(path);
  REQUIRE(reader);
  const Result<Profile> profile = reader->Load();
  REQUIRE(profile);
  ExportJob job{*profile, *reader};
  CHECK(WorkNs(job) == 90);
  job.end = 100;
  CHECK(WorkNs(job) == 30);
  job.begin = 100, job.end = 150;
  CHECK(WorkNs(job) == 40);
  LaneRows samples = SampleLanes(job);
  REQUIRE(samples.Count());
  CHECK(samples.rows(1) == 0);
  job.end = 151;
  LaneRows more = SampleLanes(job);
  REQUIRE(more.Count());
  CHECK(more.rows(1) == 1);
}
