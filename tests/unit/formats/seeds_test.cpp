// Not a check but the source of the fuzz corpora, run on request:
//   GPROFX_SEEDS=tests/fuzz/corpus formats_test '[.seeds]'
#include <catch2/catch.hpp>
#include <cstdlib>

#include "formats/database/event_chunk.h"
#include "formats/database/sample_chunk.h"
#include "formats/database/value_chunk.h"
#include "tests/unit/core/random_profile.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
namespace {

void WriteSeed(const std::string& path, const std::vector<std::byte>& data) {
  test::WriteBytes(path, {reinterpret_cast<const char*>(data.data()), data.size()});
}

TEST_CASE("seeds of the fuzz targets chunk and profile_db", "[.seeds]") {
  const char* folder = getenv("GPROFX_SEEDS");
  REQUIRE(folder != nullptr);
  const std::string corpus = folder;
  const Profile profile = test::RandomProfile(1, 40);
  for (const size_t count : {1, 20, 300}) {
    std::vector<SampleRow> rows = test::SomeSamples(profile, count, 1000);
    WriteSeed(corpus + "/chunk/samples-" + std::to_string(count), EncodeSamples(rows).data);
    const std::span values =
        std::span(profile.values).first(std::min(count, profile.values.size()));
    EventTable kernels = test::SomeEvents(profile, Stream::kKernels, count, 1000);
    WriteSeed(corpus + "/chunk/kernels-" + std::to_string(count), EncodeEvents(kernels).data);
    WriteSeed(corpus + "/chunk/values-" + std::to_string(count), EncodeValues(values));
  }
  for (const bool finished : {false, true}) {
    test::TempFolder scratch;
    const std::string path = test::WriteFinished(scratch, profile, 50, 20);
    if (!finished) {
      Result<ProfileWriter> writer = ProfileWriter::Create(path);
      REQUIRE(writer.ok());
      writer->AppendSamples(test::SomeSamples(profile, 50, 1000));
      for (const EventStream& stream : EventStreams()) {
        writer->AppendEvents(test::SomeEvents(profile, stream.id, 20, 1000));
      }
      REQUIRE(writer->Commit(profile).ok());
    }
    // Small pages make small seeds, in which more of the bytes matter.
    test::Forge(path, "PRAGMA page_size=512; VACUUM");
    const std::string bytes = test::ReadBytes(path);
    test::WriteBytes(corpus + "/profile_db/" + (finished ? "finished" : "unfinished"), bytes);
  }
}

}  // namespace
}  // namespace gprofx
