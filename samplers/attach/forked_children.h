// Processes that may have been forked from another one with all of its memory.
//
// Anyone can start a process whose memory is a file of their own: reading it then blocks for as
// long as they like, and what it holds is forged. So only descendants count, and of those only
// processes with the same user and group ids and the same executable, which gain nothing that the
// process itself could not have. A child whose parent has ended since is not found. Any thread.
#pragma once

#include <vector>

#include "samplers/attach/process_handle.h"

namespace gprofx::attach {

std::vector<ProcessHandle> ForkedChildrenOf(const ProcessHandle& process);

}  // namespace gprofx::attach
