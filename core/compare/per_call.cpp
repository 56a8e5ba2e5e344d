#include "core/compare/per_call.h"

namespace gprofx::compare {
namespace {

// Number of calls whose time is stored instead of that of a single call. Steps are counted in whole
// numbers.
constexpr int64_t kSteps = 1000;

void Scale(double factor, Parts& parts) {
  for (auto& [key, part] : parts) {
    part.ns *= factor;
    part.total_ns *= factor;
  }
}

void Scale(double factor, WorkDone& work) {
  for (double* value : {&work.total_ns, &work.gpu_ns, &work.wall_ns, &work.gpu_idle_ns}) {
    *value *= factor;
  }
  for (Parts* parts : {&work.functions, &work.kernels, &work.lines, &work.operators}) {
    Scale(factor, *parts);
  }
}

}  // namespace

bool ExpressPerCall(Run& run, double call_ns, bool steps) {
  RunSteps in_calls;
  const bool marked = steps && run.steps && run.steps->work.total_ns > 0;
  in_calls.work = marked ? run.steps->work : static_cast<const WorkDone&>(run);
  if (in_calls.work.total_ns <= 0 || call_ns <= 0) return false;
  in_calls.steps = kSteps;
  in_calls.step_ns = call_ns;
  Scale(call_ns * static_cast<double>(kSteps) / in_calls.work.total_ns, in_calls.work);
  run.steps = std::move(in_calls);
  return true;
}

}  // namespace gprofx::compare
