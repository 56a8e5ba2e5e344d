// Properties of a node's frames that detectors use. Used inside core/findings only.
#pragma once

#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/views/naming/seen_as.h"

namespace gprofx::findings {

struct NodeTraits {
  SeenAs::Lines lines;
  FrameId checkpoint;            // Python line that requests recomputation; 0 = none
  FunctionId backward, forward;  // of an autograd function written in Python
  bool in_engine = false;        // a backward pass
  bool recomputes = false;       // a forward pass within a backward pass
  bool loading = false;          // a data loader, or a queue between processes
  bool asks_again = false;       // code of torch.utils.checkpoint itself, and of its callers
  bool in_hook = false;          // native code around a hook for saved tensors
  bool in_module = false;        // a call of torch.nn.Module
  bool in_operator = false;      // an operator of PyTorch
  bool copies_arrays = false;    // NumPy or PyTorch code that copies host memory
  bool copies_tensor = false;    // an operator that copies a tensor
  bool element = false;          // takes an element or a slice out of a tensor or an array
  bool empties_cache = false;
  bool waits_for_lock = false;
  bool in_wait = false;  // a C library call that waits for another thread
  bool idle = false;     // wall clock: the thread waited
  // Properties of the innermost frame.
  bool copies_memory = false;  // memcpy and the like
  bool interprets = false;     // Python, the interpreter, or code that it consists of
  bool records = false;        // CUPTI or gprof-x
};

std::vector<NodeTraits> FindTraits(const Profile& profile);

struct Place {
  std::string function, file;
  uint32_t line = 0;
  bool known() const { return line != 0; }
  std::string Text() const;  // "train.py:12"; "" = unknown
};
// Returns the place of a frame; line 0 = unknown. For native code it has the function only.
Place PlaceOf(const Profile& profile, FrameId frame);

}  // namespace gprofx::findings
