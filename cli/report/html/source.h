// Annotated code of kernels as a page shows it: what gprof-x annotate prints.
#pragma once

#include <string>
#include <vector>

#include "cli/annotate/annotation.h"
#include "cli/json_text.h"

namespace gprofx {

Json SourcesJson(const std::vector<Annotation>& kernels, const std::string& no_sass);

}  // namespace gprofx
