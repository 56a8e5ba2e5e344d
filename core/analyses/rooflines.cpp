// A9, A14: rooflines. They need operations and bytes, which no source of these profiles tells yet.
#include "core/analyses/parts.h"

namespace gprofx {
namespace {

constexpr char kNoWork[] =
    "(not in this profile): FLOP and bytes need the shapes of operators or measured counters; "
    "names and launch configurations do not tell them";

std::vector<AnalysisColumn> Columns(AnalysisColumn what) {
  return {what,
          {"intensity", "FLOP/B", CellUnit::kNumber},
          {"flop_per_s", "FLOP/s", CellUnit::kFlopPerSecond},
          {"ceiling_flop_per_s", "ceiling", CellUnit::kFlopPerSecond},
          {"of_ceiling", "%ceiling", CellUnit::kShare}};
}

}  // namespace

void KernelRoofline(const AnalysisContext& context, Analysis& out) {
  out.columns = Columns({"kernel", "kernel", CellUnit::kKernel});
  if (NeedsGpu(context, out)) out.reason = kNoWork;
}

void LayerRoofline(const AnalysisContext& context, Analysis& out) {
  out.columns = Columns({"layer", "layer", CellUnit::kText});
  if (NeedsGpu(context, out) && NeedsLayers(context, out)) out.reason = kNoWork;
}

}  // namespace gprofx
