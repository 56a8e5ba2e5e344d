#include "core/findings/rules.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace gprofx::findings {
namespace {

// The rules with their detectors. Rules for causes come before rules for consequences.
constexpr DetectorRow kRows[] = {
    {{"slow-loader", "the step waits for its data",
      "give the DataLoader more workers (num_workers), keep them (persistent_workers), do less in "
      "__getitem__ or prepare the data once"},
     &FindSlowLoader},
    {{"lock-wait", "the launching thread waits for a lock",
      "move the other thread's work into a process of its own, or into code that releases the "
      "interpreter's lock"},
     &FindLockWaits},
    {{"allocator-churn", "GPU memory is taken from the driver in every step",
      "leave memory to the caching allocator: do not call empty_cache() in the loop; if sizes "
      "change, set PYTORCH_ALLOC_CONF=expandable_segments:True"},
     &FindAllocatorChurn},
    {{"ping-pong", "data goes to the host and comes back",
      "do the work between the two copies with tensors on the GPU"},
     &FindPingPong},
    {{"small-copies", "many small copies",
      "collect the values on the host and copy them at once, or make them on the GPU"},
     &FindSmallCopies},
    {{"pageable-copy", "copies from or to pageable memory",
      "pin the memory (DataLoader(pin_memory=True), Tensor.pin_memory()) and copy with "
      "non_blocking=True"},
     &FindPageableCopies},
    {{"sync-in-step", "the host waits for the GPU within a step",
      "keep the value on the GPU and read it less often, or after the step; .item(), .cpu(), "
      "nonzero() and printing a tensor wait"},
     &FindSyncs},
    {{"host-copy", "memory of the host is copied",
      "write into a buffer that is made once, instead of joining arrays"},
     &FindHostCopies},
    {{"slice-loop", "a Python loop over elements",
      "use one operation on the whole tensor or array"},
     &FindElementLoops},
    {{"slow-backward", "a backward pass is much slower than its forward pass",
      "write the backward pass with operations on whole tensors, or let autograd make it"},
     &FindSlowBackward},
    {{"recomputation", "activations are computed twice",
      "if memory allows, checkpoint fewer layers"},
     &FindRecomputation},
    {{"exposed-communication", "communication without computing at the same time",
      "run collectives while something is computed: use larger or other buckets or "
      "gradient_as_bucket_view, or give all ranks an equal load"},
     &FindExposedCommunication},
    {{"fusable", "elementwise kernels that could be fused",
      "use the fused operator if there is one, or torch.compile"},
     &FindFusable},
    {{"no-tensor-cores", "products without tensor cores",
      "allow TF32 (torch.set_float32_matmul_precision('high')) or compute in bfloat16"},
     &FindNoTensorCores},
    {{"stall-hot-spot", "a kernel waits for memory",
      "let neighbouring threads use neighbouring elements: call .contiguous() once, or use another "
      "layout"},
     &FindStridedAccess},
    {{"gpu-gap", "the GPU has nothing to do",
      "move that work to another thread or process, or do it while the GPU is busy"},
     &FindGpuGaps},
    {{"interpreter", "the host is mostly in Python between launches",
      "call fewer modules and functions around small operations; or use torch.compile or a CUDA "
      "graph"},
     &FindInterpreter},
    {{"small-kernels", "kernels are shorter than their launches",
      "use a CUDA graph (torch.cuda.graph, torch.compile(mode='reduce-overhead')), a larger batch, "
      "or operations on many tensors at once (foreach=True)"},
     &FindSmallKernels},
};

constexpr RuleLeftOut kLeftOut[] = {
    {"repeated copies of equal contents", "contents of copies are not recorded"},
    {"repeated calls with equal arguments", "arguments of operators are not recorded"},
    {"memory that is allocated early, freed late or not used",
     "pointers in launches are not recorded; 'report --memory' shows what is never freed"},
    {"a full launch queue", "it costs nothing by itself: the GPU has work"},
};

}  // namespace

std::span<const DetectorRow> DetectorRows() { return kRows; }

std::span<const FindingRule> FindingRules() {
  static const auto rules = [] {
    std::array<FindingRule, std::size(kRows)> made{};
    std::transform(std::begin(kRows), std::end(kRows), made.begin(),
                   [](const DetectorRow& row) { return row.rule; });
    return made;
  }();
  return rules;
}

std::span<const RuleLeftOut> RulesLeftOut() { return kLeftOut; }

}  // namespace gprofx::findings
