// The source files of pages, embedded when gprof-x is built (embed.cmake).
#pragma once

#include <string_view>

namespace gprofx {

extern const std::string_view kPageFrame;  // all pages; with @STYLE@, @BODY@, @DATA@, @SCRIPT@
extern const std::string_view kPageStyle;
extern const std::string_view kSharedScript;  // all pages; the scripts concatenated

extern const std::string_view kPageBody;  // page of a profile
extern const std::string_view kPageScript;

extern const std::string_view kDiffBody;  // page of a comparison
extern const std::string_view kDiffScript;

extern const std::string_view kVariabilityBody;  // page of a variability analysis
extern const std::string_view kVariabilityScript;

}  // namespace gprofx
