// Keeps track of physical GPU memory (cuMemCreate). Such memory is freed when its handle was
// released and nothing is mapped to it any more, in either order. Programs often release the handle
// at once and keep the mapping.
//
// The number of entries is limited. One thread. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/base/held_bytes.h"

namespace gprofx {

class PhysicalMemory {
 public:
  static constexpr size_t kMaxRows = 1'000'000;

  // Called when a handle was created. A driver may reuse the number of an earlier handle.
  void Create(uint64_t handle);
  void Map(uint64_t address, uint64_t handle);
  // Release and Unmap return the keys (KeyOf) of the memory that the call frees. The result is
  // empty if it frees none.
  std::vector<uint64_t> Release(uint64_t handle);
  std::vector<uint64_t> Unmap(uint64_t address, uint64_t bytes);
  // Returns the key of the memory behind a handle; 0 = unknown. A key is unique during the life of
  // the process.
  uint64_t KeyOf(uint64_t handle) const;
  size_t bytes() const {  // approximate memory of this object
    return HeldBytes(key_of_handle_) + HeldBytes(memory_) + HeldBytes(key_mapped_);
  }

 private:
  struct Memory {
    uint64_t key = 0;
    uint64_t maps = 0;
    bool released = false;
  };
  void EndIfUnused(uint64_t key, std::vector<uint64_t>& gone);

  std::map<uint64_t, uint64_t> key_of_handle_;
  std::map<uint64_t, Memory> memory_;        // by key
  std::map<uint64_t, uint64_t> key_mapped_;  // by address
  uint64_t keys_ = 0;
};

}  // namespace gprofx
