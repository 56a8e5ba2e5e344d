// In an imported trace, backward work is below a marker frame, followed by frames of the modules
// and the operator of the forward pass that it belongs to. Written by importers, read by
// core/levels.
#pragma once

namespace gprofx {

inline constexpr char kBackwardMarker[] = "[backward of]";

}  // namespace gprofx
