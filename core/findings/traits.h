// What the frames around a node say that detectors ask for. Used inside core/findings only.
#pragma once

#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/views/naming/seen_as.h"

namespace gprofx::findings {

struct NodeTraits {
  SeenAs::Lines lines;
  FrameId checkpoint;  // Python line that asks for activations to be computed again; 0 = none
  FunctionId backward, forward;  // of an autograd function written in Python
  bool in_engine = false;        // a backward pass
  bool recomputes = false;       // a forward pass inside of a backward pass
  bool loading = false;          // a loader of data, or a queue between processes
  bool asks_again = false;       // code of torch.utils.checkpoint itself, and what calls it
  bool in_hook = false;          // native code around a hook for saved tensors
  bool in_module = false;        // a call of torch.nn.Module
  bool in_operator = false;      // of PyTorch
  bool copies_arrays = false;    // code of NumPy or PyTorch that copies memory of the host
  bool copies_tensor = false;    // an operator that copies a tensor
  bool element = false;          // an element or a slice of a tensor or an array is taken out
  bool empties_cache = false;
  bool waits_for_lock = false;
  bool in_wait = false;  // a call of the C library that waits for another thread
  bool idle = false;     // wall clock: the thread waited
  // Of the innermost frame.
  bool copies_memory = false;  // memcpy and the like
  bool interprets = false;     // Python, the interpreter's own code, or what it is made of
  bool records = false;        // of CUPTI or of gprof-x
};

std::vector<NodeTraits> FindTraits(const Profile& profile);

struct Place {
  std::string function, file;
  uint32_t line = 0;
  bool known() const { return line != 0; }
  std::string Text() const;  // "train.py:12"; "" = unknown
};
// 0 = unknown. Of native code its function.
Place PlaceOf(const Profile& profile, FrameId frame);

}  // namespace gprofx::findings
