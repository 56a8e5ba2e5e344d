// Converts values with a unit to the time of a call. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace gprofx {

// Returns the time of a call in ns. The unit is one of time ("seconds", "us"), time per call
// ("ns/iter") or calls per time ("ops/sec"). nullopt for other units, such as "bytes".
std::optional<double> TimeOfCall(double value, std::string_view unit);

}  // namespace gprofx
