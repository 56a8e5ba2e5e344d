#include <unistd.h>

#include <utility>

#include "cli/annotate/annotate.h"
#include "cli/annotate/read.h"
#include "cli/annotate/select.h"
#include "cli/command.h"
#include "cli/options/fields.h"
#include "cli/options/shared.h"
#include "core/redact/name_redactor.h"
#include "core/views/gpu/gpu_rows.h"
#include "core/views/row_number.h"
#include "formats/profile/profile_set.h"
#include "formats/reading/part_read.h"
#include "formats/redaction/redaction_key.h"

namespace gprofx {
namespace {

constexpr char kCommand[] = "gprof-x annotate";
constexpr char kWhat[] = "the result";

constexpr OptionSpec kSpecs[] = {
    {"lines", nullptr, nullptr, "Show only source lines."},
    {"sass", nullptr, nullptr, "Show only instructions, disassembled by nvdisasm."},
    option::Limit("Show at most N rows of each table."),
    option::Wide("Show full names, the share of each stall reason, and where code was inlined."),
    option::Json(),
    option::Redact(
        "Replace paths and the names in your code with hashes, and print no source text."),
    option::kNoPager,
    option::kColor,
    option::kHelp,
};

// Reads everything that the command needs. The file is closed when this returns, before nvdisasm
// runs, because a recorder may be waiting to write it.
Result<AnnotateInput> ReadInput(const AnnotateCommand& command) {
  const Result<ProfileSet> file = ProfileSet::Open({command.file});
  if (!file) return file.error();
  const Result<std::vector<KernelChoice>> kernels = ReadKernels(*file, file->profile());
  if (!kernels) return kernels.error();
  if (kernels->empty()) {
    return Error{ErrorId::kNotRecorded, "this recording has no instruction samples of GPU kernels",
                 "record with --gpu pc; 'gprof-x doctor' says what that needs"};
  }
  std::string wanted = command.kernel;
  if (std::optional<RowNumber> row = ParseRowNumber(wanted)) {
    row->gpu = true;  // only kernels can be annotated
    // The number of a row is that in a report of the default range.
    const Result<Profile> shown = LoadPart(command.file, PartQuery{});
    if (!shown) return shown.error();
    const Result<FrameId> frame = FrameOfRow(*shown, *row);
    if (!frame) return frame.error();
    wanted = OperationName(*shown, *frame);
  }
  const Result<size_t> chosen = SelectKernel(*kernels, wanted);
  if (!chosen) return chosen.error();
  Result<std::vector<AnnotateInput>> inputs =
      ReadKernelSamples(*file, file->profile(), {(*kernels)[*chosen].name});
  if (!inputs) return inputs.error();
  return std::move(inputs->front());
}

}  // namespace

Result<Annotated> ReadAnnotated(const AnnotateCommand& command, bool disassemble) {
  ProgressLine progress(STDERR_FILENO);
  progress.Show("reading " + command.file);
  Result<AnnotateInput> input = ReadInput(command);
  if (!input) return input.error();
  Annotated out;
  if (disassemble) {
    progress.Show("disassembling");
    out.no_sass = AddSass(*input);
  }
  out.annotation = Annotate(*input);
  return out;
}

std::span<const OptionSpec> AnnotateOptionSpecs() { return kSpecs; }

std::string AnnotateHelp() {
  return "Usage: gprof-x annotate [OPTION...] KERNEL [FILE]\n"
         "Shows the PC samples of a GPU kernel by source line and by instruction.\n"
         "KERNEL is the name of the kernel, a part of that name, or its row in the report\n"
         "('#g3'). FILE defaults to profile.gprofx.\n\n" +
         OptionHelp(kSpecs) + "\nSee gprof-x-annotate(1) for the columns and the JSON.\n";
}

Result<AnnotateCommand> ParseAnnotate(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kCommand, kSpecs, args);
  if (!parsed) return parsed.error();
  AnnotateCommand command;
  if (parsed->Has("help")) {
    command.help = true;
    return command;
  }
  if (parsed->operands.empty() || parsed->operands[0].empty()) {
    return Error{ErrorId::kBadOperands, "no KERNEL is given",
                 "'gprof-x report --by kernel' lists the kernels"};
  }
  if (parsed->operands.size() > 2) {
    return Error{
        ErrorId::kBadOperands,
        "one FILE is needed, but " + std::to_string(parsed->operands.size() - 1) + " are given",
        "run one command for each file"};
  }
  command.kernel = parsed->operands[0];
  if (parsed->operands.size() == 2) command.file = parsed->operands[1];
  const bool lines = parsed->Has("lines"), sass = parsed->Has("sass");
  command.options.lines = lines || !sass;
  command.options.instructions = sass || !lines;
  const Status read = ReadOptions(*parsed, {{"wide", &command.options.wide},
                                            {"json", &command.options.json},
                                            {"no-pager", TurnsOff{&command.pager}},
                                            {"redact", &command.options.redact},
                                            {"limit", &command.options.limit},
                                            {"color", &command.color}});
  if (!read) return read.error();
  return command;
}

int RunAnnotate(const std::vector<std::string>& args) {
  const Result<AnnotateCommand> command = ParseAnnotate(args);
  if (!command) return Fail(kCommand, command.error());
  if (command->help) return Print(kCommand, AnnotateHelp(), kWhat);
  Result<Annotated> annotated = ReadAnnotated(*command, command->options.instructions);
  if (!annotated) return Fail(kCommand, annotated.error());
  const bool redact = command->options.redact;
  const Result<std::string> key = redact ? RandomKey() : std::string();
  if (!key) return Fail(kCommand, key.error());
  const NameRedactor names(*key);
  if (redact) RedactNames(names, annotated->annotation);
  const AnnotateSurroundings around{DetectScreen(STDOUT_FILENO, command->color),
                                    redact ? names.Path(command->file) : command->file,
                                    redact ? "" : annotated->no_sass};
  return PrintPaged(kCommand, RenderAnnotate(annotated->annotation, command->options, around),
                    kWhat, command->pager);
}

}  // namespace gprofx
