// Finds the operators of a framework that launched the kernels of a table. Views show them if one
// line of the user's code, such as the step of a trainer, launches all kernels: the line then does
// not distinguish the rows.
//
// Linear in nodes and values. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/views/call_tree.h"
#include "core/views/gpu/gpu_rows.h"

namespace gprofx {

// Returns, for each shown row, the operator that launched most of its time, such as "mm" or "mul
// backward"; "" if unknown. Empty if the user's lines already distinguish the rows, or if less than
// half of the rows have an operator.
std::vector<std::string> OperatorsOfRows(const Profile& profile, const Kept& kept,
                                         const GpuTable& table);

}  // namespace gprofx
