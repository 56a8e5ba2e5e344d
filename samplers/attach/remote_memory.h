// Memory of another process, by /proc/PID/mem. Reads and writes whole pieces or nothing that
// counts: false means that a part is not mapped, or that the process is gone.
//
// The open file belongs to the address space, not to the number: once the process ended or ran
// another program nothing is read or written any more, whoever has the number then.
// process_vm_writev(2) would write into that one. Any thread.
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
  // One after the other: who runs there meanwhile sees them in this order.
  bool WriteInOrder(const std::vector<MemoryPart>& parts) const;
  // As much as is readable, up to `bytes`.
  size_t ReadSome(uint64_t address, void* to, size_t bytes) const;
  template <class T>
  bool Get(uint64_t address, T* to) const {
    return Read(address, to, sizeof(T));
  }

 private:
  UniqueFd file_;
};

}  // namespace gprofx::attach
