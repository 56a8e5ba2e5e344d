// What a frame of kind kLayer is called: the modules of a model around one, from the outermost in,
// "GPT > transformer.h.3: Block > attn: Attention". Each is what the one around it calls it (which
// may lead through containers that are not called) and its class; where both are the same, or the
// outermost is the first of its class, the class alone. Modules without a name have their class and
// a number in the order of appearance: "Linear#2". Pure; views live as long as the argument.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

struct LayerStep {
  std::string_view name;  // "transformer.h.3"
  std::string_view type;  // "Block"
};

std::vector<LayerStep> SplitLayers(std::string_view path);

// `path` with one module more. Characters that mean something in a path become '_'.
std::string AppendLayer(std::string_view path, std::string_view name, std::string_view type);

// "GPT.transformer.h.3.attn": of the first `count` steps.
std::string DottedLayers(const std::vector<LayerStep>& steps, size_t count);

// Where the code of a stack ends: the node itself, or that above the layers at its leaf.
NodeId CodeOf(const Profile& profile, NodeId node);

}  // namespace gprofx
