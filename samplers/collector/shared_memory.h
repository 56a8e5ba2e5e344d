// The memory shared by the agents of one user and the collector, and its control page
// (wire/layout.h).
//
// A sealed, sparse memfd: the target can neither shrink nor grow it, so no read of it can fault.
// Processes of different users get different memories, so that no process can write what the agent
// in another user's process reads. Owned by the session; the pages are freed when the last process
// that mapped them has ended. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "samplers/wire/layout.h"

namespace gprofx {

// What the collector currently wants of all processes; written to every control page. The collector
// keeps its own copy, since targets can overwrite theirs.
struct Orders {
  uint32_t sampling = 0;  // for the meaning of the fields see ControlPage
  int64_t stretch_begin_ns = 0;
  uint32_t gpu_level = wire::kLevelAuto;
  uint32_t periods = 0;
  bool over = false;
};

class SharedMemory {
 public:
  // `facts` must contain a token that no other memory has.
  static Result<SharedMemory> Create(uid_t user, const wire::SessionFacts& facts,
                                     const Orders& orders);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  uid_t user() const { return user_; }
  uint64_t token() const { return token_; }
  int descriptor() const { return memory_.get(); }
  // Any process of the user can change its contents at any time.
  wire::ControlPage& control() const { return *control_; }

  void SetFacts(const wire::SessionFacts& facts);  // before the first process maps it
  void Tell(const Orders& orders);

  uint32_t RegionStateOf(uint32_t index) const;
  // Frees a region's pages and lets the next process use it.
  void FreeRegion(uint32_t index);

  // Device and inode of the memfd, as /proc/PID/maps shows them.
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
