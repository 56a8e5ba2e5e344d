// Finds processes that may have been forked from another one with all of its memory.
//
// Anyone can start a process whose memory is backed by their own file: reading it can block for as
// long as they like and returns forged data. So only descendants with the same user ids, group ids
// and executable are returned: such a descendant gains nothing that the process itself could not
// have. A child whose parent has ended is not found. Any thread.
#pragma once

#include <vector>

#include "samplers/attach/process_handle.h"

namespace gprofx::attach {

std::vector<ProcessHandle> ForkedChildrenOf(const ProcessHandle& process);

}  // namespace gprofx::attach
