// Finds the properties of nodes that detectors use. A node inherits most properties of its parent.
// Used inside core/findings only.
#pragma once

#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/views/naming/seen_as.h"

namespace gprofx::findings {

struct NodeTraits {
  SeenAs::Lines lines;
  FrameId checkpoint;  // Python line that requests recomputation (torch.utils.checkpoint); 0 = none
  FunctionId backward, forward;  // autograd functions written in Python
  bool in_engine = false;        // in a backward pass
  bool recomputes = false;       // in a forward pass within a backward pass
  bool loading = false;          // in a data loader, or in a queue between processes
  bool asks_again = false;       // in code of torch.utils.checkpoint itself, or of its callers
  bool in_hook = false;          // in native code around a hook for saved tensors
  bool in_module = false;        // in a call of torch.nn.Module
  bool in_operator = false;      // in an operator of PyTorch
  bool copies_arrays = false;    // in NumPy or PyTorch code that copies host memory
  bool copies_tensor = false;    // in an operator that copies a tensor
  bool element = false;  // in code that takes an element or a slice out of a tensor or an array
  bool empties_cache = false;
  bool waits_for_lock = false;
  bool in_wait = false;  // in a C library function that waits for another thread
  bool idle = false;     // wall clock mode: the thread was waiting
  // Properties of the innermost frame only, except that `records` is inherited.
  bool copies_memory = false;  // memcpy and similar functions
  bool interprets = false;     // Python code, or the interpreter that runs it
  bool records = false;        // in code of CUPTI or gprof-x
};

std::vector<NodeTraits> FindTraits(const Profile& profile);

struct Place {
  std::string function, file;
  uint32_t line = 0;
  bool known() const { return line != 0; }
  std::string Text() const;  // "train.py:12"; "" = unknown
};
// Returns the place of a frame. Its line is 0 if unknown. For native code, only `function` is set.
Place PlaceOf(const Profile& profile, FrameId frame);

}  // namespace gprofx::findings
