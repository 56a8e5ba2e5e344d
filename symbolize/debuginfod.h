// Debug files from the servers of $DEBUGINFOD_URLS. libdebuginfod is loaded when first needed and
// keeps its own cache
// ($DEBUGINFOD_CACHE_PATH or $XDG_CACHE_HOME/debuginfod_client). Blocking; uses the network; one
// thread.
#pragma once

#include <string>

#include "core/result.h"
#include "symbolize/elf_file.h"

namespace gprofx {

Result<ElfFile> FetchDebugFile(const std::string& build_id);

}  // namespace gprofx
