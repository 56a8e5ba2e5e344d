#include "cli/export.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "cli/command.h"
#include "cli/report/number.h"
#include "cli/terminal/text.h"
#include "core/views/names.h"
#include "core/views/view.h"
#include "formats/exporters/output.h"
#include "formats/exporters/values.h"

namespace gprofx {
namespace {

constexpr char kCommand[] = "gprof-x export";

constexpr OptionSpec kSpecs[] = {
    {"to", "NAME", nullptr, "the format"},
    {"output,o", "FILE", nullptr, "where to; - is the standard output"},
    {"force", nullptr, nullptr, "replace a FILE that is there"},
    {"metric", "NAME", nullptr,
     "the weight of speedscope and collapsed, and what pprof shows first (usually the recording's clock)"},
    {"all-frames", nullptr, nullptr, "also the interpreter's and the C library's own plumbing"},
    {"quiet,q", nullptr, nullptr, "say nothing when all went well"},
    {"help,h", nullptr, nullptr, "this text"},
};

struct ExportCommand {
  const Exporter* exporter = nullptr;
  std::string file = "profile.gprofx", output;
  std::string metric;
  bool force = false, all_frames = false, quiet = false, help = false;
};

// "run.gprofx" -> "run.pftrace", in the working directory.
std::string UsualOutput(const std::string& file, const Exporter& exporter) {
  constexpr std::string_view kEnding = ".gprofx";
  std::string_view name = BaseName(file);
  if (name.ends_with(kEnding) && name.size() > kEnding.size()) name.remove_suffix(kEnding.size());
  return std::string(name) + exporter.suffix;
}

Result<ExportCommand> Parse(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kCommand, kSpecs, args);
  if (!parsed) return parsed.error();
  ExportCommand command;
  command.help = parsed->Has("help");
  if (command.help) return command;
  const std::string to = ValueOf(*parsed, "to");
  if (to.empty()) return Error{"no format given", "--to takes " + ExporterNames()};
  command.exporter = FindExporter(to);
  if (command.exporter == nullptr) {
    return Error{"unknown format '" + FitEnd(Printable(to), 40) + "'",
                 "--to takes " + ExporterNames()};
  }
  if (parsed->operands.size() > 1) {
    return Error{"one FILE at a time, got " + std::to_string(parsed->operands.size()),
                 "run one command for each"};
  }
  if (!parsed->operands.empty()) command.file = parsed->operands[0];
  command.output =
      parsed->Has("output") ? ValueOf(*parsed, "output") : UsualOutput(command.file, *command.exporter);
  command.metric = ValueOf(*parsed, "metric");
  command.force = parsed->Has("force");
  command.all_frames = parsed->Has("all-frames");
  command.quiet = parsed->Has("quiet");
  return command;
}

void Say(const std::string& line) { fprintf(stderr, "%s: %s\n", kCommand, Printable(line).c_str()); }

// Formats of events have nothing to say of a recording that kept only sums.
Status CheckTimeline(const Exporter& exporter, const Profile& profile, const std::string& file) {
  const MetricId clock = ClockMetric(profile);
  if (!exporter.needs_timeline || profile.sample_rows > 0 || !clock) return Ok();
  if (MetricSum(profile, clock) == 0) return Ok();
  const MetricId gpu = profile.FindMetric(kMetricGpu);
  if (gpu && MetricSum(profile, gpu) > 0) {
    Say("CPU samples are left out: '" + file + "' has no timeline of them");
    return Ok();
  }
  return Error{"'" + file + "' has no timeline, of which --to " + exporter.name + " consists",
               "--to pprof, collapsed, callgrind and csv need none"};
}

Status Export(const ExportCommand& command) {
  std::optional<ProgressLine> progress(std::in_place, STDERR_FILENO);
  progress->Show("reading " + command.file);
  const Result<ProfileReader> reader = ProfileReader::Open(command.file);
  if (!reader) return reader.error();
  const Result<Profile> profile = reader->Load();
  if (!profile) return profile.error();
  const Exporter& exporter = *command.exporter;
  if (Status fits = CheckTimeline(exporter, *profile, command.file); !fits) return fits;
  ExportJob job{*profile, *reader};
  job.metric = command.metric;
  job.all_frames = command.all_frames;
  job.version = GPROFX_VERSION;
  if (command.output == "-") {
    const bool is_text = !exporter.gzip && std::string_view(exporter.name) != "perfetto";
    if (!is_text && isatty(STDOUT_FILENO)) {
      return Error{std::string("--to ") + exporter.name + " is not for a terminal",
                   "name a file with -o FILE"};
    }
    return ExportToDescriptor(exporter, job, STDOUT_FILENO);
  }
  progress->Show("writing " + command.output);
  const Result<int64_t> size = ExportToFile(exporter, job, command.output, command.force);
  if (!size) return size.error();
  progress.reset();
  if (!command.quiet) {
    Say(command.output + ", " + Grouped(*size) + " bytes, for " + exporter.read_by);
  }
  return Ok();
}

}  // namespace

std::string ExportHelp() {
  std::string help =
      "Usage: gprof-x export --to NAME [OPTION...] [FILE]\n"
      "Writes a recording in the format of another tool. FILE is usually\n"
      "profile.gprofx. NAME is one of\n\n";
  for (const Exporter& exporter : Exporters()) {
    std::string line = "  " + std::string(exporter.name);
    line.resize(16, ' ');
    help += line + "for " + exporter.read_by + "\n";
  }
  help += "\n" + OptionHelp(kSpecs) +
          "\nWithout -o the file is called like FILE and lies in the working directory.\n"
          "See gprof-x-export(1) for what each format leaves out.\n";
  return help;
}

int RunExport(const std::vector<std::string>& args) {
  const Result<ExportCommand> command = Parse(args);
  if (!command) return Fail(kCommand, command.error());
  if (command->help) return Print(kCommand, ExportHelp(), "the help");
  signal(SIGPIPE, SIG_IGN);  // a reader that ends is an error that can be told
  const Status done = Export(*command);
  return done ? 0 : Fail(kCommand, done.error());
}

}  // namespace gprofx
