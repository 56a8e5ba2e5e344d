#include "cli/forecast/options.h"

#include "cli/command.h"
#include "cli/forecast/forecast.h"
#include "cli/options/fields.h"
#include "cli/options/part.h"
#include "cli/options/shared.h"
#include "core/forecast/device/csv.h"
#include "formats/database/packed_text.h"

namespace gprofx {
namespace {

constexpr size_t kMaxGpus = 100'000;
constexpr double kMaxDollars = 1e6;  // maximum price of a GPU hour

// The options that --help lists. --help-all lists all options.
constexpr char kCommon[] = "to from compare price step-time model gpus devices accuracy json help";

constexpr OptionSpec kSpecs[] = {
    {"model", "FILE", nullptr,
     "Read the graph of a model from the CSV file FILE (also .csv.zst), in NeuSight's format."},
    {"to", "DEVICE", nullptr, "Forecast for the GPU DEVICE, such as H200 or L4."},
    {"from", "DEVICE", nullptr,
     "Use DEVICE as the recorded GPU if the recording does not name this GPU."},
    {"host-speed", "F", nullptr,
     "With a recording, assume a host that is F times as fast (default: 1)."},
    option::StepTime(
        "With a recording, use TIME (such as 12.5ms) as the step time of an unrecorded run."),
    {"precision", "TYPE", nullptr,
     "With a recording, assume that all matrix products and activations use f32, bf16 or fp8."},
    {"gpus", "N", nullptr, "With a recording, assume that N GPUs take part in collectives."},
    {"compare", "DEVICES", nullptr,
     "Compare the GPUs DEVICES, such as H100,H200,B200,L40S, in one table."},
    {"price", "PRICES", nullptr,
     "Set the price of each GPU in dollars per hour. Example: H100=2.5,L4=0.7."},
    {"training", nullptr, nullptr,
     "Forecast the forward and the backward pass (default: according to the name of the file)."},
    {"inference", nullptr, nullptr, "Forecast the forward pass alone."},
    {"fused", nullptr, nullptr, "Assume that chains of kernels are fused, as with torch.compile."},
    {"layers", "N", nullptr,
     "Set the number of layers of the model (default: according to the name of the file)."},
    {"batch", "N", nullptr,
     "Set the batch size of the whole job (default: that of the graph). With a recording, 2x is "
     "twice the recorded batch."},
    {"dp", "N", nullptr, "Use data parallelism with N copies of the model."},
    {"tp", "N", nullptr, "Use tensor parallelism: split each tensor across N GPUs."},
    {"pp", "N", nullptr, "Use pipeline parallelism with N stages."},
    {"microbatches", "N", nullptr, "Use N microbatches in a pipeline."},
    {"cases", "FILE", nullptr, "Forecast each row of the CSV file FILE."},
    {"csv", "FILE", nullptr, "Write the forecasts of --cases to FILE (default: standard output)."},
    {"device", "FILE", nullptr, "Read additional devices from the CSV file FILE."},
    {"devices", nullptr, nullptr, "List the known devices."},
    {"accuracy", nullptr, nullptr,
     "Show the errors of forecasts for GPUs that were left out of the fit."},
    option::Phase(
        "With a recording, use this phase: startup, warmup, steady, end, work or all (default: "
        "steady)."),
    option::Range("With a recording, use this range of time, such as 12s..15s."),
    option::Steps("With a recording, use these steps, such as 100..200."),
    {"by", "kernel|layer|operator", nullptr,
     "With a recording, group the last table by kernel, layer or operator."},
    option::Limit("Show at most N rows of the last table (default: 10)."),
    option::Json(),
    option::kNoPager,
    option::kColor,
    option::kShortHelp,
    option::kHelpAll,
};

// Fails if an option does not apply to this kind of forecast.
Status CheckKinds(const ForecastCommand& command, const ParsedOptions& parsed) {
  constexpr const char* kOfGraphs[] = {"training", "inference", "fused", "layers",
                                       "dp",       "tp",        "pp",    "microbatches"};
  constexpr const char* kOfRecordings[] = {"from",  "host-speed", "step-time", "gpus", "phase",
                                           "range", "steps",      "precision", "by"};
  for (const char* name : kOfGraphs) {
    if (!command.recording.empty() && parsed.Has(name)) {
      return NeedsOption(std::string("--") + name, "--model",
                         "leave it out: a recording is forecast as it ran");
    }
  }
  for (const char* name : kOfRecordings) {
    if (command.recording.empty() && parsed.Has(name)) {
      return Error{ErrorId::kMissingOption,
                   "option '--" + std::string(name) + "' needs a recording",
                   "run gprof-x forecast run.gprofx --to DEVICE"};
    }
  }
  return Ok();
}

Status CheckWhole(const ForecastCommand& command, const ParsedOptions& parsed) {
  if (parsed.operands.size() > 1) {
    return Error{
        ErrorId::kBadOperands,
        "one recording is needed, but " + std::to_string(parsed.operands.size()) + " are given",
        "run one command for each"};
  }
  const bool recording = !command.recording.empty();
  const int asked = (recording ? 1 : 0) + (command.model.empty() ? 0 : 1) +
                    (command.cases.empty() ? 0 : 1) + (command.accuracy ? 1 : 0) +
                    (command.devices ? 1 : 0);
  if (asked == 0) {
    return Error{
        ErrorId::kBadOperands, "no recording, model or cases are given",
        "give RECORDING --to DEVICE, --model FILE --to DEVICE, --cases FILE, --accuracy or "
        "--devices"};
  }
  if (asked > 1) {
    return Error{
        ErrorId::kConflict,
        recording ? "a recording and options '--model', '--cases', '--accuracy' and '--devices' "
                    "cannot be combined"
                  : "options '--model', '--cases', '--accuracy' and '--devices' cannot be combined",
        "run one command for each"};
  }
  const bool takes_device = recording || !command.model.empty();
  if (takes_device && command.to.empty() == command.compare.empty()) {
    return Error{ErrorId::kBadOperands, "exactly one of options '--to' and '--compare' is needed",
                 "add --to DEVICE, or --compare DEVICE,DEVICE"};
  }
  if (!takes_device && !(command.to.empty() && command.compare.empty())) {
    return Error{ErrorId::kMissingOption,
                 "options '--to' and '--compare' need a recording or option '--model'",
                 "leave them out"};
  }
  if (!command.csv.empty() && command.cases.empty()) {
    return NeedsOption("--csv", "--cases", "use --json for a forecast that a program reads");
  }
  if (!command.cases.empty() && command.json) {
    return CannotCombine("--cases", "--json", "leave --json out: --cases writes CSV");
  }
  if (command.devices && command.json) {
    return CannotCombine("--devices", "--json", "leave --json out");
  }
  return CheckKinds(command, parsed);
}

// Parses --batch. For a graph it is a number of samples. For a recording, which does not contain
// the batch size, it is a factor.
Status ParseBatch(const ParsedOptions& parsed, ForecastCommand& command) {
  if (!parsed.Has("batch")) return Ok();
  const std::string text = ValueOf(parsed, "batch");
  if (parsed.operands.empty()) {
    const Result<size_t> count = ParseCount("--batch", text, kMaxLimit);
    if (!count) return count.error();
    command.batch = *count;
    return Ok();
  }
  const bool times = text.ends_with('x');
  const std::optional<double> factor =
      times ? forecast::ParseNumber(std::string_view(text).substr(0, text.size() - 1))
            : std::nullopt;
  if (!factor || !(*factor >= 0.01 && *factor <= 1000)) {
    return BadValue("--batch", "a factor from 0.01x to 1000x for a recording", text,
                    "2x is twice the recorded batch");
  }
  command.change.batch = *factor;
  return Ok();
}

std::vector<std::string> SplitCommas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace

std::span<const OptionSpec> ForecastOptionSpecs() { return kSpecs; }

std::string ForecastHelp(Help which) {
  return "Usage: gprof-x forecast RECORDING --to DEVICE [OPTION...]\n"
         "       gprof-x forecast --model GRAPH --to DEVICE [OPTION...]\n"
         "       gprof-x forecast --cases FILE [--csv FILE]\n"
         "       gprof-x forecast --accuracy [--json]\n"
         "       gprof-x forecast --devices [--device FILE]\n"
         "Forecasts how long GPU work would take on another GPU, with an 80% interval.\n\n" +
         OptionHelp(kSpecs, which, kCommon) +
         "\nSee gprof-x-forecast(1) for the file formats and the method.\n";
}

Result<ForecastCommand> ParseForecast(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kForecastCommand, kSpecs, args);
  if (!parsed) return parsed.error();
  ForecastCommand command;
  command.help = AskedHelp(*parsed);
  if (command.help != Help::kNone) return command;
  struct TextOption {
    const char* name;
    std::string ForecastCommand::*field;
  };
  constexpr TextOption kTexts[] = {
      {"model", &ForecastCommand::model},     {"to", &ForecastCommand::to},
      {"compare", &ForecastCommand::compare}, {"price", &ForecastCommand::price},
      {"cases", &ForecastCommand::cases},     {"csv", &ForecastCommand::csv},
      {"device", &ForecastCommand::device},   {"from", &ForecastCommand::from}};
  for (const TextOption& option : kTexts) {
    if (!parsed->Has(option.name)) continue;
    command.*option.field = ValueOf(*parsed, option.name);
    if ((command.*option.field).empty()) {
      return BadValue(std::string("--") + option.name, "a value", "");
    }
  }
  const Status read = ReadOptions(*parsed, {{"layers", &command.layers, kMaxGpus},
                                            {"dp", &command.data, kMaxGpus},
                                            {"tp", &command.tensor, kMaxGpus},
                                            {"pp", &command.pipeline, kMaxGpus},
                                            {"microbatches", &command.microbatches, kMaxGpus},
                                            {"gpus", &command.gpus, kMaxGpus},
                                            {"limit", &command.most_rows},
                                            {"fused", &command.fused},
                                            {"accuracy", &command.accuracy},
                                            {"devices", &command.devices},
                                            {"json", &command.json},
                                            {"no-pager", TurnsOff{&command.pager}},
                                            {"color", &command.color}});
  if (!read) return read.error();
  if (Status batch = ParseBatch(*parsed, command); !batch) return batch.error();
  if (parsed->Has("training") && parsed->Has("inference")) {
    return CannotCombine("--training", "--inference");
  }
  if (parsed->Has("training")) command.training = true;
  if (parsed->Has("inference")) command.training = false;
  if (!parsed->operands.empty()) command.recording = parsed->operands[0];
  if (parsed->Has("by")) {
    command.by = ValueOf(*parsed, "by");
    if (command.by != "kernel" && command.by != "layer" && command.by != "operator") {
      return BadValue("--by", "kernel, layer or operator", command.by);
    }
  }
  if (parsed->Has("precision")) {
    const std::string text = ValueOf(*parsed, "precision");
    command.change.type = forecast::NumberTypeOf(text);
    if (!command.change.type) {
      return BadValue("--precision", "f32, bf16 or fp8", text,
                      "f16 is as fast as bf16, tf32 half as fast");
    }
  }
  if (parsed->Has("host-speed")) {
    const std::string text = ValueOf(*parsed, "host-speed");
    const std::optional<double> speed = forecast::ParseNumber(text);
    if (!speed || *speed < 0.01 || *speed > 100) {
      return BadValue("--host-speed", "a factor from 0.01 to 100", text,
                      "2 is a host that is twice as fast");
    }
    command.host_speed = *speed;
  }
  if (parsed->Has("step-time")) {
    const Result<int64_t> time = ParseStepTime(ValueOf(*parsed, "step-time"));
    if (!time) return time.error();
    command.step_ns = *time;
  }
  const Result<PartQuery> part = ParsePart(*parsed);
  if (!part) return part.error();
  command.part = *part;
  if (Status whole = CheckWhole(command, *parsed); !whole) return whole.error();
  return command;
}

Result<std::vector<forecast::Device>> ForecastDevices(const ForecastCommand& command) {
  std::vector<forecast::Device> devices = forecast::BuiltInDevices();
  if (command.device.empty()) return devices;
  const Result<std::string> text = ReadPackedText(command.device);
  if (!text) return text.error();
  const Result<std::vector<forecast::Device>> own = forecast::ParseDevices(*text, command.device);
  if (!own) return own.error();
  devices.insert(devices.end(), own->begin(), own->end());
  return devices;
}

Result<std::vector<const forecast::Device*>> TargetDevices(
    const ForecastCommand& command, const std::vector<forecast::Device>& devices) {
  const std::vector<std::string> names =
      command.to.empty() ? SplitCommas(command.compare) : std::vector<std::string>{command.to};
  std::vector<const forecast::Device*> out;
  for (const std::string& name : names) {
    const Result<const forecast::Device*> device = forecast::FindDevice(devices, name);
    if (!device) return device.error();
    out.push_back(*device);
  }
  if (out.empty()) {
    return BadValue("--compare", "the names of GPUs", command.compare,
                    "for example --compare H100,H200");
  }
  return out;
}

Result<Prices> ParsePrices(const std::string& text, const std::vector<forecast::Device>& devices) {
  Prices prices;
  for (const std::string& part : SplitCommas(text)) {
    const size_t equal = part.find('=');
    const std::optional<double> price =
        equal == std::string::npos ? std::nullopt : forecast::ParseNumber(part.substr(equal + 1));
    if (!price || *price < 0 || *price > kMaxDollars) {
      return BadValue("--price", "DEVICE=DOLLARS", std::string(part),
                      "for example --price H100=2.5,L4=0.7");
    }
    const Result<const forecast::Device*> device =
        forecast::FindDevice(devices, part.substr(0, equal));
    if (!device) return device.error();
    prices[*device] = *price;
  }
  return prices;
}

}  // namespace gprofx
