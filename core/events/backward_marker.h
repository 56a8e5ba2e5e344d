// The name of the marker for backward work in imported traces. Backward work is below a frame with
// this name. Between them are the frames of the modules and of the operator of the forward pass to
// which the work belongs. Importers write the marker, core/levels reads it.
#pragma once

namespace gprofx {

inline constexpr char kBackwardMarker[] = "[backward of]";

}  // namespace gprofx
