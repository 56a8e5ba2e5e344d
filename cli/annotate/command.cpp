#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "cli/annotate/annotate.h"
#include "cli/annotate/sass.h"
#include "cli/annotate/select.h"
#include "cli/command.h"
#include "core/arithmetic.h"
#include "core/redact.h"
#include "formats/profile_reader.h"

namespace gprofx {
namespace {

constexpr char kCommand[] = "gprof-x annotate";
constexpr char kWhat[] = "the result";

constexpr OptionSpec kSpecs[] = {
    {"lines", nullptr, nullptr, "only source lines"},
    {"sass", nullptr, nullptr, "only instructions, disassembled by nvdisasm"},
    {"limit", "N", nullptr, "rows of each table"},
    {"wide", nullptr, nullptr, "full names, shares of stalls, where code was inlined"},
    {"json", nullptr, nullptr, "stable JSON instead of text"},
    {"redact", nullptr, nullptr, "hashes in place of paths and own names, without sources"},
    {"color", "WHEN", nullptr, "auto, always or never"},
    {"help,h", nullptr, nullptr, "this text"},
};

using Batch = std::function<void(const EventTable&)>;

Status ReadPcSamples(const ProfileReader& file, std::initializer_list<size_t> columns,
                     const Batch& sink) {
  const std::vector<size_t> wanted(columns);
  const Result<int64_t> rows =
      file.Events(Stream::kPcSamples, wanted, std::numeric_limits<HostNs>::min(),
                  std::numeric_limits<HostNs>::max(), sink);
  if (!rows) return rows.error();
  return Ok();
}

// Name of a function of the profile; "" where the number is none.
std::string NameOf(const Profile& profile, int64_t function) {
  if (function < 1 || function > static_cast<int64_t>(profile.functions.size())) return "";
  return std::string(profile.Text(profile.functions[static_cast<size_t>(function) - 1].name));
}

Result<std::vector<KernelChoice>> ReadKernels(const ProfileReader& file,
                                               const Profile& profile) {
  std::unordered_map<int64_t, int64_t> samples;
  const Status read =
      ReadPcSamples(file, {column::kPcFunction, column::kPcSamples}, [&](const EventTable& rows) {
        for (size_t i = 0; i < rows.column(column::kPcFunction).size(); ++i) {
          int64_t& sum = samples[rows.column(column::kPcFunction)[i]];
          sum = AddSaturated(sum, rows.column(column::kPcSamples)[i]);
        }
      });
  if (!read) return read.error();
  std::map<std::string, int64_t> by_name;
  for (const auto& [function, count] : samples) {
    const std::string name = NameOf(profile, function);
    if (!name.empty()) by_name[name] = AddSaturated(by_name[name], count);
  }
  std::vector<KernelChoice> kernels;
  for (const auto& [name, count] : by_name) kernels.push_back({name, count});
  return kernels;
}

// Samples of the kernel, summed over call paths; the modules are named by position in
// Profile::gpu.cubins, from 1.
Status ReadSamplesOf(const ProfileReader& file, const Profile& profile, AnnotateInput& input) {
  using Key = std::tuple<int64_t, int64_t, int64_t>;  // cubin, offset, stall
  std::map<Key, std::pair<int64_t, int64_t>> sums;
  std::unordered_map<int64_t, bool> is_kernel;
  const Status read = ReadPcSamples(
      file,
      {column::kPcCubin, column::kPcFunction, column::kPcOffset, column::kPcStall,
       column::kPcSamples, column::kPcLatency},
      [&](const EventTable& rows) {
        for (size_t i = 0; i < rows.column(column::kPcFunction).size(); ++i) {
          const int64_t function = rows.column(column::kPcFunction)[i];
          const auto [wanted, added] = is_kernel.try_emplace(function);
          if (added) wanted->second = NameOf(profile, function) == input.kernel;
          if (!wanted->second) continue;
          auto& [samples, latency] =
              sums[{rows.column(column::kPcCubin)[i], rows.column(column::kPcOffset)[i],
                    rows.column(column::kPcStall)[i]}];
          samples = AddSaturated(samples, rows.column(column::kPcSamples)[i]);
          latency = AddSaturated(latency, rows.column(column::kPcLatency)[i]);
        }
      });
  if (!read) return read.error();
  std::map<int64_t, size_t> module_of;  // row of the cubin -> position in the input
  for (const auto& [key, counts] : sums) {
    const auto& [cubin, offset, stall] = key;
    const auto [module, added] = module_of.try_emplace(cubin, input.modules.size());
    if (added) input.modules.push_back({static_cast<uint64_t>(cubin), {}, {}});
    const bool known = stall > 0 && stall <= static_cast<int64_t>(profile.string_count());
    const std::string_view name =
        known ? profile.Text(StringId{static_cast<uint32_t>(stall)}) : "[unknown]";
    input.samples.push_back({module->second, static_cast<uint64_t>(offset), std::string(name),
                             counts.first, counts.second});
  }
  return Ok();
}

// Until here `hash` holds the row of the cubin.
void TakeCode(std::vector<GpuCubin> cubins, AnnotateInput& input) {
  for (AnnotateModule& module : input.modules) {
    const uint64_t row = module.hash;
    module.hash = 0;
    if (row == 0 || row > cubins.size()) continue;
    module.hash = cubins[row - 1].hash;
    module.code = std::move(cubins[row - 1].data);
  }
}

// Why there is no SASS; "" = there is.
std::string AddSass(AnnotateInput& input) {
  const std::string nvdisasm = FindNvdisasm([](const char* name) { return getenv(name); });
  if (nvdisasm.empty()) {
    return "nvdisasm is not installed (it is part of the CUDA toolkit)";
  }
  bool any = false;
  for (AnnotateModule& module : input.modules) {
    const Result<Cubin> cubin = Cubin::Open(module.code);
    const CubinFunction* function = cubin ? FindKernel(*cubin, input.kernel) : nullptr;
    if (function == nullptr) continue;
    if (auto sass = Disassemble(nvdisasm, module.code, function->index)) {
      module.sass = std::move(*sass);
      any = true;
    }
  }
  return any ? "" : "nvdisasm could not read the code";
}

// The file is closed again before anything is disassembled: a recorder may wait for it.
Result<AnnotateInput> ReadInput(const AnnotateCommand& command) {
  const Result<ProfileReader> file = ProfileReader::Open(command.file);
  if (!file) return file.error();
  const Result<Profile> profile = file->Load();
  if (!profile) return profile.error();
  const Result<std::vector<KernelChoice>> kernels = ReadKernels(*file, *profile);
  if (!kernels) return kernels.error();
  if (kernels->empty()) {
    return Error{"this recording has no PC samples of GPU kernels",
                 "'gprof-x doctor' says what sampling them needs"};
  }
  const Result<size_t> chosen = SelectKernel(*kernels, command.kernel);
  if (!chosen) return chosen.error();
  AnnotateInput input;
  input.kernel = (*kernels)[*chosen].name;
  if (Status read = ReadSamplesOf(*file, *profile, input); !read) return read.error();
  Result<std::vector<GpuCubin>> cubins = file->Cubins();
  if (!cubins) return cubins.error();
  TakeCode(std::move(*cubins), input);
  const Result<std::vector<SourceText>> sources = file->Sources();
  if (!sources) return sources.error();
  for (const SourceText& source : *sources) {
    if (source.path.value > profile->string_count()) continue;
    input.sources[std::string(profile->Text(source.path))] = source.text;
  }
  return input;
}

struct Annotated {
  Annotation annotation;
  std::string no_sass;
};

Result<Annotated> Read(const AnnotateCommand& command) {
  ProgressLine progress(STDERR_FILENO);
  progress.Show("reading " + command.file);
  Result<AnnotateInput> input = ReadInput(command);
  if (!input) return input.error();
  Annotated out;
  if (command.options.instructions) {
    progress.Show("disassembling");
    out.no_sass = AddSass(*input);
  }
  out.annotation = Annotate(*input);
  return out;
}

}  // namespace

std::span<const OptionSpec> AnnotateOptionSpecs() { return kSpecs; }

std::string AnnotateHelp() {
  return "Usage: gprof-x annotate [OPTION...] KERNEL [FILE]\n"
         "Shows where inside of a GPU kernel its PC samples lie: source lines and\n"
         "instructions. KERNEL is a name or a part of it, FILE is usually profile.gprofx.\n\n" +
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
    return Error{"no KERNEL named", "'gprof-x report --top' lists them"};
  }
  if (parsed->operands.size() > 2) {
    return Error{"one FILE at a time, got " + std::to_string(parsed->operands.size() - 1),
                 "run one command for each"};
  }
  command.kernel = parsed->operands[0];
  if (parsed->operands.size() == 2) command.file = parsed->operands[1];
  const bool lines = parsed->Has("lines"), sass = parsed->Has("sass");
  command.options.lines = lines || !sass;
  command.options.instructions = sass || !lines;
  command.options.wide = parsed->Has("wide");
  command.options.json = parsed->Has("json");
  command.options.redact = parsed->Has("redact");
  if (parsed->Has("limit")) {
    const Result<size_t> limit = ParseCount("--limit", parsed->values.at("limit"));
    if (!limit) return limit.error();
    command.options.limit = *limit;
  }
  const Result<ColorWhen> color = ParseColor(*parsed);
  if (!color) return color.error();
  command.color = *color;
  return command;
}

int RunAnnotate(const std::vector<std::string>& args) {
  const Result<AnnotateCommand> command = ParseAnnotate(args);
  if (!command) return Fail(kCommand, command.error());
  if (command->help) return Print(kCommand, AnnotateHelp(), kWhat);
  Result<Annotated> annotated = Read(*command);
  if (!annotated) return Fail(kCommand, annotated.error());
  const bool redact = command->options.redact;
  if (redact) RedactNames(annotated->annotation);
  const AnnotateSurroundings around{DetectScreen(STDOUT_FILENO, command->color),
                                    redact ? RedactPath(command->file) : command->file,
                                    redact ? "" : annotated->no_sass};
  return Print(kCommand, RenderAnnotate(annotated->annotation, command->options, around), kWhat);
}

}  // namespace gprofx
