// Writes a text file atomically: an existing file is either replaced or, on failure, unchanged.
// Links, folders, devices and profiles are never replaced. The file is readable only by those whom
// both the umask and the modes of all input files permit (source_mode.h). Errors are one line and
// suggest another value for `option`. Blocking.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace gprofx {

// CheckTextFile() fails if the file cannot be written; it is called before any work is done.
// ReplaceTextFile() writes the file.
Status CheckTextFile(const std::string& path, const std::string& option);
Status ReplaceTextFile(const std::string& path, std::string_view text, const std::string& option);

// Writes like ReplaceTextFile(), but without the checks of CheckTextFile(). Used for gprof-x's own
// folders. `way_out` is the remedy that an error names.
Status WriteTextFile(const std::string& path, std::string_view text, const std::string& way_out);

}  // namespace gprofx
