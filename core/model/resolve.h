// Turns a raw profile (native frames are module + address) into the profile that is shown.
//
// Pure function, linear in nodes and values. Each native frame becomes the chain of source frames
// that the symbolizer gave for its address (outermost first: kNative, then kInlined...); a Python
// frame that the native frame runs is a child of the outermost of them. A kUnknown frame
// (JIT-compiled code, in the module that stands for its process) becomes native if it has a name.
// Frames of the same function, file and line merge: the address of a resolved frame is 0 unless no
// function is known. Self values and their sums are preserved to the nanosecond. Frames of CUDA
// calls and of GPU code (inlined functions included) are copied unchanged. Only frames, nodes and
// values are renumbered. All other rows keep their ids and new rows are appended, so event streams
// and GPU tables stay valid once their nodes are translated with `node_of`.
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

// Names of the addresses of one module; outermost frame first, at least one per entry.
using ModuleNames = std::unordered_map<uint64_t, std::vector<SourceFrame>>;

struct Resolved {
  Profile profile;
  std::vector<NodeId> node_of;  // raw node (index) -> node in `profile`
};

// `names` is indexed like raw.modules (ModuleId::index()) and may be shorter.
Resolved Resolve(const Profile& raw, const std::vector<ModuleNames>& names);

}  // namespace gprofx
