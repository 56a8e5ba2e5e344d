#include "samplers/agent/confinement/unfit.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>

#include <cstdint>
#include <cstring>

#include "samplers/agent/libc/raw_syscall.h"

namespace gprofx::agent {
namespace {

// True if the main program links no library at all. Such a program (Go, built as PIE without cgo)
// uses the thread register for itself, and our thread-local data would overlap its memory. The main
// program is the first object that dl_iterate_phdr reports.
bool ProgramLinksNothing() {
  bool links = false;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* answer) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_DYNAMIC) continue;
          const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + segment.p_vaddr);
          for (; entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == DT_NEEDED) *static_cast<bool*>(answer) = true;
          }
        }
        return 1;
      },
      &links);
  return !links;
}

// True if a tracer is attached to the process. Each of our signals would stop the program and wake
// the tracer: strace prints every one, and cuda-gdb was seen to wait forever. A debugger that
// attaches later finds a program that already receives these signals.
bool IsTraced() {
  char text[1024] = {};  // TracerPid is among the first ten lines
  const long fd =
      RawSyscall(SYS_openat, AT_FDCWD, AsArgument("/proc/self/status"), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  RawSyscall(SYS_read, fd, AsArgument(text), sizeof(text) - 1);
  RawSyscall(SYS_close, fd);
  constexpr char kLine[] = "\nTracerPid:\t";
  const char* line = strstr(text, kLine);
  return line != nullptr && line[sizeof(kLine) - 1] != '0';
}

}  // namespace

bool UnderValgrind() {
  constexpr uint64_t kRunningOnValgrind = 0x1001;
  const volatile uint64_t request[6] = {kRunningOnValgrind, 0, 0, 0, 0, 0};
  return machine::AskValgrind(request) != 0;
}

std::optional<wire::NotSampled> WhyLeaveAlone() {
  if (UnderValgrind() || getenv("RUNNING_UNDER_RR") != nullptr) return wire::NotSampled::kTool;
  if (IsTraced()) return wire::NotSampled::kTraced;
  if (ProgramLinksNothing()) return wire::NotSampled::kNoLibrary;
  return std::nullopt;
}

}  // namespace gprofx::agent
