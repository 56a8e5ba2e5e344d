// Signal path. How much a sample may do on the stack that its handler runs on. Pure.
//
// A handler runs on the thread's alternate stack where there is one, and that may be as small as
// 8 KiB (Rust's main thread, Go, a JVM): with AVX-512 a signal's frame alone takes 3.6 KiB of it, so
// there is no room for the second one that a fault in a safe load needs.
#pragma once

#include <ucontext.h>

#include <csignal>
#include <cstdint>
#include <cstring>

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
inline Loads LoadsOnStack(const stack_t& alternate, uint64_t here, uint64_t signal_frame) {
  const auto base = reinterpret_cast<uint64_t>(alternate.ss_sp);
  if ((alternate.ss_flags & SS_DISABLE) != 0 || here - base >= alternate.ss_size) {
    return Loads::kFaulting;
  }
  const uint64_t room = here - base;
  if (room >= kSampleBytes + signal_frame + kFaultBytes) return Loads::kFaulting;
  return room >= kSampleBytes ? Loads::kCopying : Loads::kNone;
}

// What the kernel put on the stack for the signal of this context, and will put there again for the
// next: all registers that are in use. Less than AT_MINSIGSTKSZ, which counts those of AMX too.
// Source: struct _fpx_sw_bytes of <asm/sigcontext.h>.
inline uint64_t SignalFrameBytes(const ucontext_t& context) {
  constexpr uint64_t kWithoutRegisters = 1024 + 128 + 64;  // context, siginfo; red zone; alignment
  constexpr uint64_t kLegacyBytes = 512, kSoftwareBytes = 464;
  constexpr uint32_t kMagic = 0x46505853;
  const auto* registers = reinterpret_cast<const char*>(context.uc_mcontext.fpregs);
  if (registers == nullptr) return kWithoutRegisters;
  uint32_t software[2];  // magic, size with the extended registers
  std::memcpy(software, registers + kSoftwareBytes, sizeof(software));
  return kWithoutRegisters + (software[0] == kMagic ? software[1] : kLegacyBytes);
}

}  // namespace gprofx::agent
