#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <initializer_list>
#include <optional>

#include "cli/analyze/findings.h"
#include "cli/command.h"
#include "cli/counters.h"
#include "cli/import/check_text.h"
#include "cli/import/import.h"
#include "cli/options/shared.h"
#include "cli/report/number.h"
#include "cli/terminal/text.h"
#include "core/views/imported.h"
#include "formats/importers/import.h"

namespace gprofx {
namespace {

constexpr char kCommand[] = "gprof-x import";

constexpr OptionSpec kSpecs[] = {
    {"from", "FORMAT", nullptr,
     "Read INPUT as nsight, rocprof, kineto, jax, perf, austin, py-spy, collapsed, speedscope or "
     "firefox (default: detected from INPUT).",
     "nsight rocprof kineto jax perf austin py-spy collapsed speedscope firefox"},
    {"check", nullptr, nullptr,
     "Print what INPUT contains, what is imported and what is left out. Write no profile."},
    {"into", "PROFILE", nullptr,
     "Add FLOP and bytes from INPUT, a table of Nsight Compute (ncu --csv --page raw), to "
     "PROFILE."},
    option::Output("Write the profile to FILE (default: profile.gprofx)."),
    option::kQuiet,
    option::kHelp,
};

// Returns a line that says what was imported and what was left out.
std::string Summary(const Profile& profile, const std::string& output) {
  const Imported imported = DescribeImport(profile);
  std::string text = "gprof-x import: " + imported.from + " -> " + output;
  std::string left;
  for (const auto& [what, count] : imported.left_out) {
    left += (left.empty() ? "" : ", ") + Grouped(count) + " " + what;
  }
  if (!left.empty()) text += "; left out: " + left;
  if (imported.guesses > 0) {
    text += "; " + Grouped(imported.guesses) + " GPU operations whose launch is guessed";
  }
  return Printable(text);
}

Result<importers::ImportedTrace> Read(const importers::ImportOptions& options) {
  ProgressLine progress(STDERR_FILENO);
  progress.Show("reading " + options.input);
  return importers::ImportTrace(options);
}

// Adds findings to the profile. If this fails, even because memory runs out, the profile is still
// complete. A lack of memory is reported on stderr; other failures are ignored.
void AddFindings(const std::string& output) noexcept {
  try {
    malloc_trim(0);  // return the import's memory to the system
    (void)StoreFindings(output);
  } catch (const std::exception&) {
    std::fprintf(
        stderr,
        "%s: the profile has no findings: out of memory; run gprof-x analyze to find them\n",
        kCommand);
  }
}

// Returns an error if `option` was given together with one of `others`.
std::optional<Error> Excluded(const ParsedOptions& parsed, const std::string& option,
                              std::initializer_list<const char*> others) {
  for (const char* other : others) {
    if (!parsed.Has(option) || !parsed.Has(other)) continue;
    return CannotCombine("--" + option, std::string("--") + other);
  }
  return std::nullopt;
}

int Check(const importers::ImportOptions& options, bool quiet) {
  const Result<importers::ImportedTrace> trace = Read(options);
  if (!trace) return Fail(kCommand, trace.error());
  if (quiet) return 0;
  const Screen screen = DetectScreen(STDOUT_FILENO, ColorWhen::kNever);
  return Print(kCommand, CheckText(*trace, options.input, screen), "the table");
}

int ImportCounters(const ParsedOptions& parsed) {
  const std::string profile = ValueOf(parsed, "into");
  const Result<StoredCounters> stored = StoreCounters(parsed.operands[0], profile);
  if (!stored) return Fail(kCommand, stored.error());
  if (parsed.Has("quiet")) return 0;
  fprintf(stderr, "%s: %s -> %s: %s\n", kCommand, Printable(parsed.operands[0]).c_str(),
          Printable(profile).c_str(), CountersLine(*stored).c_str());
  return 0;
}

}  // namespace

std::span<const OptionSpec> ImportOptionSpecs() { return kSpecs; }

std::string ImportHelp() {
  return "Usage: gprof-x import [OPTION...] INPUT\n"
         "Converts the trace of another tool to a profile. INPUT is an SQLite export of\n"
         "Nsight Systems, a rocpd file of rocprofv3, a trace of the PyTorch profiler or of\n"
         "JAX (.json, .json.gz), the output of perf script or austin, a file of collapsed\n"
         "stacks, or a file of speedscope or the Firefox Profiler, as py-spy and Python\n"
         "write them. --into adds measurements of Nsight Compute to a profile.\n\n" +
         OptionHelp(kSpecs) +
         "\nSee gprof-x-import(1) for what is imported and what is left out.\n";
}

int RunImport(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kCommand, kSpecs, args);
  if (!parsed) return Fail(kCommand, parsed.error());
  if (parsed->Has("help")) return Print(kCommand, ImportHelp(), "the help");
  if (parsed->operands.size() != 1) {
    return Fail(kCommand, {ErrorId::kBadOperands,
                           "one INPUT is needed, but " + std::to_string(parsed->operands.size()) +
                               " are given",
                           "run gprof-x import INPUT for each file"});
  }
  for (const auto& excluded : {Excluded(*parsed, "into", {"check", "output", "from"}),
                               Excluded(*parsed, "check", {"output"})}) {
    if (excluded) return Fail(kCommand, *excluded);
  }
  if (parsed->Has("into")) return ImportCounters(*parsed);
  importers::ImportOptions options;
  options.input = parsed->operands[0];
  options.output = parsed->Has("output") ? ValueOf(*parsed, "output") : "profile.gprofx";
  options.tool_version = GPROFX_VERSION;
  if (parsed->Has("from")) {
    options.format = importers::ParseTraceFormat(ValueOf(*parsed, "from"));
    if (!options.format) {
      return Fail(kCommand, BadValue("--from", importers::kTraceFormats, ValueOf(*parsed, "from")));
    }
  }
  if (parsed->Has("check")) {
    options.output = std::nullopt;
    return Check(options, parsed->Has("quiet"));
  }
  Result<importers::ImportedTrace> trace = Read(options);
  if (!trace) return Fail(kCommand, trace.error());
  const std::string summary = Summary(trace->profile, *options.output);
  if (trace->profile.FindMetric(kMetricGpu)) {
    *trace = {};  // frees the trace first, because the search for findings needs as much memory
    AddFindings(*options.output);
  }
  if (!parsed->Has("quiet")) fprintf(stderr, "%s\n", summary.c_str());
  return 0;
}

}  // namespace gprofx
