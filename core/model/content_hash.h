// Computes hashes that identify a function, a frame or a kernel across files. Ids cannot do that:
// they differ from file to file.
//
// The hash is 64-bit FNV-1a (offset basis 0xcbf29ce484222325, prime 0x100000001b3) over bytes. A
// number is hashed as its 8 bytes, little-endian. A text is hashed as its length (a number), then
// its bytes. The fields, in order:
//   function  "function", name, file, first line, path of the module
//   frame     "frame", kind, hash of the function (0 = none), file, line, path of the module,
//             address, and for an address other than 0 the module's build-id
//   kernel    "kernel", hash of the function, grid x y z, block x y z, registers, static shared,
//             dynamic shared and local bytes
// A rebuilt module keeps the hashes of its functions: only frames with an address depend on the
// build. The definition does not change within a major version of the format. In a profile of a
// million items, the probability of a collision is below 1e-7. Where a collision would matter,
// compare the fields too. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/hash.h"
#include "core/model/profile.h"

namespace gprofx {

class ContentHash {
 public:
  ContentHash& Add(uint64_t number);
  ContentHash& Add(std::string_view text);
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = kFnvBasis;
};

// Return the hash of a row. The row must belong to `profile`, or its ids must refer to the tables
// of `profile`.
uint64_t HashOf(const Profile& profile, const Function& function);
uint64_t HashOf(const Profile& profile, const Frame& frame);
uint64_t HashOf(const Profile& profile, const GpuKernelConfig& kernel);

}  // namespace gprofx
