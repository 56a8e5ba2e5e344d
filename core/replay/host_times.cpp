#include "core/replay/host_times.h"

#include "core/base/format.h"
#include "core/replay/step_run.h"

namespace gprofx {
namespace {

std::string Milliseconds(int64_t ns) { return Format("%.3f ms", static_cast<double>(ns) / 1e6); }

std::string Shorter(double factor) {
  return Format("times of the host are %.1f%% shorter", 100 * (1 - factor));
}

}  // namespace

// Finds the factor by bisection, because steps get longer as the factor increases.
HostFactor FindHostFactor(const StepGraphs& steps, const HostTimes& host) {
  constexpr double kMin = 0.05;
  constexpr int kHalvings = 16;
  constexpr double kGpuVaries = 1.05;
  if (host.step_ns == 0) {
    if (host.factor != 1)
      return {host.factor, Shorter(host.factor) + ", which is the cost of recording", ""};
    return {1,
            "times of the host are those of the recording; --step-time sets the time of a step "
            "without recording",
            ""};
  }
  double low = kMin, high = 1;
  if (StepWith(steps, high) <= host.step_ns) {
    return {1,
            "times of the host are those of the recording, because its steps are not longer than "
            "--step-time",
            ""};
  }
  if (const int64_t least = StepWith(steps, low); least > host.step_ns) {
    // Allow a difference of some percent, because kernel times vary between two runs.
    if (static_cast<double>(least) < kGpuVaries * static_cast<double>(host.step_ns)) {
      return {low,
              "the GPU is the limit: its recorded work takes " + Milliseconds(least) +
                  " a step, a little more than " + Milliseconds(host.step_ns),
              ""};
    }
    return {1, "",
            "a step cannot take " + Milliseconds(host.step_ns) + ": the GPU alone needs " +
                Milliseconds(least)};
  }
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (StepWith(steps, middle) < host.step_ns ? low : high) = middle;
  }
  return {high, Shorter(high) + ", so that a step takes " + Milliseconds(host.step_ns), ""};
}

}  // namespace gprofx
