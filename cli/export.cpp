#include "cli/export.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "cli/command.h"
#include "cli/options/fields.h"
#include "cli/options/part.h"
#include "cli/options/shared.h"
#include "cli/report/number.h"
#include "cli/terminal/text.h"
#include "core/base/path.h"
#include "core/views/naming/names.h"
#include "core/views/view.h"
#include "formats/exporters/output.h"
#include "formats/exporters/values.h"
#include "formats/profile/profile_set.h"
#include "formats/reading/part_read.h"
#include "formats/redaction/redacted_source.h"

namespace gprofx {
namespace {

constexpr char kExportCommand[] = "gprof-x export";

constexpr OptionSpec kSpecs[] = {
    {"to", "NAME", nullptr, "Write the output in the format NAME.",
     "firefox perfetto kineto pprof speedscope collapsed callgrind sqlite-flat csv"},
    option::Output("Write to FILE, or to standard output if FILE is -."),
    option::Phase(
        "Export only this phase: startup, warmup, steady, end, work or all (default: all)."),
    option::Range(
        "Export only the time from A to B after the start. Examples: 12s..15s, 800ms.. or ..2.5s."),
    option::Steps("Export only steps N to M, counted from 1."),
    option::Redact(),
    option::Force("Replace FILE if it exists."),
    option::Metric(
        "Export the metric NAME in speedscope and collapsed, and as the first metric in pprof "
        "(default: the recording's clock)."),
    option::kAllFrames,
    option::kQuiet,
    option::kHelp,
};

struct ExportCommand {
  const exporters::Exporter* exporter = nullptr;
  std::vector<std::string> files = {"profile.gprofx"};
  std::string output;
  PartQuery part;
  std::string metric;
  bool redact = false, force = false, all_frames = false, quiet = false, help = false;
};

// Returns the name of the default output file, in the working directory: "run.pftrace" for
// "dir/run.gprofx".
std::string UsualOutput(const std::string& file, const exporters::Exporter& exporter) {
  constexpr std::string_view kEnding = ".gprofx";
  std::string_view name = BaseName(file);
  if (name.ends_with(kEnding) && name.size() > kEnding.size()) name.remove_suffix(kEnding.size());
  return std::string(name) + exporter.suffix;
}

Result<ExportCommand> Parse(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kExportCommand, kSpecs, args);
  if (!parsed) return parsed.error();
  ExportCommand command;
  command.help = parsed->Has("help");
  if (command.help) return command;
  const std::string to = ValueOf(*parsed, "to");
  if (to.empty()) {
    return Error{ErrorId::kBadOperands, "no output format is given",
                 "add --to with one of " + exporters::ExporterNames()};
  }
  command.exporter = exporters::FindExporter(to);
  if (command.exporter == nullptr) {
    return BadValue("--to", "one of " + exporters::ExporterNames(), to);
  }
  const Result<PartQuery> part = ParsePart(*parsed);
  if (!part) return part.error();
  command.part = *part;
  // Without options for a range, export the whole recording.
  if (!part->IsPart()) command.part.all = true;
  if (!parsed->operands.empty()) command.files = parsed->operands;
  command.output = parsed->Has("output") ? ValueOf(*parsed, "output")
                                         : UsualOutput(command.files[0], *command.exporter);
  const Status read = ReadOptions(*parsed, {{"metric", &command.metric},
                                            {"redact", &command.redact},
                                            {"force", &command.force},
                                            {"all-frames", &command.all_frames},
                                            {"quiet", &command.quiet}});
  if (!read) return read.error();
  return command;
}

void Say(const std::string& line) {
  fprintf(stderr, "%s: %s\n", kExportCommand, Printable(line).c_str());
}

// Fails if the format consists of events but the recording contains only sums.
Status CheckTimeline(const exporters::Exporter& exporter, const Profile& profile,
                     const ExportCommand& command) {
  const std::string& file = command.files[0];
  const MetricId clock = exporters::ClockMetric(profile);
  if (!exporter.needs_timeline || profile.sample_rows > 0 || !clock) return Ok();
  if (MetricSum(profile, clock) == 0) return Ok();
  const MetricId gpu = profile.FindMetric(kMetricGpu);
  if (gpu && MetricSum(profile, gpu) > 0) {
    if (!command.quiet)
      Say("'" + file + "' has no timeline of CPU samples; the output has GPU work only");
    return Ok();
  }
  return Error{ErrorId::kNotRecorded,
               "'" + file + "' has no timeline, which the format " + exporter.name + " needs",
               "use --to pprof, collapsed, callgrind or csv"};
}

Status Export(const ExportCommand& command) {
  std::optional<ProgressLine> progress(std::in_place, STDERR_FILENO);
  progress->Show("reading " + command.files[0]);
  Result<ProfileSet> files =
      ProfileSet::Open(command.files, command.all_frames ? Profiling::kShown : Profiling::kLeftOut);
  if (!files) return files.error();
  if (Status part = SelectPart(*files, command.part, files->profile()); !part) return part.error();
  const ProfileSource* source = &*files;
  std::optional<RedactedSource> redacted;
  if (command.redact) {
    Result<RedactedSource> made = RedactedSource::Make(*files, files->profile());
    if (!made) return made.error();
    source = &redacted.emplace(std::move(*made));
  }
  const Profile& profile = redacted ? redacted->profile() : files->profile();
  const exporters::Exporter& exporter = *command.exporter;
  if (Status fits = CheckTimeline(exporter, profile, command); !fits) return fits;
  exporters::ExportJob job{profile, *source};
  if (profile.part) {
    job.begin = profile.part->range.begin;
    job.end = profile.part->range.end;
  }
  job.metric = command.metric;
  job.all_frames = command.all_frames;
  job.version = GPROFX_VERSION;
  if (command.output == "-") {
    const bool is_text = !exporter.gzip && std::string_view(exporter.name) != "perfetto";
    if (!is_text && isatty(STDOUT_FILENO)) {
      return Error{
          ErrorId::kTerminal,
          std::string("the format ") + exporter.name + " is binary and cannot go to a terminal",
          "name a file with -o FILE"};
    }
    return exporters::ExportToDescriptor(exporter, job, STDOUT_FILENO);
  }
  progress->Show("writing " + command.output);
  const Result<int64_t> size =
      exporters::ExportToFile(exporter, job, command.output, command.force);
  if (!size) return size.error();
  progress.reset();
  if (!command.quiet) {
    const std::string part =
        profile.part ? " (from " + Duration(job.begin) + " to " + Duration(job.end) + ")" : "";
    Say(command.output + part + ", " + Grouped(*size) + " bytes, for " + exporter.read_by);
  }
  return Ok();
}

}  // namespace

std::span<const OptionSpec> ExportOptionSpecs() { return kSpecs; }

std::string ExportHelp() {
  std::string help =
      "Usage: gprof-x export --to NAME [OPTION...] [FILE...]\n"
      "Writes a recording in the format of another tool. FILE defaults to\n"
      "profile.gprofx. Several files are merged into one output. NAME is one of\n\n";
  for (const exporters::Exporter& exporter : exporters::Exporters()) {
    std::string line = "  " + std::string(exporter.name);
    line.resize(16, ' ');
    help += line + "for " + exporter.read_by + "\n";
  }
  help += "\n" + OptionHelp(kSpecs) +
          "\nWithout -o, the output has the name of FILE and is in the current folder.\n"
          "See gprof-x-export(1) for what each format leaves out.\n";
  return help;
}

int RunExport(const std::vector<std::string>& args) {
  const Result<ExportCommand> command = Parse(args);
  if (!command) return Fail(kExportCommand, command.error());
  if (command->help) return Print(kExportCommand, ExportHelp(), "the help");
  // A write to a closed pipe then fails with an error that can be reported.
  signal(SIGPIPE, SIG_IGN);
  const Status done = Export(*command);
  return done ? 0 : Fail(kExportCommand, done.error());
}

}  // namespace gprofx
