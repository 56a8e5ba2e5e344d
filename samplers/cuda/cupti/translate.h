// Translates a CUPTI activity record to a wire record.
//
// Reads only fields that have the same offset in all record versions from CUPTI 12.4 on, through
// the header's newest structs.
#pragma once

#include <cupti.h>

#include "samplers/cuda/names.h"

namespace gprofx::cuda {

void TranslateRecord(const CUpti_Activity& record, Names& names);

}  // namespace gprofx::cuda
