// The text of the views. Each function returns whole lines. Text is for people and may change; JSON
// is the stable interface.
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
  bool verbose = false;  // the quality of the data in full
};

// Returns the default limits of the text.
Room TextRoom();

// Returns the text of a whole view.
std::string ReportText(const Page& page);

// Returns the lines above every view: header, quality, notes, filters.
std::string HeadText(const Page& page);

// Returns up to five sentences about what costs the time; "" if this view is about something else.
std::string VerdictText(const Page& page);

// Returns phases and steps, and the shown range; "" if there is nothing to say.
std::string PhasesLine(const Page& page);
// Names the range of a view: "the steady part", "steps 3 to 8", "1.500 s to 2.000 s".
std::string PartName(const View& view);

std::string TopText(const Page& page);             // --top and --lines
std::string StoredFindingsText(const Page& page);  // below --top: at most three lines
std::string KernelTopText(const Page& page);       // --by kernel
std::string LevelsText(const Page& page);          // --by layer, operator or library
std::string TreeText(const Page& page);            // --tree
std::string CallersText(const Page& page);         // --callers
std::string ThreadsText(const Page& page);         // --threads, and --top by thread or process
std::string TimelineText(const Page& page);        // --timeline
size_t TimelineColumns(const Screen& screen);      // of its bins
std::string MemoryText(const Page& page);          // --memory
size_t MemoryColumns(const Screen& screen);        // of its plots
std::string MarkersText(const Page& page);         // --markers, and below a timeline
std::string RanksText(const Page& page);           // all ranks together; "" if there are none
std::string RankRowsText(const Page& page);        // --ranks

// Returns "model.py:88"; "" without a file.
std::string PlaceText(std::string_view file, uint32_t line);

// Returns "model.py:88 attention": a Python line and its function, unless the function is called
// `own_name`; "" for no line.
std::string SeenAsText(const Profile& profile, FrameId line, std::string_view own_name);

// Returns the text of a source line, printable; "" if it is unknown.
std::string SourceOfLine(const Page& page, std::string_view file, uint32_t line);

// Wraps `parts` to the screen width; lines after the first are indented.
std::string Wrapped(const Page& page, const std::vector<std::string>& parts, int indent);

// Returns "... 212 more, together 24.2% of 61.4 s CPU time, none above 0.9%; --top 232 shows them".
// `base` is the name of `whole`.
std::string RestText(const Page& page, const Rest& rest, size_t all, int64_t whole,
                     const std::string& base);

// True if the screen has room for columns that a narrow one lacks.
bool IsRoomy(const Page& page);

std::string ShareOf(int64_t part, int64_t whole);     // "31.2%"
std::string OfBase(const Page& page, int64_t value);  // share of the view's metric
std::string WholeName(const Metric& metric);          // "CPU time": what 100 % is
std::string BaseText(const Page& page);               // "61.4 s CPU time"
std::string ShareTitle(const Page& page);             // "%CPU"

}  // namespace gprofx
