// Creates and maps the memory that the agents of one user share with the collector, with its
// control page (wire/layout.h).
//
// It is a sealed, sparse memfd. The target can neither shrink nor grow it, so reading it never
// faults. Processes of different users get different memories: no process can write what the agent
// in another user's process reads. The session owns it; its pages are freed when the last process
// that mapped them has ended. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "samplers/wire/layout.h"

namespace gprofx {

// What the collector currently wants of all processes; ControlPage explains the fields. It is
// written to every control page. The collector keeps this copy because targets can overwrite
// theirs.
struct Orders {
  uint32_t sampling = 0;
  int64_t stretch_begin_ns = 0;
  uint32_t gpu_level = wire::kLevelAuto;
  uint32_t periods = 0;
  bool over = false;
};

class SharedMemory {
 public:
  // Creates a memory for `user`. `facts` must contain a token that no other memory has.
  static Result<SharedMemory> Create(uid_t user, const wire::SessionFacts& facts,
                                     const Orders& orders);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  uid_t user() const { return user_; }
  uint64_t token() const { return token_; }
  int descriptor() const { return memory_.get(); }
  // Returns the control page. Any process of the user can change its contents at any time.
  wire::ControlPage& control() const { return *control_; }

  // Must be called before a process maps the memory.
  void SetFacts(const wire::SessionFacts& facts);
  void Tell(const Orders& orders);

  uint32_t RegionStateOf(uint32_t index) const;
  // Frees a region's pages and makes it available to the next process.
  void FreeRegion(uint32_t index);

  // Device and inode of the memfd. /proc/PID/maps shows the same numbers.
  dev_t device() const { return device_; }
  ino_t inode() const { return inode_; }

 private:
  SharedMemory() = default;

  uid_t user_ = 0;
  uint64_t token_ = 0;
  UniqueFd memory_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  wire::ControlPage* control_ = nullptr;
};

}  // namespace gprofx
