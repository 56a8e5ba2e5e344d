// Streams of events: from AppendEvents through commits and the clean end to ReadEvents.
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "formats/profile/profile_db.h"
#include "tests/unit/core/random_profile.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
namespace {

using test::ReadEvents;
using test::TempFolder;
using Rows = std::vector<std::vector<int64_t>>;

Rows RowsOf(const EventTable& table) {
  Rows rows(table.rows());
  for (size_t i = 0; i < table.columns(); ++i) {
    for (size_t k = 0; k < rows.size(); ++k) rows[k].push_back(table.column(i)[k]);
  }
  return rows;
}

Rows Sorted(Rows rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

Rows ReadAll(const std::string& path, Stream stream) {
  std::vector<size_t> columns(EventTable(stream).columns());
  std::iota(columns.begin(), columns.end(), size_t{0});
  Rows all;
  const Result<int64_t> count =
      ReadEvents(path, stream, columns, INT64_MIN, INT64_MAX, [&](const EventTable& batch) {
        CHECK(batch.stream() == stream);
        const Rows rows = RowsOf(batch);
        if (stream != Stream::kPcSamples) {
          CHECK(std::is_sorted(batch.column(0).begin(), batch.column(0).end()));
        }
        all.insert(all.end(), rows.begin(), rows.end());
      });
  REQUIRE(count.ok());
  CHECK(*count == static_cast<int64_t>(all.size()));
  return all;
}

TEST_CASE("events of every stream come back, from each commit and from the clean end") {
  TempFolder folder;
  const std::string path = folder / "profile.gprofx";
  const Profile raw = test::RandomProfile(31, 1000);
  const Resolved resolved = Resolve(raw, test::RandomNames(raw));
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  std::vector<Rows> expected(EventStreams().size());
  for (unsigned second = 0; second < 5; ++second) {
    for (size_t i = 0; i < expected.size(); ++i) {
      const EventTable rows =
          test::SomeEvents(raw, EventStreams()[i].id, 200, second * 1000000000LL);
      writer->AppendEvents(rows);
      const Rows list = RowsOf(rows);
      expected[i].insert(expected[i].end(), list.begin(), list.end());
    }
    writer->AppendSamples(test::SomeSamples(raw, 10, second * 1000000000LL));
    if (second == 4) break;  // the last second is still in memory
    REQUIRE(writer->Commit(raw).ok());
    for (size_t i = 0; i < expected.size(); ++i) {
      REQUIRE(Sorted(ReadAll(path, EventStreams()[i].id)) == Sorted(expected[i]));
    }
  }
  REQUIRE(writer->Finish(resolved.profile, resolved.node_of).ok());
  CHECK(LoadProfile(path)->sample_rows == 50);
  for (size_t i = 0; i < expected.size(); ++i) {
    const EventStream& stream = EventStreams()[i];
    for (size_t k = 0; k < stream.columns.size(); ++k) {
      if (stream.columns[k].role != ColumnRole::kNode) continue;
      for (std::vector<int64_t>& row : expected[i]) {
        if (row[k] != 0) row[k] = resolved.node_of[static_cast<size_t>(row[k] - 1)].value;
      }
    }
    CHECK(Sorted(ReadAll(path, stream.id)) == Sorted(expected[i]));
    test::Forge(path,
                "CREATE TABLE test_rows(n); INSERT INTO test_rows SELECT 1/(rows=1000) FROM"
                " stream WHERE id=" +
                    std::to_string(static_cast<uint32_t>(stream.id)) +
                    "; SELECT 1/count(*) FROM test_rows; DROP TABLE test_rows");
  }
}

TEST_CASE("replaced streams are written from the tables, the others from the recording") {
  TempFolder folder;
  const std::string path = folder / "profile.gprofx";
  const Profile profile = test::RandomProfile(32, 100);
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  writer->AppendEvents(test::SomeEvents(profile, Stream::kPcSamples, 300, 0));
  writer->AppendEvents(test::SomeEvents(profile, Stream::kKernels, 300, 0));
  REQUIRE(writer->Commit(profile).ok());
  writer->AppendEvents(test::SomeEvents(profile, Stream::kPcSamples, 300, 0));
  const std::vector<EventTable> replaced = {
      test::SomeEvents(profile, Stream::kPcSamples, 70000, 9)};
  std::vector<NodeId> node_of(profile.nodes.size(), NodeId{1});  // not for replaced streams
  REQUIRE(writer->Finish(profile, node_of, replaced).ok());
  CHECK(Sorted(ReadAll(path, Stream::kPcSamples)) == Sorted(RowsOf(replaced[0])));
  const Rows kernels = ReadAll(path, Stream::kKernels);
  REQUIRE(kernels.size() == 300);
  for (const std::vector<int64_t>& row : kernels) CHECK(row[column::kKernelNode] <= 1);
}

TEST_CASE("a reader gets the columns and the times that it asks for") {
  TempFolder folder;
  const Profile profile = test::RandomProfile(33, 100);
  const std::string path = test::WriteFinished(folder, profile, 10, 70000);
  const auto starts = [&](HostNs begin, HostNs end, std::vector<size_t> columns) {
    int64_t rows = 0;
    const Result<int64_t> count =
        ReadEvents(path, Stream::kKernels, columns, begin, end, [&](const EventTable& batch) {
          rows += static_cast<int64_t>(batch.rows());
          for (size_t i = 0; i < batch.columns(); ++i) {
            const bool is_wanted = std::find(columns.begin(), columns.end(), i) != columns.end();
            CHECK(batch.column(i).size() == (is_wanted ? batch.rows() : 0));
          }
          if (columns[0] != 0) return;
          for (const int64_t start : batch.column(0)) CHECK((start >= begin && start < end));
        });
    REQUIRE(count.ok());
    CHECK(*count == rows);
    return rows;
  };
  CHECK(starts(0, INT64_MAX, {column::kKernelDuration}) == 70000);
  CHECK(starts(1000000, 2000000, {column::kKernelStart, column::kKernelNode}) == 1000);
  CHECK(starts(1000000, 2000000, {column::kKernelNode}) == 1000);
  CHECK(starts(2000000, 1000000, {column::kKernelStart}) == 0);
  const std::vector<size_t> none;
  CHECK(*ReadEvents(path, Stream::kKernels, none, 0, 1000000,
                    [](const EventTable& batch) { CHECK(batch.rows() == 0); }) == 1000);
  CHECK(*ReadEvents(path, Stream::kPcSamples, none, 50, 60, [](const EventTable&) {}) == 70000);
  const std::vector<size_t> beyond = {column::kKernelColumns};
  const auto nothing = [](const EventTable&) {};
  CHECK_FALSE(ReadEvents(path, Stream::kKernels, beyond, 0, 1, nothing).ok());
  CHECK_FALSE(ReadEvents(path, Stream::kCpuSamples, none, 0, 1, nothing).ok());
}

TEST_CASE("events that make no sense are refused by ReadEvents") {
  const std::string refused[] = {
      "UPDATE chunk SET data=zeroblob(100) WHERE stream=3",
      "UPDATE chunk SET codec=2 WHERE stream=3",
      "UPDATE chunk SET data=substr(data,1,length(data)-1) WHERE stream=3",
      "UPDATE chunk SET data=(SELECT data FROM chunk WHERE stream=1) WHERE stream=3",
      "DELETE FROM node WHERE id>3",
      "DELETE FROM thread WHERE id>1",
      "DELETE FROM gpu_stream",
      "DROP TABLE gpu_kernel_config",
  };
  for (const std::string& sql : refused) {
    TempFolder folder;
    const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 50), 100, 100);
    const std::vector<size_t> columns = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const auto nothing = [](const EventTable&) {};
    REQUIRE(*ReadEvents(path, Stream::kKernels, columns, 0, INT64_MAX, nothing) == 100);
    test::Forge(path, sql);
    INFO(sql);
    CHECK_FALSE(ReadEvents(path, Stream::kKernels, columns, 0, INT64_MAX, nothing).ok());
  }
}

TEST_CASE("loading a profile does not look at events") {
  TempFolder folder;
  const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 50), 100, 1000);
  test::Forge(path, "UPDATE chunk SET data=zeroblob(1000), codec=9 WHERE stream>2");
  CHECK(LoadProfile(path).ok());
  CHECK(test::AllSamples(path).size() == 100);
}

TEST_CASE("what no commit takes is bounded, and what is dropped is counted") {
  TempFolder folder;
  const std::string path = folder / "profile.gprofx";
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  std::mt19937_64 random(1);
  EventTable noise(Stream::kPcSamples);  // does not compress: about 50 bytes a row
  for (int i = 0; i < 65536; ++i) {
    const auto number = [&] { return static_cast<int64_t>(random()); };
    PcEvent row;
    row.offset = random();
    row.samples = number();
    row.latency = number();
    noise.Append(row);
    noise.column(column::kPcConfidence).back() = number();
  }
  constexpr int kChunks = 40;
  for (int i = 0; i < kChunks; ++i) writer->AppendEvents(noise);
  writer->AppendSamples(test::SomeSamples(test::RandomProfile(1, 50), 10, 0));
  const Profile profile = test::RandomProfile(1, 50);
  REQUIRE(writer->Commit(profile).ok());
  const auto check = [&] {
    const int64_t dropped = LoadProfile(path)->quality.at("pc_samples_rows_dropped");
    CHECK(dropped > 0);
    CHECK(dropped < kChunks * 65536);
    CHECK(*ReadEvents(path, Stream::kPcSamples, {}, 0, 1, [](const EventTable&) {}) ==
          kChunks * 65536 - dropped);
  };
  check();
  REQUIRE(writer->Finish(profile, {}).ok());
  check();
}

// Kernels as a training job has them: 6,000 a second, 400 launch sites in the order of the model,
// durations that repeat with some noise.
TEST_CASE("a kernel costs at most 20 bytes") {
  TempFolder folder;
  const Profile profile = test::RandomProfile(7, 20000, 16);
  struct stat info;
  const std::string bare = test::WriteFinished(folder, profile, 0);
  REQUIRE(stat(bare.c_str(), &info) == 0);
  const int64_t bare_size = info.st_size;
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.03);
  const std::string path = folder / "kernels.gprofx";
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  HostNs time = 0, launch = 0;
  constexpr int kKernels = 200000;
  EventTable kernels(Stream::kKernels);
  for (int i = 0; i < kKernels; ++i) {
    const int site = i % 400;
    launch += 100000 + static_cast<HostNs>(random() % 60000);
    time = std::max(time, launch + 4000) + static_cast<HostNs>(random() % 2000);
    const auto duration = static_cast<HostNs>((2000 + site * 997 % 150000) * (1 + noise(random)));
    const auto number = static_cast<uint32_t>(site);
    KernelEvent row{time, duration, launch, ThreadId{1 + number % 2}, NodeId{1000 + number * 37}};
    row.stream = GpuStreamId{1};
    row.config = GpuConfigId{1 + number % 8};
    row.correlation = static_cast<uint32_t>(1000 + 3 * i);
    kernels.Append(row);
    time += duration;
  }
  writer->AppendEvents(kernels);
  REQUIRE(writer->Finish(profile, {}).ok());
  REQUIRE(stat(path.c_str(), &info) == 0);
  const double bytes = static_cast<double>(info.st_size - bare_size) / kKernels;
  INFO(bytes);
  CHECK(bytes <= 20);
}

}  // namespace
}  // namespace gprofx
