// gprof-x variability: explains why the same work takes different times. The printers are pure:
// they turn a model into text and compute no numbers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/terminal/screen.h"
#include "core/variability/model.h"

namespace gprofx {

// Returns the cause of a finding in words, such as "a copy beside it (92%)" or "unexplained".
std::string CauseInWords(const variability::Explanation& why);
// Returns the cause of a finding as one word for JSON, which never changes: "copy", "common",
// "unexplained".
std::string_view CauseWord(const variability::Explanation& why);
// Returns the cause of longer steps in words, such as "late rank: rank 1" or "the GPU's clock:
// 1,200 instead of 1,980 MHz".
std::string StepCauseInWords(const variability::CauseRow& row, const variability::Model& model);
// Returns the cause of longer steps as one word for JSON, which never changes: "cpu", "late_rank".
std::string_view StepCauseWord(variability::StepCause cause);
// Returns a part of a step in words, such as "compute" or "idle: data loading". `part` is
// StepPart::name.
std::string PartInWords(const std::string& part);
std::string BesideInWords(variability::Beside beside);
// Returns the name of a group, such as "softmax f32 [512x1x1, 256x1x1] #2". The name of the kernel
// is printable.
std::string GroupInWords(const variability::GroupRow& group, bool full_name);

std::string VariabilityText(const variability::Model& model, const Screen& screen,
                            size_t most_rows);
std::string VariabilityJson(const variability::Model& model);

std::span<const OptionSpec> VariabilityOptionSpecs();
std::string VariabilityHelp();
int RunVariability(const std::vector<std::string>& args);

}  // namespace gprofx
