// One CUPTI activity record to one record on the wire.
//
// Only fields that have the same place in all record versions from CUPTI 12.4 on are read, through
// the header's newest structs.
#pragma once

#include <cupti.h>

#include "samplers/cuda/names.h"

namespace gprofx::cuda {

void TranslateRecord(const CUpti_Activity& record, Names& names);

}  // namespace gprofx::cuda
