// Translates a CUPTI activity record to a wire record.
//
// Reads the records through the newest structs of CUPTI's header, and only fields that have the
// same offset in all versions from CUPTI 12.4 on.
#pragma once

#include <cupti.h>

#include "samplers/cuda/names.h"

namespace gprofx::cuda {

void TranslateRecord(const CUpti_Activity& record, Names& names);

}  // namespace gprofx::cuda
