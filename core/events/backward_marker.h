// Where the backward work of an imported trace hangs: below a marker, then the modules and the
// operator of the forward pass that it belongs to, as frames. Written by importers, read by
// core/levels.
#pragma once

namespace gprofx {

inline constexpr char kBackwardMarker[] = "[backward of]";

}  // namespace gprofx
