// gprof-x variability: explains why the same work takes different time. The printers are pure: a
// model in, text out; they compute no numbers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/terminal/screen.h"
#include "core/variability/model.h"

namespace gprofx {

// Describes all that is known about the cause of a finding: "a copy beside it (92%)",
// "unexplained".
std::string CauseInWords(const variability::Explanation& why);
// The same as one stable word for JSON: "copy", "common", "unexplained".
std::string_view CauseWord(const variability::Explanation& why);
// "late rank: rank 1", "the GPU's clock: 1,200 instead of 1,980 MHz".
std::string StepCauseInWords(const variability::CauseRow& row, const variability::Model& model);
// Stable: "cpu", "late_rank".
std::string_view StepCauseWord(variability::StepCause cause);
// Describes a part of a step, as StepPart names it: "compute", "idle: data loading".
std::string PartInWords(const std::string& part);
std::string BesideInWords(variability::Beside beside);
// "softmax f32 [512x1x1, 256x1x1] #2"; the name of the kernel is printable.
std::string GroupInWords(const variability::GroupRow& group, bool full_name);

std::string VariabilityText(const variability::Model& model, const Screen& screen,
                            size_t most_rows);
std::string VariabilityJson(const variability::Model& model);

std::span<const OptionSpec> VariabilityOptionSpecs();
std::string VariabilityHelp();
int RunVariability(const std::vector<std::string>& args);

}  // namespace gprofx
