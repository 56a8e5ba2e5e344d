// Makes the first lines of a report, which say in words what takes the time.
#include "core/views/verdict/verdict.h"

#include <algorithm>

#include "cli/report/number.h"
#include "cli/report/text/text.h"
#include "cli/terminal/text.h"
#include "core/base/format.h"
#include "core/views/naming/names.h"
#include "core/views/naming/short_arguments.h"

namespace gprofx {
namespace {

constexpr double kSome = 0.1, kMuch = 0.2, kMost = 0.5, kNearlyAll = 0.9;

double Share(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string TimeName(const Page& page) {
  const std::string name = WholeName(page.view.metric);
  return name == "host" ? "host time" : name == "samples" ? "time of the samples" : name;
}

// Returns the place of a line: "load_authors (app.py:22)", or "app.py:22" for the top level of a
// file.
std::string PlaceOf(const Profile& profile, FrameId line) {
  const Frame& frame = profile.frame(line);
  const std::string place = Printable(PlaceText(FrameFile(profile, frame), frame.line));
  constexpr int kLongest = 60;
  const std::string function = FitEnd(Printable(FrameName(profile, frame)), kLongest);
  if (place.empty()) return function;
  return function == "<module>" ? place : function + " (" + place + ")";
}

bool IsAtImport(const OwnFunction& own) { return Share(own.at_import_ns, own.ns) >= kNearlyAll; }
bool NamesLibrary(const OwnFunction& own) {
  return !own.library.empty() && Share(own.library_ns, own.ns) >= kMuch;
}
bool ImportsLibrary(const OwnFunction& own) {
  return Share(own.library_import_ns, own.library_ns) >= kNearlyAll;
}
bool IsTold(const TimeVerdict& verdict) {
  return verdict.own.line && Share(verdict.own.ns, verdict.whole) >= kSome;
}

// Returns the time of imports that the sentence about own code mentions.
int64_t ToldImports(const TimeVerdict& verdict) {
  const OwnFunction& own = verdict.own;
  if (!IsTold(verdict)) return 0;
  if (IsAtImport(own)) return own.at_import_ns;
  return NamesLibrary(own) && ImportsLibrary(own) ? own.library_import_ns : 0;
}

// Returns the sentence about own code. Examples: "59.8% of the CPU time is in load_authors
// (app.py:22), 84.9% of that in calls to sqlite3"; "... is in words.py:7 at import, ..."; "...,
// 98.0% of that in the import of torch"; "... is in parse (conftest.py:12), called from catalog
// (conftest.py:30)".
std::string OwnCodeText(const Page& page, const TimeVerdict& verdict) {
  const OwnFunction& own = verdict.own;
  if (!IsTold(verdict)) return "";
  std::string text = ShareOf(own.ns, verdict.whole) + " of the " + TimeName(page) + " is in " +
                     PlaceOf(page.view.profile, own.line);
  if (own.entry) text += ", called from " + PlaceOf(page.view.profile, own.entry);
  if (IsAtImport(own)) text += " at import";
  if (NamesLibrary(own)) {
    text += ", " + ShareOf(own.library_ns, own.ns) + " of that in " +
            (ImportsLibrary(own) ? "the import of " : "calls to ") +
            FitEnd(Printable(own.library), 40);
  }
  return text;
}

// Returns the sentence about imports: "Imports take 21.0% of the CPU time, most of it torch
// (train.py:12)". Returns "" if the sentence about own code mentions most of that time.
std::string ImportsText(const Page& page, const TimeVerdict& verdict) {
  const Imports& imports = verdict.imports;
  if (Share(imports.ns, verdict.whole) < kSome || Share(ToldImports(verdict), imports.ns) > kMost)
    return "";
  std::string text =
      "Imports take " + ShareOf(imports.ns, verdict.whole) + " of the " + TimeName(page);
  if (!imports.line || Share(imports.library_ns, imports.ns) < kMost) return text;
  const Frame& frame = page.view.profile.frame(imports.line);
  const std::string place = Printable(PlaceText(FrameFile(page.view.profile, frame), frame.line));
  if (place.empty()) return text;
  if (imports.library.empty()) return text + ", most of it at " + place;
  return text + ", most of it " + FitEnd(Printable(imports.library), 40) + " (" + place + ")";
}

// Returns the sentence about waits. If processes were not sampled, or for an imported trace,
// nothing is known about waits.
std::string WaitingText(const Page& page, const TimeVerdict& verdict) {
  const std::string& clock = page.view.metric.name;
  if (page.view.quality.not_sampled > 0) return "";
  if (clock == "cpu" && verdict.length_ns > 0 && Share(verdict.cpu_ns, verdict.length_ns) < kMost &&
      !page.view.gpu.present) {
    return "The program is on a CPU for " + ShareOf(verdict.cpu_ns, verdict.length_ns) + " of " +
           Duration(verdict.length_ns) +
           ". The program waits, or other programs use the CPUs. Record with --clock wall to see "
           "where";
  }
  if (clock != "wall" || Share(verdict.waiting_ns, verdict.whole) < kMuch) return "";
  return "The threads wait for " + ShareOf(verdict.waiting_ns, verdict.whole) +
         " of their wall time";
}

// Returns a text about the process with the largest share: ", with the largest share in the process
// for f1.cpp: 31.2%". Returns "" if nothing distinguishes the processes, or if they have about the
// same time.
std::string LargestText(const Profile& profile, const TimeVerdict& verdict) {
  constexpr double kMore = 1.2;
  const double even = static_cast<double>(verdict.program_ns) /
                      static_cast<double>(std::max<size_t>(verdict.program_processes, 1));
  if (!verdict.largest || static_cast<double>(verdict.largest_ns) < kMore * even) return "";
  const Process& process = profile.process(verdict.largest);
  const std::string arguments =
      ShortArguments(profile.Text(process.name), profile.Text(process.command));
  if (arguments.empty()) return "";
  return ", with the largest share in the process for " + FitEnd(Printable(arguments), 40) + ": " +
         ShareOf(verdict.largest_ns, verdict.whole);
}

std::string ProgramText(const Page& page, const TimeVerdict& verdict) {
  const double share = Share(verdict.program_ns, verdict.whole);
  const bool has_ranks =
      page.view.ranks && (page.view.gpu.present || page.view.recording.are_ranks);
  // The processes are the ranks, which have a sentence of their own.
  if (has_ranks && share > kNearlyAll) return "";
  if (verdict.program.empty() || share < kMost || verdict.program == page.view.recording.program)
    return "";
  const auto processes = static_cast<int64_t>(verdict.program_processes);
  const std::string of = ShareOf(verdict.program_ns, verdict.whole) + " of the " + TimeName(page) +
                         " is in " + Grouped(processes);
  const std::string text = of + (processes == 1 ? " process of " : " processes of ") +
                           FitEnd(Printable(verdict.program), 40);
  return text + LargestText(page.view.profile, verdict);
}

std::string LockText(const TimeVerdict& verdict) {
  const double cpus = Share(verdict.python_cpu_ns, verdict.length_ns);
  const bool takes_turns = verdict.busy_threads > 1 && cpus > kMost && cpus < 1.3 &&
                           Share(verdict.with_gil_ns, verdict.python_cpu_ns) > kNearlyAll;
  if (!takes_turns) return "";
  return Grouped(static_cast<int64_t>(verdict.busy_threads)) +
         " threads take turns with the interpreter's lock: together they use " +
         Format("%.1f", cpus) + " CPU";
}

// Returns what distinguishes the slowest rank. Returns "" if it differs little. Repetitions of a
// run are no ranks.
std::string SlowestByText(const Page& page, const Ranks& ranks) {
  const Spread& spread = ranks.facts[static_cast<size_t>(ranks.slowest_by)];
  const Spread& gpu = ranks.facts[static_cast<size_t>(RankFact::kGpu)];
  const bool waits = ranks.slowest_by == RankFact::kCommunication;
  if (Share(spread.most - spread.least, waits ? gpu.most : spread.most) < kSome) return "";
  if (waits) return "the others wait for it, up to " + Duration(spread.most) + " in communication";
  if (!page.view.recording.are_ranks) return "";
  return Duration(spread.most) + (ranks.slowest_by == RankFact::kGpu ? " of GPU" : " of CPU") +
         " time, compared with a minimum of " + Duration(spread.least);
}

// Returns the sentence about the slowest rank: "The slowest rank is rank 1: the others wait for it,
// up to 1.38 s in communication. It spends 391 ms more than the others in prepare (train.py:16)".
std::string LateRankText(const Page& page, const TimeVerdict& verdict) {
  constexpr double kExcess = 0.03;  // fraction of the mean time of a rank
  const std::optional<Ranks>& ranks = page.view.ranks;
  if (!ranks || !ranks->slowest) return "";
  const std::string by = SlowestByText(page, *ranks);
  if (by.empty()) return "";
  const std::string text = "The slowest rank is " +
                           FitEnd(Printable(ranks->ranks[*ranks->slowest].name), 60) + ": " + by;
  const auto mean = verdict.whole / static_cast<int64_t>(ranks->ranks.size());
  if (!verdict.late.line || Share(verdict.late.ns, mean) < kExcess) return text;
  return text + ". It spends " + Amount(verdict.late.ns, page.view.metric.unit) +
         " more than the others in " + PlaceOf(page.view.profile, verdict.late.line);
}

std::string GpuText(const Page& page) {
  const WallShares& wall = page.view.wall;
  if (page.view.lanes.size() > 1) return "";  // each process and GPU has a row of its own
  if (wall.total_ns <= 0 || static_cast<double>(wall.idle.tenths) < 1000 * kMuch) return "";
  const bool several = page.view.gpu.present && page.view.recording.devices.size() > 1;
  std::string text = (several ? "All GPUs are idle for " : "The GPU is idle for ") +
                     Format("%.1f%%", wall.idle.tenths / 10.0) + " of " + Duration(wall.total_ns);
  const WallShare* largest = LargestIdle(wall);
  if (largest == nullptr || largest == &wall.idle_parts.back()) return text;
  return text + ", " + Format("%.1f%%", largest->tenths / 10.0) + " " + Printable(largest->what);
}

}  // namespace

std::string VerdictText(const Page& page) {
  if (!page.view.verdict) return "";
  const TimeVerdict& verdict = *page.view.verdict;
  std::string out;
  for (const std::string& text :
       {GpuText(page), LateRankText(page, verdict), WaitingText(page, verdict),
        ProgramText(page, verdict), LockText(verdict), OwnCodeText(page, verdict),
        ImportsText(page, verdict)}) {
    if (text.empty()) continue;
    std::vector<std::string> words;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find(' ', begin), text.size());
      words.push_back(FitEnd(text.substr(begin, end - begin), page.around.screen.columns - 4));
      begin = end + 1;
    }
    words.back() += ".";
    out += Wrapped(page, words, 2);
  }
  return out;
}

}  // namespace gprofx
