// Writes a text to a file that appears when it is whole: what is there is replaced, or stays as it
// was when something fails. Links, folders, devices and profiles are never replaced. Who may
// read it: those whom the umask and the modes of all files that were read let, see source_mode.h.
// Errors are one line; `option` is named as the way out. Blocking.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace gprofx {

// That it can be written; to be asked before any work is done.
Status CheckTextFile(const std::string& path, const std::string& option);
Status ReplaceTextFile(const std::string& path, std::string_view text, const std::string& option);

// The same without that check: in a folder that is gprof-x's own. `way_out` is that of the error.
Status WriteTextFile(const std::string& path, std::string_view text, const std::string& way_out);

}  // namespace gprofx
