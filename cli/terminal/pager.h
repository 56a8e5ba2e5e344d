// Shows text in a pager if it is longer than the terminal. The pager is $PAGER (default: less with
// LESS=FRX, unless LESS is set). With these options, less quits by itself if the text fits on a
// screen, keeps colors, and leaves the text on the screen. Never used in a pipe.
//
// WantsPager() is pure. ShowInPager() starts a process and waits for it.
#pragma once

#include <string>
#include <string_view>

#include "cli/terminal/screen.h"

namespace gprofx {

// Returns the command of the pager for a text with `lines` lines. Returns "" if no pager is to be
// used, because the text fits, the output is not a terminal, or PAGER is empty or "cat".
std::string WantsPager(bool is_terminal, int terminal_rows, size_t lines, const GetEnv& env);

// Shows the text and waits for the end of the pager. Returns false if the pager could not be
// started; the caller must then print the text.
bool ShowInPager(const std::string& pager, std::string_view text);

// Returns the number of rows of the terminal on `fd`. Returns 0 if it is not a terminal.
int TerminalRows(int fd);

}  // namespace gprofx
