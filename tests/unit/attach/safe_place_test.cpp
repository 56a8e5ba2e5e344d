#include "samplers/attach/safe_place.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <catch2/catch.hpp>

#include <initializer_list>
#include <vector>

using namespace gprofx;
using namespace gprofx::attach;

namespace {

bool Waits(int64_t number, uint64_t first = 0, uint64_t second = 0, const char* file = "") {
  return WaitsHarmlessly({number, first, second}, [=](uint64_t) { return std::string(file); });
}

}  // namespace

TEST_CASE("calls that wait, and that no owner of a lock of the C library makes") {
  CHECK(Waits(SYS_poll));
  CHECK(Waits(SYS_clock_nanosleep));
  CHECK(Waits(SYS_futex, 0, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME));
  CHECK(Waits(SYS_read, 3, 0, "pipe:[77]"));
  // A lock of the allocator waits like this.
  CHECK(!Waits(SYS_futex, 0, FUTEX_WAIT | FUTEX_PRIVATE_FLAG));
  // The loader reads files, the allocator maps memory.
  CHECK(!Waits(SYS_read, 3, 0, "/usr/lib/libm.so.6"));
  CHECK(!Waits(SYS_sched_yield));  // a lock that spins
  CHECK(AllocatorsSleepBy(SYS_nanosleep));
  CHECK(!AllocatorsSleepBy(SYS_poll));
  CHECK(!Waits(SYS_mmap));
  CHECK(!Waits(SYS_brk));
  CHECK(!Waits(SYS_clone));
  CHECK(!Waits(SYS_execve));
}

TEST_CASE("a call that goes on after a stop is known by the code that made it") {
  const auto number = [](std::initializer_list<int> bytes) {
    std::vector<std::byte> code;
    for (const int byte : bytes) code.push_back(static_cast<std::byte>(byte));
    return NumberOfRestarted(code);
  };
  CHECK(number({0x90, 0xb8, 0x07, 0, 0, 0, 0x0f, 0x05}) == SYS_poll);
  // xor $0x80, %sil between them
  CHECK(number({0xb8, 0xca, 0, 0, 0, 0x40, 0x80, 0xf6, 0x80, 0x0f, 0x05}) == SYS_futex);
  CHECK(number({0xb8, 0xe6, 0, 0, 0, 0x0f, 0x05}) == SYS_clock_nanosleep);
  CHECK(number({0xb8, 0x07, 0, 0, 0, 0xb8, 0x09, 0, 0, 0, 0x0f, 0x05}) ==
        SYS_poll);  // mmap is never continued
  // a number from a register: what asks for the most
  CHECK(number({0x48, 0x89, 0xf8, 0x0f, 0x05}) == SYS_clock_nanosleep);
  CHECK(AllocatorsSleepBy(number({0x0f, 0x05})));
}

TEST_CASE("a thread is used in its own code, or in such a call") {
  CHECK(IsSafePlace(Room::kProgram, false, false));
  CHECK(!IsSafePlace(Room::kCLibrary, false, false));
  CHECK(!IsSafePlace(Room::kLocked, false, false));
  CHECK(!IsSafePlace(Room::kNowhere, false, false));
  CHECK(IsSafePlace(Room::kCLibrary, true, true));
  CHECK(!IsSafePlace(Room::kCLibrary, true, false));
  CHECK(!IsSafePlace(Room::kLocked, true, true));  // the loader's own calls
}

TEST_CASE("calls that end when a tracer stops them") {
  CHECK(EndsByStop(SYS_epoll_wait));
  CHECK(EndsByStop(SYS_rt_sigtimedwait));
  CHECK(!EndsByStop(SYS_poll));
  CHECK(!EndsByStop(SYS_read));
  // Only with a timeout of the socket; nothing was read then.
  CHECK(IsMadeAgain(SYS_read));
  CHECK(IsMadeAgain(SYS_recvfrom));
  CHECK(IsMadeAgain(SYS_epoll_wait));
  CHECK(!IsMadeAgain(SYS_close));      // its descriptor is gone
  CHECK(!IsMadeAgain(SYS_nanosleep));  // the kernel goes on with what is left
}
