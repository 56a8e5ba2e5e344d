// Defines the name of the frame that marks backward work in imported traces. Below the marker are
// the frames of the modules and of the operator of the forward pass to which the work belongs;
// below those is the backward work. Importers write the marker, core/levels reads it.
#pragma once

namespace gprofx {

inline constexpr char kBackwardMarker[] = "[backward of]";

}  // namespace gprofx
