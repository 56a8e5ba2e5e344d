// Which file a recording writes.
#pragma once

#include "cli/record/recorder.h"
#include "core/result.h"
#include "formats/profile_db.h"

namespace gprofx {

// The right to write options.output, or, if the user named none and another recording writes that,
// the first free numbered name, which is then options.output and said.
Result<ProfileWriter> ClaimProfile(RecordOptions& options);

}  // namespace gprofx
