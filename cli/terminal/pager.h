// Shows text that is longer than the terminal in a pager.
//
// WantsPager() is pure; ShowInPager() starts a process and waits for it. The pager is $PAGER, else
// less, which quits by itself if the text fits on a screen, keeps colors and leaves the text on the
// screen (LESS=FRX unless LESS is set). Never used in a pipe.
#pragma once

#include <string>
#include <string_view>

#include "cli/terminal/screen.h"

namespace gprofx {

// Returns the pager command for a text of so many lines; "" = none: the text fits, the output is
// not a terminal, or PAGER is empty or "cat".
std::string WantsPager(bool is_terminal, int terminal_rows, size_t lines, const GetEnv& env);

// Returns false if the pager could not be found or started; the caller must print the text.
bool ShowInPager(const std::string& pager, std::string_view text);

// Returns the rows of the terminal on `fd`; 0 = no terminal.
int TerminalRows(int fd);

}  // namespace gprofx
