#include "cli/ci/history.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>

#include "cli/baseline_store.h"
#include "cli/ci/benchmark_history/history.h"
#include "cli/ci/benchmark_history/readers.h"
#include "cli/ci/ci.h"
#include "cli/ci/history_text.h"
#include "cli/command.h"
#include "cli/diff/sides.h"
#include "cli/diff/words.h"
#include "cli/folders.h"
#include "cli/json_text.h"
#include "cli/options/fields.h"
#include "cli/options/shared.h"
#include "cli/report/number.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "cli/terminal/wrap.h"

namespace gprofx {
namespace {

constexpr char kHistoryCommand[] = "gprof-x ci history";
constexpr size_t kMaxSeries = 100'000;
constexpr size_t kUsualSeries = 10;
constexpr size_t kMinVersions = 6;

constexpr OptionSpec kHistorySpecs[] = {
    {"name", "NAME", nullptr,
     "Select the baselines, the machine of asv, or the suite NAME if FOLDER contains several."},
    option::Limit("Examine at most N functions and kernels (default: 10)."),
    option::Wide(),
    option::Json(),
    option::kColor,
    option::kHelp,
};

struct Place {
  std::string name;
  std::vector<std::string> files;
};

// Returns the versions in a folder, sorted by name. A version is a profile, or a subfolder that
// contains profiles.
Result<std::vector<Place>> PlacesIn(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) {
    return Error{ErrorId::kCannotRead, "cannot read the folder '" + path + "': " + strerror(errno),
                 "name a folder that has a folder of profiles for each version"};
  }
  const Result<std::vector<std::string>> names = NamesIn(path);
  if (!names) return names.error();
  std::vector<Place> places;
  for (const std::string& name : *names) {
    const std::string inside = path + "/" + name;
    if (name.ends_with(".gprofx")) {
      places.push_back({name.substr(0, name.rfind('.')), {inside}});
      continue;
    }
    struct stat is {};
    if (stat(inside.c_str(), &is) != 0 || !S_ISDIR(is.st_mode)) continue;
    if (const auto readable = NamesIn(inside); !readable) return readable.error();
    const Result<std::vector<std::string>> files = ProfilesOf({inside});
    if (files) places.push_back({name, *files});
  }
  return places;
}

// Returns the baselines that are saved under `name`, oldest first. If `name` is empty, the store
// must contain a single name, which is used.
Result<std::vector<Place>> PlacesOfBaselines(const std::string& folder, std::string name) {
  const BaselineStore store(folder);
  if (name.empty()) {
    const Result<std::vector<Baseline>> all = store.All();
    if (!all) return all.error();
    std::set<std::string> names;
    for (const Baseline& one : *all) names.insert(one.name);
    const Result<std::string> only = Chosen(folder, {names.begin(), names.end()}, "", "baselines");
    if (!only) return only.error();
    name = *only;
  }
  const Result<std::vector<Baseline>> list = store.Named(name);
  if (!list) return list.error();
  std::vector<Place> places;
  for (const Baseline& one : *list) {
    const Result<std::vector<std::string>> files = store.FilesOf(one);
    if (!files) return files.error();
    places.push_back({one.commit.empty() ? one.saved : one.commit, *files});
  }
  return places;
}

Result<std::vector<HistoryVersion>> ReadVersions(const std::vector<Place>& places) {
  std::vector<HistoryVersion> versions;
  for (const Place& place : places) {
    Result<std::vector<compare::Run>> runs = ReadRuns(place.files);
    if (!runs) return runs.error();
    versions.push_back({place.name, std::move(*runs)});
  }
  return versions;
}

// Returns a text that lists the facts of the machine which differ between versions. Times of
// different machines are not comparable.
std::string MachinesText(const std::vector<HistoryVersion>& versions) {
  std::map<std::string, std::set<std::string>> facts;
  for (const HistoryVersion& version : versions) {
    for (const compare::Run& run : version.runs) {
      for (const auto& [name, value] : run.machine) facts[name].insert(value);
    }
  }
  std::string differing;
  for (const auto& [name, values] : facts) {
    if (values.size() > 1) differing += (differing.empty() ? "" : ", ") + name;
  }
  return differing;
}

std::string Time(double logarithm) { return ShortTimeText(std::exp(logarithm)); }

std::string Confidence(double p) { return p < 1e-3 ? ">99.9%" : Percent(1 - p, 1); }

std::string NoteLine(const std::string& note, const Screen& screen) {
  return WrapWords("note: " + note, screen.columns) + "\n";
}

std::string Text(const std::vector<HistoryVersion>& versions, const std::vector<HistorySeries>& all,
                 const std::vector<std::string>& notes, const Screen& screen, bool wide) {
  size_t runs = 0, changed = 0;
  for (const HistoryVersion& version : versions) runs += version.runs.size();
  for (const HistorySeries& series : all) changed += series.changes.empty() ? 0 : 1;
  const char* unit = HistoryIsOfSteps(versions) ? " runs, time per step;" : " runs, time per run;";
  const bool of_benchmarks = runs == 0;
  const auto series_count = static_cast<int64_t>(all.size());
  const std::string head[] = {
      Paint(screen, Ink::kBold, "gprof-x ci history:"),
      Grouped(static_cast<int64_t>(versions.size())) + " versions,",
      of_benchmarks ? "time per call;" : Grouped(static_cast<int64_t>(runs)) + unit,
      of_benchmarks
          ? "compared " + Grouped(series_count) + " benchmarks;"
          : "compared the whole and " + Grouped(series_count - 1) + " functions and kernels;",
      changed == 0 ? "no change" : Grouped(static_cast<int64_t>(changed)) + " of them changed"};
  std::string text = WrapParts(head, std::size(head), " ", screen.columns, 2) + "\n";
  for (const std::string& note : notes) text += NoteLine(note, screen);
  if (const std::string differing = MachinesText(versions); !differing.empty()) {
    const std::string parts[] = {"note:", "versions differ in", Printable(differing) + ":",
                                 "a change may be caused by the machine"};
    text += WrapParts(parts, std::size(parts), " ", screen.columns, 2) + "\n";
  }
  if (versions.size() < kMinVersions) {
    const std::string parts[] = {"note:", "a change needs three versions on each side, so",
                                 std::to_string(kMinVersions), "or more are needed"};
    text += WrapParts(parts, std::size(parts), " ", screen.columns, 2) + "\n";
  }
  if (changed == 0) return text;
  Table table({{"version", Align::kLeft, 1, &FitMiddle},
               {"change", Align::kRight},
               {"before", Align::kRight},
               {"after", Align::kRight},
               {"confidence", Align::kRight},
               {"kind"},
               {"name", Align::kLeft, 2, &ShortenName}});
  for (const HistorySeries& series : all) {
    for (const compare::ChangePoint& point : series.changes) {
      const size_t before = MeasuredBefore(series, point.at);
      const std::string place =
          ChangePlace(VersionText(versions[before].name), VersionText(versions[point.at].name),
                      before + 1 < point.at);
      table.Add({place, ChangeText(point.after - point.before), Time(point.before),
                 Time(point.after), Confidence(point.p), series.kind,
                 series.kind.empty() ? "the whole" : Printable(series.name)});
    }
  }
  return text + "\n" + table.Render(screen, wide);
}

const char* UnitWord(const std::vector<HistoryVersion>& versions) {
  if (!versions.empty() && versions.front().runs.empty()) return "call";
  return HistoryIsOfSteps(versions) ? "step" : "run";
}

std::string JsonText(const std::vector<HistoryVersion>& versions,
                     const std::vector<HistorySeries>& all, const std::vector<std::string>& notes) {
  Json names = Json::array(), list = Json::array();
  for (const HistoryVersion& version : versions) {
    names.push_back({{"name", Utf8(version.name)}, {"runs", version.runs.size()}});
  }
  for (const HistorySeries& series : all) {
    Json changes = Json::array(), values = Json::array();
    for (const double ns : series.ns) values.push_back(FiniteJson(ns));
    for (const compare::ChangePoint& point : series.changes) {
      changes.push_back(
          {{"at", point.at},
           {"version", Utf8(versions[point.at].name)},
           {"previous_version", Utf8(versions[MeasuredBefore(series, point.at)].name)},
           {"before_ns", FiniteJson(std::exp(point.before))},
           {"after_ns", FiniteJson(std::exp(point.after))},
           {"change_percent", FiniteJson(ChangePercent(point.after - point.before))},
           {"p", point.p}});
    }
    list.push_back({{"name", series.kind.empty() ? Json(nullptr) : Json(Utf8(series.name))},
                    {"kind", series.kind.empty() ? "whole" : series.kind},
                    {"share", series.share},
                    {"ns", std::move(values)},
                    {"changes", std::move(changes)}});
  }
  const Json json = {
      {"schema", "gprof-x.history/1"}, {"unit", UnitWord(versions)},
      {"versions", std::move(names)},  {"differing_facts", Utf8(MachinesText(versions))},
      {"notes", TextsJson(notes)},     {"series", std::move(list)}};
  return PrintedJson(json, 1);
}

int Show(const ParsedOptions& parsed, const std::vector<HistoryVersion>& versions,
         const std::vector<HistorySeries>& all, const std::vector<std::string>& notes,
         const Screen& screen) {
  return Print(kHistoryCommand,
               parsed.Has("json") ? JsonText(versions, all, notes)
                                  : Text(versions, all, notes, screen, parsed.Has("wide")),
               "the history");
}

// Returns sentences about what the history of benchmarks leaves out.
std::vector<std::string> NotesOf(const BenchmarkHistory& found, size_t compared) {
  std::vector<std::string> notes;
  const auto add = [&](size_t count, const std::string& one, const std::string& text) {
    if (count == 0) return;
    notes.push_back(Grouped(static_cast<int64_t>(count)) + " " + one + (count == 1 ? "" : "s") +
                    " left out: " + text);
  };
  add(found.older, "version",
      "only the newest " + Grouped(static_cast<int64_t>(found.versions.size())) + " are read");
  add(found.left_out, "benchmark", "the unit is not a time");
  add(found.not_positive, "value", "a time is more than 0");
  add(found.ns.size() - compared, "benchmark", "measured in too few versions");
  return notes;
}

// Fails if nothing was measured.
Status CheckMeasured(const BenchmarkHistory& found, const std::string& folder) {
  if (!found.ns.empty()) return Ok();
  std::string text = "'" + folder + "' has no times of benchmarks";
  for (const std::string& note : NotesOf(found, 0)) text += "; " + note;
  return Error{ErrorId::kNoBaseline, text, "name results that measure times"};
}

int ShowBenchmarks(const ParsedOptions& parsed, const BenchmarkHistory& found,
                   const Screen& screen) {
  if (const Status is = CheckMeasured(found, parsed.operands[0]); !is) {
    return Fail(kHistoryCommand, is.error());
  }
  std::vector<HistoryVersion> versions;
  for (const std::string& name : found.versions) versions.push_back({name, {}});
  std::vector<HistorySeries> all;
  for (const auto& [name, ns] : found.WithAtLeast(kMinVersions)) {
    HistorySeries& series = all.emplace_back();
    series.name = name;
    series.kind = kBenchmark;
    series.share = 1;
    series.ns = ns;
  }
  FindChanges(all);
  return Show(parsed, versions, all, NotesOf(found, all.size()), screen);
}

}  // namespace

std::span<const OptionSpec> CiHistoryOptionSpecs() { return kHistorySpecs; }

std::string CiHistoryHelp() {
  return "Usage: gprof-x ci history [OPTION...] FOLDER\n"
         "Finds the versions in which a measured time changed. FOLDER contains baselines\n"
         "of 'gprof-x ci baseline', or one folder for each version. The folder of a\n"
         "version contains its profiles, or verdict.json of 'gprof-x ci run --per-test'.\n"
         "FOLDER may also be the results of asv (.asv/results), or data.js of\n"
         "github-action-benchmark. Baselines are sorted by age, oldest first, folders by\n"
         "name, and results of asv by the date of their commits. A change is detected only\n"
         "if at least three versions precede the changed version and at least two versions\n"
         "follow it.\n\n" +
         OptionHelp(kHistorySpecs) + "\nExit status: 0, or 2 if an error occurs.\n";
}

int RunCiHistory(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kHistoryCommand, kHistorySpecs, args);
  if (!parsed) return Fail(kHistoryCommand, parsed.error());
  if (parsed->Has("help")) return Print(kHistoryCommand, CiHistoryHelp(), "the help");
  ColorWhen color = ColorWhen::kAuto;
  size_t limit = kUsualSeries;
  const Status read = ReadOptions(*parsed, {{"color", &color}, {"limit", &limit, kMaxSeries}});
  if (!read) return Fail(kHistoryCommand, read.error());
  if (parsed->operands.size() != 1) {
    return Fail(kHistoryCommand, {ErrorId::kBadOperands,
                                  "one FOLDER is needed, but " +
                                      std::to_string(parsed->operands.size()) + " are given",
                                  "run gprof-x ci history FOLDER"});
  }
  const std::string& folder = parsed->operands[0];
  const Screen screen = DetectScreen(STDOUT_FILENO, color);
  const Result<std::optional<BenchmarkHistory>> benchmarks =
      ReadBenchmarkHistory(folder, ValueOf(*parsed, "name"));
  if (!benchmarks) return Fail(kHistoryCommand, benchmarks.error());
  if (*benchmarks) return ShowBenchmarks(*parsed, **benchmarks, screen);
  const bool is_store = access((folder + "/names").c_str(), F_OK) == 0;
  const Result<std::vector<Place>> places =
      is_store ? PlacesOfBaselines(folder, ValueOf(*parsed, "name")) : PlacesIn(folder);
  if (!places) return Fail(kHistoryCommand, places.error());
  if (places->empty()) {
    return Fail(kHistoryCommand,
                {ErrorId::kNoBaseline, "'" + folder + "' contains no versions",
                 "name baselines, or a folder that has a folder of profiles for each version"});
  }
  const Result<std::vector<HistoryVersion>> versions = ReadVersions(*places);
  if (!versions) return Fail(kHistoryCommand, versions.error());
  return Show(*parsed, *versions, HistoryOf(*versions, limit), {}, screen);
}

}  // namespace gprofx
