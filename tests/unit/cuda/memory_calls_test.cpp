#include "samplers/cuda/hooks/memory_calls.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace gprofx;
using namespace gprofx::cuda;

namespace {

std::optional<wire::MemoryEvent> Ended(MemoryCall call, std::vector<uint64_t> words) {
  CHECK_FALSE(EventOfCall(call, true, false, words.data()));
  CHECK_FALSE(EventOfCall(call, false, true, words.data()));  // it failed
  return EventOfCall(call, false, false, words.data());
}
std::optional<wire::MemoryEvent> Begun(MemoryCall call, std::vector<uint64_t> words) {
  CHECK_FALSE(EventOfCall(call, false, false, words.data()));
  return EventOfCall(call, true, false, words.data());
}
uint64_t At(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

}  // namespace

TEST_CASE("memory of the device is told by names, that of the host is not") {
  CHECK(MemoryCallOfName("cuMemAlloc_v2") == MemoryCall::kAlloc);
  CHECK(MemoryCallOfName("cuMemAllocManaged") == MemoryCall::kAlloc);
  CHECK(MemoryCallOfName("cuMemAllocPitch_v2") == MemoryCall::kAllocPitch);
  CHECK(MemoryCallOfName("cuMemAllocAsync_ptsz") == MemoryCall::kPoolAlloc);
  CHECK(MemoryCallOfName("cuMemAllocFromPoolAsync") == MemoryCall::kPoolAlloc);
  CHECK(MemoryCallOfName("cuMemFree_v2") == MemoryCall::kFree);
  CHECK(MemoryCallOfName("cuMemFreeAsync_ptsz") == MemoryCall::kPoolFree);
  CHECK(MemoryCallOfName("cuMemCreate") == MemoryCall::kCreate);
  CHECK(MemoryCallOfName("cuMemMap") == MemoryCall::kMap);
  CHECK(MemoryCallOfName("cuMemUnmap") == MemoryCall::kUnmap);
  for (const char* other : {"cuMemAllocHost_v2", "cuMemHostAlloc", "cuMemFreeHost", "cuMemAlloc",
                            "cuMemMapArrayAsync", "cuMemcpy", "_ptsz", ""})
    CHECK(MemoryCallOfName(other) == MemoryCall::kNone);
}

TEST_CASE("an allocation is told after the call, with its address; a free before it") {
  uint64_t address = 0x7000, pitch = 512;
  auto event = Ended(MemoryCall::kAlloc, {At(&address), 100, 0});
  REQUIRE(event);
  CHECK((event->kind == wire::kMemoryAlloc && event->address == 0x7000 && event->bytes == 100));
  event = Ended(MemoryCall::kAllocPitch, {At(&address), At(&pitch), 500, 4, 4});
  REQUIRE(event);
  CHECK(event->bytes == 2048);
  event = Ended(MemoryCall::kPoolAlloc, {At(&address), 7});
  REQUIRE(event);
  CHECK(event->kind == wire::kMemoryPoolAlloc);
  event = Begun(MemoryCall::kFree, {0x7000});
  REQUIRE(event);
  CHECK((event->kind == wire::kMemoryFree && event->address == 0x7000));
  CHECK_FALSE(EventOfCall(MemoryCall::kFree, true, false, std::vector<uint64_t>{0}.data()));
  address = 0;
  CHECK_FALSE(Ended(MemoryCall::kAlloc, {At(&address), 0, 0}));
  CHECK_FALSE(EventOfCall(MemoryCall::kAlloc, false, false, nullptr));
}

TEST_CASE("physical memory says its device; that of the host is left out") {
  uint64_t handle = 42;
  uint32_t properties[8] = {1, 0, 1, 3};  // pinned, no handle, on device 3
  auto event = Ended(MemoryCall::kCreate, {At(&handle), 4096, At(properties), 0});
  REQUIRE(event);
  CHECK((event->address == 42 && event->device == 3 && event->bytes == 4096));
  properties[2] = 2;
  CHECK_FALSE(Ended(MemoryCall::kCreate, {At(&handle), 4096, At(properties), 0}));
  event = Ended(MemoryCall::kMap, {0x9000, 4096, 0, 42, 0});
  REQUIRE(event);
  CHECK((event->kind == wire::kMemoryMap && event->other == 42 && event->address == 0x9000));
  CHECK(Begun(MemoryCall::kUnmap, {0x9000, 4096})->bytes == 4096);
  CHECK(Begun(MemoryCall::kRelease, {42})->kind == wire::kMemoryRelease);
}
