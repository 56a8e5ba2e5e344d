// Debug files from the servers of $DEBUGINFOD_URLS, by libdebuginfod, which keeps its own cache
// ($DEBUGINFOD_CACHE_PATH or $XDG_CACHE_HOME/debuginfod_client).
//
// The library is loaded by a process of its own, `helper` (cli/foreign.c): gprof-x is static, and
// the child that reads untrusted files has no network. Blocking, kFetchSeconds at most.
#pragma once

#include <string>

#include "core/base/result.h"

namespace gprofx {

inline constexpr int kFetchSeconds = 120;

// The path of the debug file of `build_id` (IsBuildId), which is to be checked by who opens it.
Result<std::string> FetchDebugFile(const std::string& build_id, const std::string& helper);

}  // namespace gprofx
