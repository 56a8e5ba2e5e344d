// The text of the views. Each function returns whole lines. Text is for people and may change; JSON
// is the contract.
#pragma once

#include <string>

#include "cli/report/analysis.h"

namespace gprofx {

// Header, quality line, notes, filters: the lines above every view.
std::string HeadText(const Analysis& analysis);

std::string TopText(const Analysis& analysis);   // --top and --lines
std::string TreeText(const Analysis& analysis);  // --tree
Result<std::string> CallersText(const Analysis& analysis);
std::string ThreadsText(const Analysis& analysis);  // --threads, and --top by thread or process

// Ready to paste: "gprof-x report FILE ARGUMENTS"; "" when the file's name cannot be typed.
std::string CommandText(const Analysis& analysis, const std::string& arguments);

// `text` quoted for a shell; "" when it holds bytes that cannot be pasted.
std::string ShellQuoted(std::string_view text);

std::string OfBase(const Analysis& analysis, int64_t value);  // share of the whole: "31.2%"
std::string BaseText(const Analysis& analysis);               // "61.4 s CPU time"
std::string ShareTitle(const Analysis& analysis);             // "%CPU"

}  // namespace gprofx
