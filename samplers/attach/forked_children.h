// Finds processes that may be forked copies of a process, with all of its memory.
//
// Anyone can start a process whose memory comes from a file of their own. Reading that memory can
// block for as long as they like, and returns forged data. So only descendants with the same user
// ids, group ids and executable are returned. Such a descendant gains nothing that the process
// itself could not have. A child whose parent has ended is not found. Any thread.
#pragma once

#include <vector>

#include "samplers/attach/process_handle.h"

namespace gprofx::attach {

std::vector<ProcessHandle> ForkedChildrenOf(const ProcessHandle& process);

}  // namespace gprofx::attach
