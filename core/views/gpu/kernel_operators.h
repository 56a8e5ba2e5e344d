// Finds the operators of a framework that launched the kernels of a table. They tell the rows apart
// if one line of the user's code, such as the step of a trainer, launches all of them.
//
// Linear in nodes and values. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/views/call_tree.h"
#include "core/views/gpu/gpu_rows.h"

namespace gprofx {

// Returns, for each shown row, the operator that launched most of its time: "mm", "mul backward";
// "" if it is unknown. Returns nothing if the user's lines already tell the rows apart, or if less
// than half of the rows have an operator.
std::vector<std::string> OperatorsOfRows(const Profile& profile, const Kept& kept,
                                         const GpuTable& table);

}  // namespace gprofx
