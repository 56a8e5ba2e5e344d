#include "samplers/attach/remote_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace gprofx::attach {

RemoteMemory::RemoteMemory(const ProcessHandle& process) : file_(process.Open("mem", O_RDWR)) {}

bool RemoteMemory::Read(uint64_t address, void* to, size_t bytes) const {
  return ReadSome(address, to, bytes) == bytes;
}

size_t RemoteMemory::ReadSome(uint64_t address, void* to, size_t bytes) const {
  const ssize_t got = pread(file_.get(), to, bytes, static_cast<off_t>(address));
  return got < 0 ? 0 : static_cast<size_t>(got);
}

bool RemoteMemory::Write(uint64_t address, const void* from, size_t bytes) const {
  return pwrite(file_.get(), from, bytes, static_cast<off_t>(address)) ==
         static_cast<ssize_t>(bytes);
}

bool RemoteMemory::WriteInOrder(const std::vector<MemoryPart>& parts) const {
  return std::all_of(parts.begin(), parts.end(), [this](const MemoryPart& part) {
    return Write(part.address, part.bytes.data(), part.bytes.size());
  });
}

}  // namespace gprofx::attach
