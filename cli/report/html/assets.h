// The files from which pages are made. embed.cmake embeds them when gprof-x is built.
#pragma once

#include <string_view>

namespace gprofx {

// For all pages; contains @STYLE@, @BODY@, @DATA@ and @SCRIPT@.
extern const std::string_view kPageFrame;
extern const std::string_view kPageStyle;
extern const std::string_view kSharedScript;  // for all pages: several scripts, concatenated

extern const std::string_view kPageBody;  // for the page of a profile
extern const std::string_view kPageScript;

extern const std::string_view kDiffBody;  // for the page of a comparison
extern const std::string_view kDiffScript;

extern const std::string_view kVariabilityBody;  // for the page of a variability analysis
extern const std::string_view kVariabilityScript;

}  // namespace gprofx
