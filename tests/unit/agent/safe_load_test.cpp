#include "samplers/agent/signals/safe_load.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "samplers/agent/signals/fault.h"
#include "tests/unit/agent/emulator.h"

using namespace gprofx::agent;

namespace {

void OnFault(int, siginfo_t*, void* context) {
  if (!ResumeSafeLoad(context)) _exit(99);
}

struct Installed {
  struct sigaction old_segv, old_bus;
  Installed() {
    struct sigaction action {};
    action.sa_sigaction = OnFault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &old_segv);
    sigaction(SIGBUS, &action, &old_bus);
  }
  ~Installed() {
    sigaction(SIGSEGV, &old_segv, nullptr);
    sigaction(SIGBUS, &old_bus, nullptr);
  }
};

template <class T>
void CheckBad(uint64_t address) {
  T value = 1;
  CHECK_FALSE(SafeLoad(address, &value));
  CHECK(value == 0);
}

}  // namespace

TEST_CASE("loads from good and bad addresses") {
  Installed handlers;
  auto* page = static_cast<char*>(
      mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  munmap(page + 4096, 4096);
  const uint64_t at = reinterpret_cast<uint64_t>(page);
  const uint64_t word = 0x8877665544332211;
  std::memcpy(page, &word, 8);
  uint64_t eight = 0;
  uint32_t four = 0;
  uint16_t two = 0;
  int8_t one = 0;
  CHECK((SafeLoad(at, &eight) && eight == word));
  CHECK((SafeLoad(at + 4, &four) && four == 0x88776655));
  CHECK((SafeLoad(at + 1, &two) && two == 0x3322));
  CHECK((SafeLoad(at + 7, &one) && one == static_cast<int8_t>(0x88)));
  for (uint64_t bad :
       {uint64_t{0}, uint64_t{8}, at + 4096, at + 4090, uint64_t{0xdead} << 48, ~uint64_t{0} - 7,
        uint64_t{0x8000000000000000}, uint64_t{0x00007ffffffff000}}) {
    CheckBad<uint64_t>(bad);
  }
  CheckBad<uint8_t>(at + 4096);
  CheckBad<uint16_t>(at + 4095);
  CheckBad<uint32_t>(at + 4093);
  char copy[16] = {};
  CHECK(SafeCopy(copy, at, 11));
  CHECK(std::memcmp(copy, page, 11) == 0);
  CHECK_FALSE(SafeCopy(copy, at + 4088, 16));
  mprotect(page, 4096, PROT_NONE);
  CheckBad<uint64_t>(at);
  munmap(page, 4096);
}

TEST_CASE("a fault elsewhere is not ours") {
  ucontext_t context{};
  auto& ip = machine::InstructionPointerOf(context);
  ip = static_cast<std::remove_reference_t<decltype(ip)>>(reinterpret_cast<intptr_t>(&OnFault));
  CHECK_FALSE(ResumeSafeLoad(&context));
}

TEST_CASE("while copies are used nothing faults, and the answers are the same") {
  if (LacksCopies()) return;
  // No handler is installed: a fault would end the test.
  const long page = sysconf(_SC_PAGESIZE);
  auto* memory =
      static_cast<char*>(mmap(nullptr, 2 * static_cast<size_t>(page), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(memory + page, static_cast<size_t>(page), PROT_NONE);
  const auto begin = reinterpret_cast<uint64_t>(memory);
  const uint64_t end = begin + static_cast<uint64_t>(page);
  *reinterpret_cast<uint64_t*>(memory + page - 8) = 0x1122334455667788;
  static CopiedMemory copies;
  uint64_t value = 1;
  {
    const UseCopies use(&copies);
    CHECK(SafeLoad(end - 8, &value));
    CHECK(value == 0x1122334455667788);
    CheckBad<uint64_t>(end - 4);
    CheckBad<uint8_t>(end);
    CheckBad<uint32_t>(0);
    CheckBad<uint64_t>(0xdead000000000000);
    uint8_t first = 9;
    CHECK(SafeLoad(begin, &first));
    CHECK(first == 0);
    memory[0] = 5;  // within one sample memory is what it was
    CHECK(SafeLoad(begin, &first));
    CHECK(first == 0);
  }
  {
    const UseCopies use(&copies);
    uint8_t first = 9;
    CHECK(SafeLoad(begin, &first));
    CHECK(first == 5);
  }
  munmap(memory, 2 * static_cast<size_t>(page));
}

TEST_CASE("copies end searches after many pages, and reads never") {
  if (LacksCopies()) return;
  constexpr uint64_t kPages = 1000, kBytes = 4096;
  static uint8_t memory[kPages * kBytes];
  static CopiedMemory copies;
  for (uint64_t i = 0; i < kPages; ++i) memory[i * kBytes] = static_cast<uint8_t>(i);
  const UseCopies use(&copies);
  CHECK(SafeMemory{}.MaySearch());
  uint64_t right = 0;
  for (uint64_t i = 0; i < kPages; ++i) {
    uint8_t value = 0;
    if (SafeLoad(reinterpret_cast<uint64_t>(&memory[i * kBytes]), &value))
      right += value == static_cast<uint8_t>(i) ? 1 : 0;
  }
  CHECK(right == kPages);
  CHECK_FALSE(SafeMemory{}.MaySearch());
  {
    const UseCopies next(&copies);
    CHECK(SafeMemory{}.MaySearch());
  }
}
