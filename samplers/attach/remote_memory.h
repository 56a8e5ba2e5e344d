// Reads and writes the memory of another process through /proc/PID/mem. A read or write that is not
// complete counts as failed. It fails if part of the range is not mapped, or if the process has
// ended.
//
// The open file belongs to the address space and not to the PID. After the process has ended or run
// another program, nothing is read or written any more, even if the PID is reused.
// process_vm_writev(2) would write into the new process. Any thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"
#include "samplers/attach/process_handle.h"

namespace gprofx::attach {

struct MemoryPart {
  uint64_t address = 0;
  std::string bytes;
};

class RemoteMemory {
 public:
  explicit RemoteMemory(const ProcessHandle& process);

  bool is_open() const { return static_cast<bool>(file_); }
  bool Read(uint64_t address, void* to, size_t bytes) const;
  bool Write(uint64_t address, const void* from, size_t bytes) const;
  // Writes the parts one after the other. The threads of the process see them in this order.
  bool WriteInOrder(const std::vector<MemoryPart>& parts) const;
  // Reads up to `bytes` bytes. Returns how many were readable.
  size_t ReadSome(uint64_t address, void* to, size_t bytes) const;
  template <class T>
  bool Get(uint64_t address, T* to) const {
    return Read(address, to, sizeof(T));
  }

 private:
  UniqueFd file_;
};

}  // namespace gprofx::attach
