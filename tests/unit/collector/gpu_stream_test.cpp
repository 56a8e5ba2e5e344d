#include "samplers/collector/gpu/stream_reader.h"

#include <catch2/catch.hpp>

#include "samplers/collector/gpu/decode.h"
#include "tests/unit/collector/fake_region.h"
#include "tests/unit/collector/gpu_stream.h"

namespace gprofx {
namespace {

struct Bench {
  size_t Read() {
    return reader.Read(writer.header(), writer.stream(), GpuStreamReader::Head(writer.header()),
                       [this](std::span<const std::byte> record) {
                         got.emplace_back(record.begin(), record.end());
                       });
  }
  void PutHeader(uint64_t at, wire::GpuRecord record) {
    std::memcpy(writer.stream() + at, &record, sizeof record);
  }

  test::FakeRegion region;
  test::StreamWriter writer{region.memory()};
  GpuStreamReader reader;
  std::vector<test::Bytes> got;
};

TEST_CASE("GPU records come out as they went in, also around the end of the ring") {
  Bench bench;
  uint64_t written = 0, read = 0;
  std::string last;
  // Odd sizes, so that the end of the ring is met with every kind of rest.
  for (int i = 0; written < 3 * wire::kGpuStreamBytes; ++i) {
    last = std::string(static_cast<size_t>(i * 7919 % 60'000), static_cast<char>('a' + i % 26));
    const test::Bytes record = test::TextRecord(wire::kGpuName, static_cast<uint32_t>(i), last);
    bench.writer.Write(record);
    written += record.size();
    if (i % 50 == 49) {
      bench.got.clear();
      read += bench.Read();
      REQUIRE(bench.got.size() == 50);
      REQUIRE(bench.got.back() == record);
    }
  }
  CHECK(read > 1000);
  CHECK(bench.reader.bad_records() == 0);
  CHECK(bench.Read() < 50);
  CHECK(bench.writer.header().tail == bench.writer.header().head);
}

TEST_CASE("Only what lies before the head that was taken is read") {
  Bench bench;
  bench.writer.Write(test::TextRecord(wire::kGpuName, 1, "one"));
  const uint64_t head = GpuStreamReader::Head(bench.writer.header());
  bench.writer.Write(test::TextRecord(wire::kGpuName, 2, "two"));
  int count = 0;
  bench.reader.Read(bench.writer.header(), bench.writer.stream(), head, [&](auto) { ++count; });
  CHECK(count == 1);
  CHECK(bench.Read() == 1);
}

TEST_CASE("Records of impossible size end the look and are counted") {
  const uint32_t sizes[] = {0, 4, 7, 12, 1u << 17, 0xffffffff, 0xfffffff8};
  for (const uint32_t bytes : sizes) {
    INFO(bytes);
    Bench bench;
    bench.writer.header().head = 1 << 18;
    bench.PutHeader(0, {wire::kGpuKernel, 0, bytes});
    CHECK(bench.Read() == 0);
    CHECK(bench.reader.bad_records() == 1);
    // The stream goes on with what is written next.
    bench.writer.Write(test::TextRecord(wire::kGpuName, 1, "good"));
    CHECK(bench.Read() == 1);
    CHECK(bench.reader.bad_records() == 1);
  }
}

TEST_CASE("A record may not reach beyond the head or the end of the ring") {
  Bench bench;
  bench.writer.header().head = 16;
  bench.PutHeader(0, {wire::kGpuKernel, 0, 24});
  CHECK(bench.Read() == 0);
  CHECK(bench.reader.bad_records() == 1);

  Bench wraps;
  uint64_t at = 0;
  for (; at + 65'536 < wire::kGpuStreamBytes; at += 65'536) {
    wraps.PutHeader(at, {wire::kGpuPad, 0, 65'536});
  }
  wraps.PutHeader(at, {wire::kGpuPad, 0, 65'528});
  wraps.PutHeader(wire::kGpuStreamBytes - 8, {wire::kGpuKernel, 0, 96});
  wraps.writer.header().head = wire::kGpuStreamBytes + 200;
  CHECK(wraps.Read() == 0);
  // The head is more than a ring away from the start, so nothing in it can be believed; and again
  // with a head that can be.
  CHECK(wraps.reader.bad_records() == 1);
  wraps.writer.header().head = 2 * wire::kGpuStreamBytes;
  wraps.PutHeader(200, {wire::kGpuPad, 0, 65'536 - 200});
  CHECK(wraps.Read() == 0);
  CHECK(wraps.reader.bad_records() == 2);
}

TEST_CASE("A head that jumps or runs backwards is counted, and the tail in shared memory is ours") {
  Bench bench;
  bench.writer.header().head = ~uint64_t{0} - 7;
  CHECK(bench.Read() == 0);
  CHECK(bench.reader.bad_records() == 1);
  bench.writer.header().head = 0;
  bench.Read();
  CHECK(bench.writer.header().tail == 0);
  bench.writer.header().tail = 12345;  // the target scribbles
  bench.writer.Write(test::TextRecord(wire::kGpuName, 1, "good"));
  CHECK(bench.Read() == 1);
  CHECK(bench.writer.header().tail == bench.writer.header().head);
}

TEST_CASE("Short records and texts longer than their record have no content") {
  const test::Bytes whole = test::KernelRecord(1, 2, 3, 4);
  CHECK(DecodeGpu<wire::GpuKernelRecord>(whole)->end == 4);
  for (size_t n = 0; n < whole.size(); ++n) {
    CHECK_FALSE(DecodeGpu<wire::GpuKernelRecord>(std::span(whole).first(n)));
  }
  const test::Bytes text = test::TextRecord(wire::kGpuName, 1, "abc");
  CHECK(TextBehind<wire::GpuTextRecord>(text, 3) == "abc");
  CHECK_FALSE(TextBehind<wire::GpuTextRecord>(text, 9));
  CHECK_FALSE(TextBehind<wire::GpuTextRecord>(text, 0xffffffff));
  CHECK(GpuTypeOf({}) == wire::kGpuPad);
}

}  // namespace
}  // namespace gprofx
