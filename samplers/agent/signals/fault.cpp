// Runs in signal handlers: no allocation, no locks, bounded loops.
#include "samplers/agent/signals/fault.h"

#include <ucontext.h>

#include <type_traits>

#include "samplers/agent/machine/machine.h"
#include "samplers/agent/signals/safe_load.h"

namespace gprofx::agent {

constinit thread_local CopiedMemory* UseCopies::current = nullptr;

namespace {

struct Entry {  // each offset is relative to the address of its own field
  int32_t fault;
  int32_t landing;
};

}  // namespace

// The linker defines these two symbols as the start and the end of the section.
extern "C" __attribute__((visibility("hidden"))) const Entry __start_gprofx_extable[];
extern "C" __attribute__((visibility("hidden"))) const Entry __stop_gprofx_extable[];

bool ResumeSafeLoad(void* ucontext) {
  auto& ip = machine::InstructionPointerOf(*static_cast<ucontext_t*>(ucontext));
  for (const Entry* e = __start_gprofx_extable; e != __stop_gprofx_extable; ++e) {
    auto fault = reinterpret_cast<intptr_t>(&e->fault) + e->fault;
    if (fault != static_cast<intptr_t>(ip)) continue;
    const intptr_t landing = reinterpret_cast<intptr_t>(&e->landing) + e->landing;
    ip = static_cast<std::remove_reference_t<decltype(ip)>>(landing);
    return true;
  }
  return false;
}

bool SafeCopy(void* to, uint64_t address, uint64_t bytes) {
  auto* out = static_cast<char*>(to);
  uint64_t done = 0;
  for (; done + 8 <= bytes; done += 8) {
    if (!SafeLoad(address + done, reinterpret_cast<uint64_t*>(out + done))) return false;
  }
  for (; done < bytes; ++done) {
    if (!SafeLoad(address + done, reinterpret_cast<uint8_t*>(out + done))) return false;
  }
  return true;
}

}  // namespace gprofx::agent
