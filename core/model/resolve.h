// Turns a raw profile, whose native frames are a module and an address, into the profile that is
// shown.
//
// Each native frame becomes the chain of source frames that the symbolizer returned for its
// address: outermost first, kNative, then kInlined. A Python frame that the native frame runs
// becomes a child of the outermost of them. A kUnknown frame (JIT-compiled code) becomes a native
// frame if its address has a name. Frames with the same function, file and line become one, because
// the address of a resolved frame is 0. Only frames without a known function keep their address.
// Frames of CUDA calls and of GPU code (inlined functions included) are copied unchanged.
//
// Self values and their sums are preserved to the nanosecond. Only frames, nodes and values are
// renumbered. All other rows keep their ids, and new rows are appended. Event streams and GPU
// tables therefore stay valid after their nodes have been translated with `node_of`. Pure; linear
// in nodes and values.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

struct SourceFrame {
  std::string function;   // demangled; never empty
  std::string file;       // may be empty
  uint32_t line = 0;      // 0 = unknown
  std::string decl_file;  // where the function is defined, may be empty
  uint32_t decl_line = 0;
};

// Maps each known address of one module to its source frames, outermost first. No entry is empty.
using ModuleNames = std::unordered_map<uint64_t, std::vector<SourceFrame>>;

struct Resolved {
  Profile profile;
  std::vector<NodeId> node_of;  // by NodeId::index() of the raw profile: the node in `profile`
};

// Resolves `raw`. `names` is indexed by ModuleId::index() of raw.modules and may be shorter.
Resolved Resolve(const Profile& raw, const std::vector<ModuleNames>& names);

}  // namespace gprofx
