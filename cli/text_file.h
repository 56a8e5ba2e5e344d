// Writes a text file atomically: an existing file is replaced, or unchanged on failure. Links,
// folders, devices and profiles are never replaced. The file is readable by those whom the umask
// and the modes of all input files permit, see source_mode.h. Errors are one line; `option` is
// named as the remedy. Blocking.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace gprofx {

// Checks that the file can be written. Call before doing any work.
Status CheckTextFile(const std::string& path, const std::string& option);
Status ReplaceTextFile(const std::string& path, std::string_view text, const std::string& option);

// Like ReplaceTextFile, but without the checks of CheckTextFile, for gprof-x's own folders.
// `way_out` is the remedy of the error.
Status WriteTextFile(const std::string& path, std::string_view text, const std::string& way_out);

}  // namespace gprofx
