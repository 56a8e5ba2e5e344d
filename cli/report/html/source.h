// Annotated kernel code for a page: the data that gprof-x annotate prints.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "cli/annotate/annotation.h"
#include "cli/json_text.h"

namespace gprofx {

// `short_names`: full name of a kernel -> short name.
Json SourcesJson(const std::vector<Annotation>& kernels,
                 const std::unordered_map<std::string, std::string>& short_names,
                 const std::string& no_sass);

}  // namespace gprofx
