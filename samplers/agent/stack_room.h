// Signal path. How much a sample may do on the stack that its handler runs on. Pure.
//
// A handler runs on the thread's alternate stack where there is one, and that may be as small as
// 8 KiB (Rust's main thread, Go, a JVM): with AVX-512 a signal's frame alone takes 3.6 KiB of it, so
// there is no room for the second one that a fault in a safe load needs.
#pragma once

#include <csignal>
#include <cstdint>

namespace gprofx::agent {

enum class Loads {
  kFaulting,  // safe loads may fault
  kCopying,   // memory is copied by the kernel
  kNone,      // there is no room for a sample
};

// What a sample's own functions take below the handler's entry, at most: 2.6 KiB measured by
// -fstack-usage. Of copying, which has no frame of the kernel on top of it.
constexpr uint64_t kSampleBytes = 3072;
// Of the fault handler.
constexpr uint64_t kFaultBytes = 512;

// `alternate`: of the interrupted context. `here`: an address in the handler's frame.
// `signal_frame`: what the kernel puts on the stack for a signal, bytes.
constexpr Loads LoadsOnStack(const stack_t& alternate, uint64_t here, uint64_t signal_frame) {
  const auto base = reinterpret_cast<uint64_t>(alternate.ss_sp);
  if ((alternate.ss_flags & SS_DISABLE) != 0 || here - base >= alternate.ss_size) {
    return Loads::kFaulting;
  }
  const uint64_t room = here - base;
  if (room >= kSampleBytes + signal_frame + kFaultBytes) return Loads::kFaulting;
  return room >= kSampleBytes ? Loads::kCopying : Loads::kNone;
}

// AT_MINSIGSTKSZ of this process: the frame with all registers that this processor has.
uint64_t SignalFrameBytes();

}  // namespace gprofx::agent
