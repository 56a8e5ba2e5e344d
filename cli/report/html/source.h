// Code for a page: kernels as gprof-x annotate prints them, and source files as they were recorded.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "cli/annotate/annotation.h"
#include "cli/json_text.h"
#include "core/views/page/page_tree.h"

namespace gprofx {

// `short_names`: full name of a kernel -> short name.
Json SourcesJson(const std::vector<Annotation>& kernels,
                 const std::unordered_map<std::string, std::string>& short_names,
                 const std::string& no_sass);

// Texts of the Python files that call sites of the page are in: [{file, lines}]. The first of
// several texts of a path counts. Files beyond a limit are left out.
Json FileTextsJson(const std::vector<SourceText>& sources, const Profile& profile,
                   const PageTree& tree);

}  // namespace gprofx
