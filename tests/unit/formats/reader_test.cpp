// One open file is one state: what a reader gives belongs together.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <numeric>

#include "formats/profile/profile_db.h"
#include "tests/unit/core/random_profile.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
namespace {

using test::TempFolder;

std::vector<int64_t> NodesOfKernels(const ProfileReader& reader) {
  std::vector<int64_t> nodes;
  const std::vector<size_t> columns = {column::kKernelNode};
  const auto rows =
      reader.Events(Stream::kKernels, columns, INT64_MIN, INT64_MAX, [&](const EventTable& batch) {
        const std::vector<int64_t>& column = batch.column(column::kKernelNode);
        nodes.insert(nodes.end(), column.begin(), column.end());
      });
  INFO((rows ? "" : rows.error().Text()));
  REQUIRE(rows.ok());
  return nodes;
}

TEST_CASE("a reader keeps its state when the clean end replaces the file") {
  TempFolder folder;
  const std::string path = folder / "profile.gprofx";
  const Profile raw = test::RandomProfile(51, 400);
  const Resolved resolved = Resolve(raw, test::RandomNames(raw));
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  EventTable kernels(Stream::kKernels);
  for (int64_t i = 1; i <= 400; ++i) {
    KernelEvent row;
    row.start = i;
    row.duration = 1;
    row.thread = ThreadId{1};
    row.node = NodeId{static_cast<uint32_t>(i)};
    row.stream = GpuStreamId{1};
    row.config = GpuConfigId{1};
    row.correlation = static_cast<uint32_t>(i);
    kernels.Append(row);
  }
  writer->AppendEvents(kernels);
  writer->AppendSamples(test::SomeSamples(raw, 100, 0));
  REQUIRE(writer->Commit(raw).ok());

  const Result<ProfileReader> before = ProfileReader::Open(path);
  REQUIRE(before.ok());
  const Result<Profile> profile = before->Load();
  REQUIRE(profile.ok());
  REQUIRE(writer->Finish(resolved.profile, resolved.node_of).ok());
  const Result<ProfileReader> after = ProfileReader::Open(path);
  REQUIRE(after.ok());
  CHECK(after->Load()->nodes.size() == resolved.profile.nodes.size());

  std::vector<int64_t> as_recorded(400), as_resolved;
  std::iota(as_recorded.begin(), as_recorded.end(), 1);
  for (const NodeId node : resolved.node_of) as_resolved.push_back(node.value);
  REQUIRE(as_recorded != as_resolved);
  CHECK(NodesOfKernels(*before) == as_recorded);
  CHECK(NodesOfKernels(*after) == as_resolved);
  CHECK(profile->nodes == raw.nodes);
  CHECK(before->Load()->meta.at("complete") == "no");
  CHECK(before->Cubins()->size() == raw.gpu.cubins.size());
  unlink(path.c_str());
  CHECK(NodesOfKernels(*before) == as_recorded);
  CHECK(*before->Samples(0, INT64_MAX, [](std::span<const SampleRow>) {}) == 100);
}

TEST_CASE("no commit comes between two reads of a reader, and it comes after it") {
  TempFolder folder;
  const std::string path = folder / "profile.gprofx";
  Profile profile = test::RandomProfile(52, 50);
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  REQUIRE(writer->Commit(profile).ok());
  {
    const Result<ProfileReader> reader = ProfileReader::Open(path);
    REQUIRE(reader.ok());
    profile.gpu.cubins.push_back({9, {}});
    CHECK_FALSE(writer->Commit(profile).ok());
    {
      // Another reader of this process that goes does not take the first one's lock with it.
      const Result<ProfileReader> other = ProfileReader::Open(path);
      REQUIRE(other.ok());
    }
    CHECK_FALSE(writer->Commit(profile).ok());
    CHECK(reader->Cubins()->size() == 2);
    CHECK(reader->Load()->nodes == profile.nodes);
  }
  REQUIRE(writer->Commit(profile).ok());
  CHECK(test::ReadCubins(path)->size() == 3);
}

TEST_CASE("a file may be named by a link") {
  TempFolder folder;
  const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 50), 10);
  REQUIRE(symlink(path.c_str(), (folder / "link").c_str()) == 0);
  CHECK(LoadProfile(folder / "link").ok());
}

}  // namespace
}  // namespace gprofx
