// Makes the code that a page shows: kernels as in gprof-x annotate, and recorded source files.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "cli/annotate/annotation.h"
#include "cli/json_text.h"
#include "core/views/page/page_tree.h"

namespace gprofx {

// `short_names` maps the full name of a kernel to its short name.
Json SourcesJson(const std::vector<Annotation>& kernels,
                 const std::unordered_map<std::string, std::string>& short_names,
                 const std::string& no_sass);

// Returns the texts of the Python files that contain call sites in the page: [{file, lines}]. If a
// path has several texts, the first one is used. Files that exceed a limit on the size are left
// out.
Json FileTextsJson(const std::vector<SourceText>& sources, const Profile& profile,
                   const PageTree& tree);

}  // namespace gprofx
