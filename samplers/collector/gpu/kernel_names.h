// Keeps the names of the GPU functions of one process. Maps the ids that the process uses to one
// key per name, and to the name's frame in the profile.
//
// Equal names have one key, whatever their ids. The key links PC samples to the kernels of the same
// function. Names are demangled once. There are at most kMaxNames names with kMaxText bytes;
// functions beyond that have no name. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/held_bytes.h"
#include "core/gpu/gpu_timeline.h"

namespace gprofx {

struct KernelName {
  uint32_t key = 0;  // 1-based; 0 = the name is unknown
  std::string name;  // mangled
  GpuKernelName shown;
};

class KernelNames {
 public:
  static constexpr size_t kMaxNames = 200'000, kMaxText = size_t{64} << 20;

  explicit KernelNames(GpuTimeline& timeline) : timeline_(timeline) {}

  // Stores the name of a GPU function under the process's id for it. Returns false if there is no
  // more room.
  bool Add(uint32_t wire_id, std::string_view name);
  // Returns the name of the function with this id. For an unknown id that is "[unknown kernel]".
  const KernelName& Find(uint32_t wire_id);
  size_t bytes() const {  // approximate
    return 2 * text_ + HeldBytes(names_) + HeldBytes(by_wire_id_) + HeldBytes(by_name_);
  }

 private:
  GpuTimeline& timeline_;
  std::vector<KernelName> names_;
  std::unordered_map<uint32_t, uint32_t> by_wire_id_;  // key of each id
  std::unordered_map<std::string, uint32_t> by_name_;  // key of each mangled name
  size_t text_ = 0;
  KernelName unknown_;
};

}  // namespace gprofx
