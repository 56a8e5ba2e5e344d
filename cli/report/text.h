// The text of the views. Each function returns whole lines. Text is for people and may change; JSON
// is the contract.
#pragma once

#include <string>

#include "cli/report/analysis.h"

namespace gprofx {

// Header, quality line, notes, filters: the lines above every view.
std::string HeadText(const Analysis& analysis);

std::string TopText(const Analysis& analysis);        // --top and --lines
std::string KernelTopText(const Analysis& analysis);  // --by kernel
std::string TreeText(const Analysis& analysis);       // --tree
Result<std::string> CallersText(const Analysis& analysis);
std::string ThreadsText(const Analysis& analysis);  // --threads, and --top by thread or process

// Ready to paste: "gprof-x report FILE ARGUMENTS"; "" when the file's name cannot be typed.
std::string CommandText(const Analysis& analysis, const std::string& arguments);

// "gprof-x annotate NAME FILE" in the same way; `name` is ShellQuoted().
std::string AnnotateCommand(const Analysis& analysis, const std::string& name);

// Commands to go on with, one per line; empty ones are left out.
std::string HintLines(const std::vector<std::string>& commands);

// `text` quoted for a shell; "" when it holds bytes that cannot be pasted.
std::string ShellQuoted(std::string_view text);

// "model.py:88"; "" without a file.
std::string PlaceText(std::string_view file, uint32_t line);

// "model.py:88 attention": a Python line and the function that it is in, unless that is called
// `own_name`; "" for no line.
std::string SeenAsText(const Profile& profile, FrameId line, std::string_view own_name);

std::string OfBase(const Analysis& analysis, int64_t value);  // share of the whole: "31.2%"
std::string BaseText(const Analysis& analysis);               // "61.4 s CPU time"
std::string ShareTitle(const Analysis& analysis);             // "%CPU"

}  // namespace gprofx
