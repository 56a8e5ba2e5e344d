// The files that pages are made of, embedded when gprof-x is built (embed.cmake).
#pragma once

#include <string_view>

namespace gprofx {

extern const std::string_view kPageFrame;  // of all pages; with @STYLE@, @BODY@, @DATA@, @SCRIPT@
extern const std::string_view kPageStyle;
extern const std::string_view kSharedScript;  // of all pages, the scripts one behind the other

extern const std::string_view kPageBody;  // of a profile
extern const std::string_view kPageScript;

extern const std::string_view kDiffBody;  // of a comparison
extern const std::string_view kDiffScript;

extern const std::string_view kVariabilityBody;  // of an analysis of variability
extern const std::string_view kVariabilityScript;

}  // namespace gprofx
