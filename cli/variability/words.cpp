#include <algorithm>
#include <cmath>

#include "cli/report/number.h"
#include "cli/terminal/text.h"
#include "cli/variability/variability.h"
#include "core/kernels/kernel_family.h"
#include "core/views/wall.h"

namespace gprofx {

using namespace variability;

std::string PartInWords(const std::string& part) {
  return part.starts_with("idle.") ? "idle: " + Printable(IdleCause(part)) : Printable(part);
}

std::string BesideInWords(Beside beside) {
  switch (beside) {
    case Beside::kCopy:
      return "a copy beside it";
    case Beside::kCollective:
      return "a collective beside it";
    case Beside::kKernel:
      return "another kernel beside it";
    case Beside::kAfterIdle:
      return "the GPU was idle before";
  }
  return "";
}

std::string CauseInWords(const Explanation& why) {
  switch (why.cause) {
    case Cause::kNone:
      return "unexplained";
    case Cause::kBeside:
      return BesideInWords(why.beside) + " (" + Percent(why.share, 1) + ")";
    case Cause::kCommon:
      return "the whole GPU: clock, power, heat or another process";
    case Cause::kWaiting:
      return "waits for a late rank";
    case Cause::kOneRank:
      return "unexplained: the files have only one of its ranks";
  }
  return "";
}

std::string_view CauseWord(const Explanation& why) {
  switch (why.cause) {
    case Cause::kNone:
      return "unexplained";
    case Cause::kBeside:
      return BesideWord(why.beside);
    case Cause::kCommon:
      return "common";
    case Cause::kWaiting:
      return "waiting";
    case Cause::kOneRank:
      return "one_rank";
  }
  return "";
}

std::string StepCauseInWords(const CauseRow& row, const Model& model) {
  const std::string lane = row.lane ? Printable(model.lanes[*row.lane].name) : "";
  const auto time = [](double ns) { return Duration(static_cast<int64_t>(std::llround(ns))); };
  const auto number = [](double value) {
    return Grouped(static_cast<int64_t>(std::llround(value)));
  };
  const std::string instead = number(row.value) + " instead of " + number(row.usual);
  const std::string more = " (" + time(row.value) + ", usually " + time(row.usual) + ")";
  std::string text;
  switch (row.cause) {
    case StepCause::kCpu:
      text = row.usual < 4096 && row.value < row.usual ? "fewer CPUs: " + instead
                                                       : "no core was free for its threads" + more;
      break;
    case StepCause::kAllocator:
      text = "memory was allocated or freed" + more;
      break;
    case StepCause::kFaults:
      text = "page faults that read from a disk: " + instead + " a step";
      break;
    case StepCause::kLoader:
      text = "the data loader" + more;
      break;
    case StepCause::kClock:
      text = "the GPU's clock: " + instead + " MHz";
      break;
    case StepCause::kCopy:
      text = "copies, beside the work or before it";
      break;
    case StepCause::kAnotherProcess:
      text = "another process on the GPU (its clock is the same)";
      break;
    case StepCause::kWholeGpu:
      text = "the whole GPU: clock, power, heat or another process";
      break;
    case StepCause::kKernel:
      text = "other kernels beside the work";
      break;
    case StepCause::kCollective:
      text = "collectives beside the work";
      break;
    case StepCause::kLateRank:
      return lane.empty() ? "ranks come late to collectives" : "late rank: " + lane;
  }
  return lane.empty() ? text : lane + ": " + text;
}

std::string_view StepCauseWord(StepCause cause) {
  static constexpr std::string_view kWords[kStepCauses] = {
      "cpu",       "allocator", "page_faults", "data_loader", "clock", "copy", "another_process",
      "whole_gpu", "kernel",    "late_rank",   "collective"};
  return kWords[static_cast<size_t>(cause)];
}

std::string GroupInWords(const GroupRow& group, bool full_name) {
  const GroupKey& key = group.key;
  const bool is_kernel = key.kind <= Kind::kCollective;
  std::string text = Printable(is_kernel && !full_name ? ShortKernelName(key.name) : key.name);
  if (text.empty()) text = "[no name]";
  if (group.cluster > 0) text += " #" + std::to_string(group.cluster);
  const auto size = [](const uint32_t(&parts)[3]) {
    size_t last = 3;
    while (last > 1 && parts[last - 1] <= 1) --last;
    std::string out;
    for (size_t i = 0; i < last; ++i) out += (i == 0 ? "" : "x") + std::to_string(parts[i]);
    return out;
  };
  if (is_kernel) text += " [" + size(key.grid) + ", " + size(key.block) + "]";
  if (!key.shape.empty()) text += " " + Printable(key.shape);
  return text;
}

}  // namespace gprofx
