// Fetches debug files from the servers of $DEBUGINFOD_URLS with libdebuginfod, which keeps its own
// cache ($DEBUGINFOD_CACHE_PATH or $XDG_CACHE_HOME/debuginfod_client).
//
// A separate program, `helper` (cli/foreign.c), loads the library: gprof-x is linked statically,
// and the child that reads untrusted files has no network. Blocks for at most kFetchSeconds.
#pragma once

#include <string>

#include "core/base/result.h"

namespace gprofx {

inline constexpr int kFetchSeconds = 120;

// Returns the path of the debug file for `build_id`, which must be valid (IsBuildId). The caller
// must check that the file is the right one.
Result<std::string> FetchDebugFile(const std::string& build_id, const std::string& helper);

}  // namespace gprofx
