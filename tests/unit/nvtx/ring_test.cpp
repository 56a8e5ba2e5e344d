// The ring of markers, from its writers to its reader.
#include "samplers/nvtx/ring.h"

#include <sys/mman.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "samplers/collector/markers/stream_reader.h"

namespace gprofx {
namespace {

class Ring {
 public:
  Ring()
      : memory_(mmap(nullptr, kBytes + kGuard, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    mprotect(static_cast<char*>(memory_) + kBytes, kGuard, PROT_NONE);
  }
  ~Ring() { munmap(memory_, kBytes + kGuard); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  wire::MarkerHeader& header() { return *static_cast<wire::MarkerHeader*>(memory_); }
  uint8_t* stream() { return static_cast<uint8_t*>(memory_) + wire::kMarkerHeaderBytes; }

  bool Write(int32_t tid, uint64_t range, const std::string& name) {
    nvtx::Marker marker{wire::kMarkerStart};
    marker.tid = tid;
    marker.range = range;
    marker.name = {name.data(), static_cast<uint32_t>(name.size())};
    marker.domain_name = {"domain", 6};
    return nvtx::Write(&header(), stream(), marker);
  }
  size_t Read(const MarkerStreamReader::Sink& sink) {
    return reader.Read(header(), reinterpret_cast<std::byte*>(stream()),
                       MarkerStreamReader::Head(header()), now, sink);
  }
  size_t Read() {
    return Read([](const MarkerRecord&) {});
  }

  MarkerStreamReader reader;
  HostNs now = 0;

 private:
  static constexpr size_t kBytes = wire::kMarkerHeaderBytes + wire::kMarkerStreamBytes;
  static constexpr size_t kGuard = 1 << 16;
  void* memory_;
};

TEST_CASE("Markers come out as they went in, also around the end of the ring") {
  Ring ring;
  uint64_t read = 0;
  bool same = true;
  for (uint64_t i = 0; i < 400'000; ++i) {
    const std::string name(i * 7919 % 257, static_cast<char>('a' + i % 26));
    REQUIRE(ring.Write(5, i, name));
    if (i % 1000 != 999) continue;
    ring.Read([&](const MarkerRecord& record) {
      const std::string expected(read * 7919 % 257, static_cast<char>('a' + read % 26));
      same = same && record.range == read && record.name == expected &&
             record.domain_name == "domain" && record.tid == 5;
      ++read;
    });
  }
  CHECK(same);
  CHECK(read == 400'000);
  CHECK(ring.header().head > 2 * wire::kMarkerStreamBytes);
  CHECK(ring.reader.bad_records() == 0);
}

TEST_CASE("What finds no room is dropped and counted, and the rest is whole") {
  Ring ring;
  int written = 0;
  while (ring.Write(1, 0, "name")) ++written;
  CHECK(written > 100'000);
  CHECK_FALSE(ring.Write(1, 0, "name"));
  CHECK(ring.header().dropped == 2);
  CHECK(ring.Read() == static_cast<size_t>(written));
  CHECK(ring.Write(1, 0, "name"));
  CHECK(ring.Read() == 1);
}

TEST_CASE("Many threads write at once and nothing is lost or torn") {
  Ring ring;
  constexpr int kThreads = 4;
  constexpr uint64_t kEach = 50'000;
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (int32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 1; i <= kEach; ++i) {
        while (!ring.Write(t, i, "thread " + std::to_string(t))) std::this_thread::yield();
      }
      --running;
    });
  }
  uint64_t next[kThreads] = {};
  bool in_order = true;
  const auto take = [&](const MarkerRecord& record) {
    const auto t = static_cast<size_t>(record.tid);
    in_order = in_order && t < kThreads && record.range == ++next[t] &&
               record.name == "thread " + std::to_string(t);
  };
  while (running > 0) ring.Read(take);
  for (std::thread& thread : threads) thread.join();
  ring.Read(take);
  CHECK(in_order);
  for (const uint64_t count : next) CHECK(count == kEach);
  CHECK(ring.reader.bad_records() == 0);
}

TEST_CASE("A record that is not finished is waited for, and given up in the end") {
  Ring ring;
  ring.Write(1, 1, "one");
  const uint64_t at = ring.header().head;
  ring.Write(1, 2, "two");
  ring.Write(1, 3, "three");
  auto* second = reinterpret_cast<wire::MarkerRecord*>(ring.stream() + at);
  const uint32_t bytes = second->bytes.exchange(0);
  CHECK(ring.Read() == 1);
  CHECK(ring.Read() == 0);
  SECTION("it comes") {
    second->bytes = bytes;
    CHECK(ring.Read() == 2);
  }
  SECTION("its thread was cancelled") {
    ring.now = MarkerStreamReader::kPatience - 1;
    ring.Read();
    CHECK(ring.reader.bad_records() == 0);
    ring.now = MarkerStreamReader::kPatience;
    ring.Read();
    CHECK(ring.reader.bad_records() == 1);
    ring.Write(1, 4, "four");
    CHECK(ring.Read() == 1);
  }
}

TEST_CASE("Markers stay within the ring wherever others say that it ends") {
  Ring ring;
  constexpr uint64_t kSize = wire::kMarkerStreamBytes;
  for (const uint64_t head : {kSize - 3, kSize - 8, 2 * kSize - 1, UINT64_MAX, UINT64_MAX - 63}) {
    for (const uint64_t tail : {uint64_t{0}, head, head + 5, head - kSize, UINT64_MAX}) {
      ring.header().head = head;
      ring.header().tail = tail;
      ring.Write(1, 1, "some name");  // behind the ring nothing is mapped
    }
  }
  CHECK(ring.header().dropped > 0);
}

TEST_CASE("Nonsense in the ring is counted and costs no more than itself") {
  Ring ring;
  const auto put = [&](uint32_t bytes, uint16_t kind, uint16_t name_bytes) {
    const uint64_t at = ring.header().head;
    ring.Write(1, 1, "some name");
    auto* record = reinterpret_cast<wire::MarkerRecord*>(ring.stream() + at);
    record->kind = kind;
    record->name_bytes = name_bytes;
    if (bytes != 0) record->bytes = bytes;
  };
  SECTION("a kind that does not exist") { put(0, 99, 9); }
  SECTION("a name behind the record's end") { put(0, wire::kMarkerPush, 255); }
  SECTION("a name too long") { put(0, wire::kMarkerPush, 60'000); }
  SECTION("a size that is no multiple of eight") { put(41, wire::kMarkerPush, 0); }
  SECTION("a size behind the head") { put(4096, wire::kMarkerPush, 0); }
  SECTION("a pad behind the head") { put(1 << 20, wire::kMarkerPad, 0); }
  SECTION("a head far away") { ring.header().head += uint64_t{1} << 40; }
  CHECK(ring.Read() == 0);
  CHECK(ring.reader.bad_records() == 1);
  ring.Write(1, 2, "next");
  CHECK(ring.Read() == 1);
}

}  // namespace
}  // namespace gprofx
