// The operators of a framework that kernels work for. They tell the rows of a table apart where one
// line of the user's, such as the step of a trainer, launches all of them.
//
// Linear in nodes and values. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/views/call_tree.h"
#include "core/views/gpu/gpu_rows.h"

namespace gprofx {

// Returns, for each shown row, the operator that most of its time was launched by: "mm", "mul
// backward"; "" if it is unknown. Returns nothing if the user's lines tell the rows apart, or if
// less than half of the rows have an operator.
std::vector<std::string> OperatorsOfRows(const Profile& profile, const Kept& kept,
                                         const GpuTable& table);

}  // namespace gprofx
