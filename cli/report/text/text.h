// Formats the views as text. Each function returns whole lines. The text is for people and may
// change; JSON is the stable interface.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/report/report.h"
#include "core/views/view.h"

namespace gprofx {

struct Page {
  const View& view;
  const ReportSurroundings& around;
  bool wide = false;
  bool verbose = false;  // true: describe the quality of the data in full
};

// Returns the default limits on the rows of a text report.
Room TextRoom();

// Returns the text of the whole view, including its head.
std::string ReportText(const Page& page);

// Returns the lines above every view: header, quality of the data, notes and filters.
std::string HeadText(const Page& page);

// Returns up to five sentences that say what takes the time. Returns "" if the view has no verdict.
std::string VerdictText(const Page& page);

// Returns a line about the phases, the steps and the shown range. Returns "" if there is none of
// these.
std::string PhasesLine(const Page& page);
// Returns the name of the shown range: "the steady part", "steps 3 to 8", "1.500 s to 2.000 s".
std::string PartName(const View& view);

std::string TopText(const Page& page);             // --top and --lines
std::string StoredFindingsText(const Page& page);  // below --top: up to three lines
std::string KernelTopText(const Page& page);       // --by kernel
std::string LevelsText(const Page& page);          // --by layer, operator or library
std::string TreeText(const Page& page);            // --tree
std::string CallersText(const Page& page);         // --callers
std::string ThreadsText(const Page& page);         // --threads, and --top by thread or process
std::string TimelineText(const Page& page);        // --timeline
size_t TimelineColumns(const Screen& screen);      // number of bins in its timeline
std::string MemoryText(const Page& page);          // --memory
size_t MemoryColumns(const Screen& screen);        // width of its plots
std::string MarkersText(const Page& page);         // --markers, and below a timeline
std::string RanksText(const Page& page);           // a table of all ranks; "" if there are none
std::string RankRowsText(const Page& page);        // --ranks

// Returns a source line as text, such as "model.py:88". Returns "" if there is no file.
std::string PlaceText(std::string_view file, uint32_t line);

// Returns a Python line with its function, such as "model.py:88 attention". Leaves out the function
// if it is called `own_name`. Returns "" if there is no line.
std::string SeenAsText(const Profile& profile, FrameId line, std::string_view own_name);

// Returns the text of a source line in printable form. Returns "" if it is unknown.
std::string SourceOfLine(const Page& page, std::string_view file, uint32_t line);

// Wraps `parts` to the width of the screen. Lines after the first are indented.
std::string Wrapped(const Page& page, const std::vector<std::string>& parts, int indent);

// Returns the line about the rows that are not shown: "... 212 more, together 24.2% of 61.4 s CPU
// time, none above 0.9%; --top 232 shows them". `base` is the name of the quantity of which `whole`
// is the sum.
std::string RestText(const Page& page, const Rest& rest, size_t all, int64_t whole,
                     const std::string& base);

// True if the screen is wide enough for additional columns.
bool IsRoomy(const Page& page);

std::string ShareOf(int64_t part, int64_t whole);     // "31.2%"
std::string OfBase(const Page& page, int64_t value);  // share that `value` has in the view's metric
std::string WholeName(const Metric& metric);          // what percentages are of: "CPU time"
std::string BaseText(const Page& page);               // "61.4 s CPU time"
std::string ShareTitle(const Page& page);             // "%CPU"

}  // namespace gprofx
