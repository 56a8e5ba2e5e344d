// Text that is longer than the terminal goes through a pager.
//
// WantsPager() is pure; ShowInPager() starts a process and waits for it. The pager is $PAGER, else
// less, which quits by itself where all fits on a screen, keeps colours and leaves the text on the
// screen (LESS=FRX unless LESS is set). Never in a pipe.
#pragma once

#include <string>
#include <string_view>

#include "cli/terminal/screen.h"

namespace gprofx {

// The command of the pager for a text of so many lines; "" = none: the text fits, the output is no
// terminal, or PAGER is empty or "cat".
std::string WantsPager(bool is_terminal, int terminal_rows, size_t lines, const GetEnv& env);

// False when the pager could not be started or found: the text is still to be printed.
bool ShowInPager(const std::string& pager, std::string_view text);

// Of the terminal on `fd`; 0 = none.
int TerminalRows(int fd);

}  // namespace gprofx
