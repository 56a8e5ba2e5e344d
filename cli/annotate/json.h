// The output of `gprof-x annotate --json`, as a value.
#pragma once

#include "cli/annotate/annotate.h"
#include "cli/json_text.h"

namespace gprofx {

Json AnnotateValue(const Annotation& annotation, const AnnotateOptions& options,
                   const AnnotateSurroundings& around);

}  // namespace gprofx
