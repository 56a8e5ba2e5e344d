#include "samplers/collector/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "samplers/collector/system_error.h"

namespace gprofx {

Result<SharedMemory> SharedMemory::Create(uid_t user, const wire::SessionFacts& facts,
                                          const Orders& orders) {
  SharedMemory made;
  made.user_ = user;
  made.token_ = facts.token;
  made.memory_.Reset(memfd_create("gprof-x", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!made.memory_) {
    return SystemError("cannot create shared memory", "check the limits of this user (ulimit -a)");
  }
  struct stat status {};
  if (ftruncate(made.descriptor(), static_cast<off_t>(wire::FileBytes())) != 0 ||
      fcntl(made.descriptor(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
      fstat(made.descriptor(), &status) != 0) {
    return SystemError("cannot resize shared memory", "raise the limit on file sizes (ulimit -f)");
  }
  // Make the user the owner of the memory. Agents join memory that root or their own user owns, and
  // in a user namespace root may have no id. It is no error if the recorder may not change owners.
  if (user != geteuid() && fchown(made.descriptor(), user, static_cast<gid_t>(-1)) != 0) {
    errno = 0;
  }
  made.device_ = status.st_dev;
  made.inode_ = status.st_ino;
  void* page =
      mmap(nullptr, wire::kControlBytes, PROT_READ | PROT_WRITE, MAP_SHARED, made.descriptor(), 0);
  if (page == MAP_FAILED) {
    return SystemError("cannot map shared memory", "raise the limit on virtual memory (ulimit -v)");
  }
  made.control_ = static_cast<wire::ControlPage*>(page);
  made.SetFacts(facts);
  made.Tell(orders);
  return made;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : user_(other.user_),
      token_(other.token_),
      memory_(std::move(other.memory_)),
      device_(other.device_),
      inode_(other.inode_),
      control_(std::exchange(other.control_, nullptr)) {}

SharedMemory::~SharedMemory() {
  if (control_ != nullptr) munmap(control_, wire::kControlBytes);
}

void SharedMemory::SetFacts(const wire::SessionFacts& facts) { control_->facts = facts; }

void SharedMemory::Tell(const Orders& orders) {
  control_->stretch_begin_ns.store(orders.stretch_begin_ns, std::memory_order_relaxed);
  control_->sampling.store(orders.sampling, std::memory_order_relaxed);
  control_->gpu_level.store(orders.gpu_level, std::memory_order_relaxed);
  control_->periods.store(orders.periods, std::memory_order_relaxed);
  control_->over.store(orders.over ? 1 : 0, std::memory_order_relaxed);
}

uint32_t SharedMemory::RegionStateOf(uint32_t index) const {
  return control_->region_state[index].load(std::memory_order_acquire);
}

void SharedMemory::FreeRegion(uint32_t index) {
  fallocate(descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            static_cast<off_t>(wire::RegionOffset(index)), static_cast<off_t>(wire::kRegionBytes));
  control_->region_state[index].store(wire::kRegionFree, std::memory_order_release);
}

}  // namespace gprofx
