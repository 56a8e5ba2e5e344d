// Declares the files from which pages are made. embed.cmake embeds them in gprof-x when it is
// built.
#pragma once

#include <string_view>

namespace gprofx {

// The frame of all pages. It contains the placeholders @STYLE@, @BODY@, @DATA@ and @SCRIPT@.
extern const std::string_view kPageFrame;
extern const std::string_view kPageStyle;
extern const std::string_view kSharedScript;  // for all pages: several scripts, concatenated

extern const std::string_view kPageBody;  // for the page of a profile
extern const std::string_view kPageScript;

extern const std::string_view kDiffBody;  // for the page of a comparison
extern const std::string_view kDiffScript;

extern const std::string_view kBenchmarksBody;  // for the page of a job of benchmarks
extern const std::string_view kBenchmarksScript;

extern const std::string_view kVariabilityBody;  // for the page of a variability analysis
extern const std::string_view kVariabilityScript;

}  // namespace gprofx
