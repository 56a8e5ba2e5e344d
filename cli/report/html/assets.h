// The files that a page is made of, embedded when gprof-x is built (embed.cmake).
#pragma once

#include <string_view>

namespace gprofx {

extern const std::string_view kPageHtml;    // with @STYLE@, @SCRIPT@ and @DATA@
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;  // the scripts, one behind the other

}  // namespace gprofx
