// Makes the JSON value that `gprof-x annotate --json` prints.
#pragma once

#include "cli/annotate/annotate.h"
#include "cli/json_text.h"

namespace gprofx {

Json AnnotateValue(const Annotation& annotation, const AnnotateOptions& options,
                   const AnnotateSurroundings& around);

}  // namespace gprofx
