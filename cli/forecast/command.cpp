#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "cli/command.h"
#include "cli/forecast/forecast.h"
#include "cli/terminal/text.h"
#include "cli/text_file.h"
#include "core/forecast/cases.h"
#include "core/forecast/csv.h"
#include "formats/packed_text.h"

namespace gprofx {
namespace {

constexpr char kCommand[] = "gprof-x forecast";
constexpr size_t kMostGpus = 100'000;
constexpr size_t kMostRows = 1'000'000'000;
constexpr double kMostDollars = 1e6;  // an hour of a GPU

constexpr OptionSpec kSpecs[] = {
    {"model", "FILE", nullptr, "the graph of a model as NeuSight writes it (CSV, also .zst)"},
    {"to", "DEVICE", nullptr, "the GPU to forecast for: H200, L4, ..."},
    {"compare", "DEVICES", nullptr, "several GPUs in one table: H100,H200,B200,L40S"},
    {"price", "PRICES", nullptr, "dollars an hour of each GPU: H100=2.5,L4=0.7"},
    {"training", nullptr, nullptr, "forward and backward pass (usually what the file's name says)"},
    {"inference", nullptr, nullptr, "the forward pass alone"},
    {"fused", nullptr, nullptr, "kernels merged as torch.compile does"},
    {"layers", "N", nullptr, "layers of the model (usually what the file's name says)"},
    {"batch", "N", nullptr, "batch of the whole job (usually the graph's own)"},
    {"dp", "N", nullptr, "copies of the model that share the batch"},
    {"tp", "N", nullptr, "GPUs that share each tensor"},
    {"pp", "N", nullptr, "pipeline stages"},
    {"microbatches", "N", nullptr, "parts of the batch in a pipeline"},
    {"cases", "FILE", nullptr, "forecast each row of a CSV file"},
    {"csv", "FILE", nullptr, "where the forecasts of --cases go (usually standard output)"},
    {"device", "FILE", nullptr, "CSV file with devices of one's own"},
    {"devices", nullptr, nullptr, "list the devices that are known"},
    {"accuracy", nullptr, nullptr, "how far forecasts are off on GPUs left out of the fit"},
    {"limit", "N", nullptr, "rows of the table of nodes (usually 10)"},
    {"json", nullptr, nullptr, "stable JSON instead of text"},
    {"no-pager", nullptr, nullptr, "print also what is longer than the terminal"},
    {"color", "WHEN", nullptr, "auto, always or never", kColorChoices},
    {"help,h", nullptr, nullptr, "this text"},
};

struct ForecastCommand {
  std::string model, to, compare, price, cases, csv, device;
  size_t layers = 0, data = 0, tensor = 0, pipeline = 0, microbatches = 0, batch = 0;
  size_t most_rows = 10;
  std::optional<bool> training;
  bool fused = false, accuracy = false, devices = false, json = false, pager = true, help = false;
  ColorWhen color = ColorWhen::kAuto;
};

Status CheckWhole(const ForecastCommand& command, const ParsedOptions& parsed) {
  if (!parsed.operands.empty()) {
    return Error{"'" + FitEnd(Printable(parsed.operands[0]), 60) + "' is no graph of a model",
                 "--model FILE names a graph, --cases FILE a list of cases"};
  }
  const int asked = (command.model.empty() ? 0 : 1) + (command.cases.empty() ? 0 : 1) +
                    (command.accuracy ? 1 : 0) + (command.devices ? 1 : 0);
  if (asked == 0) {
    return Error{"what to forecast is not named",
                 "give --model FILE --to DEVICE, --cases FILE, --accuracy or --devices"};
  }
  if (asked > 1) {
    return Error{"--model, --cases, --accuracy and --devices exclude each other",
                 "run one command for each"};
  }
  if (!command.model.empty() && command.to.empty() == command.compare.empty()) {
    return Error{"--model needs a GPU to forecast for",
                 "give --to DEVICE, or --compare DEVICE,DEVICE"};
  }
  if (command.model.empty() && !(command.to.empty() && command.compare.empty())) {
    return Error{"--to and --compare belong to --model", "leave them out"};
  }
  if (!command.csv.empty() && command.cases.empty()) {
    return Error{"--csv belongs to --cases", "for a program to read a forecast there is --json"};
  }
  if (!command.cases.empty() && command.json) {
    return Error{"--cases writes CSV", "leave --json out"};
  }
  if (command.devices && command.json) {
    return Error{"--devices writes text", "leave --json out: it goes with --model and --accuracy"};
  }
  return Ok();
}

Result<ForecastCommand> Parse(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kCommand, kSpecs, args);
  if (!parsed) return parsed.error();
  ForecastCommand command;
  command.help = parsed->Has("help");
  if (command.help) return command;
  struct TextOption {
    const char* name;
    std::string ForecastCommand::* field;
  };
  constexpr TextOption kTexts[] = {
      {"model", &ForecastCommand::model}, {"to", &ForecastCommand::to},
      {"compare", &ForecastCommand::compare}, {"price", &ForecastCommand::price},
      {"cases", &ForecastCommand::cases}, {"csv", &ForecastCommand::csv},
      {"device", &ForecastCommand::device}};
  for (const TextOption& option : kTexts) {
    if (!parsed->Has(option.name)) continue;
    command.*option.field = ValueOf(*parsed, option.name);
    if ((command.*option.field).empty()) {
      return Error{std::string("--") + option.name + " takes a value", "it may not be empty"};
    }
  }
  struct CountOption {
    const char* name;
    size_t ForecastCommand::* field;
    size_t most;
  };
  constexpr CountOption kCounts[] = {{"layers", &ForecastCommand::layers, kMostGpus},
                                     {"dp", &ForecastCommand::data, kMostGpus},
                                     {"tp", &ForecastCommand::tensor, kMostGpus},
                                     {"pp", &ForecastCommand::pipeline, kMostGpus},
                                     {"microbatches", &ForecastCommand::microbatches, kMostGpus},
                                     {"batch", &ForecastCommand::batch, kMostRows},
                                     {"limit", &ForecastCommand::most_rows, kMostRows}};
  for (const CountOption& option : kCounts) {
    if (!parsed->Has(option.name)) continue;
    const Result<size_t> count = ParseCount(std::string("--") + option.name,
                                            ValueOf(*parsed, option.name), option.most);
    if (!count) return count.error();
    command.*option.field = *count;
  }
  if (parsed->Has("training") && parsed->Has("inference")) {
    return Error{"--training and --inference exclude each other", "leave one of them out"};
  }
  if (parsed->Has("training")) command.training = true;
  if (parsed->Has("inference")) command.training = false;
  command.fused = parsed->Has("fused");
  command.accuracy = parsed->Has("accuracy");
  command.devices = parsed->Has("devices");
  command.json = parsed->Has("json");
  command.pager = !parsed->Has("no-pager");
  if (Status whole = CheckWhole(command, *parsed); !whole) return whole.error();
  const Result<ColorWhen> color = ParseColor(*parsed);
  if (!color) return color.error();
  command.color = *color;
  return command;
}

Result<std::vector<Device>> Devices(const ForecastCommand& command) {
  std::vector<Device> devices = BuiltInDevices();
  if (command.device.empty()) return devices;
  const Result<std::string> text = ReadPackedText(command.device);
  if (!text) return text.error();
  const Result<std::vector<Device>> own = ParseDevices(*text, command.device);
  if (!own) return own.error();
  devices.insert(devices.end(), own->begin(), own->end());
  return devices;
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

using Prices = std::map<const Device*, double>;

Result<Prices> ParsePrices(const std::string& text, const std::vector<Device>& devices) {
  Prices prices;
  for (const std::string& part : SplitCommas(text)) {
    const size_t equal = part.find('=');
    const std::optional<double> price =
        equal == std::string::npos ? std::nullopt : ParseNumber(part.substr(equal + 1));
    if (!price || *price < 0 || *price > kMostDollars) {
      return Error{"--price takes DEVICE=DOLLARS, not '" + FitEnd(Printable(part), 40) + "'",
                   "for example --price H100=2.5,L4=0.7"};
    }
    const Result<const Device*> device = FindDevice(devices, part.substr(0, equal));
    if (!device) return device.error();
    prices[*device] = *price;
  }
  return prices;
}

std::string BaseName(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// What the name of the file says, and the options on top.
GraphPlan MakePlan(const ForecastCommand& command, const ModelGraph& graph) {
  std::string name = BaseName(command.model);
  for (const std::string_view ending : {".zst", ".csv"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  GraphPlan plan;
  const Result<CaseName> named = ParseCaseName(name);
  if (named) plan = PlanOf(*named, graph);
  else plan.training = graph.training;
  if (command.training) plan.training = *command.training;
  plan.fused |= command.fused;
  const auto set = [](size_t value, int& field) {
    if (value > 0) field = static_cast<int>(value);
  };
  set(command.layers, plan.layers);
  set(command.data, plan.data);
  set(command.tensor, plan.tensor);
  set(command.pipeline, plan.pipeline);
  set(command.microbatches, plan.microbatches);
  if (command.batch > 0) plan.batch = static_cast<double>(command.batch);
  return plan;
}

Result<ForecastReport> ForecastModel(const ForecastCommand& command,
                                     const std::vector<Device>& devices) {
  const Result<std::string> text = ReadPackedText(command.model);
  if (!text) return text.error();
  const Result<ModelGraph> graph = ParseGraph(*text, command.model);
  if (!graph) return graph.error();
  const Result<Prices> prices = ParsePrices(command.price, devices);
  if (!prices) return prices.error();
  ForecastReport report;
  report.model = command.model;
  report.plan = MakePlan(command, *graph);
  if (report.plan.training && !graph->training) {
    return Error{"'" + command.model + "' has no backward pass",
                 "take the graph of a training step, or --inference"};
  }
  const double batch = report.plan.batch > 0 ? report.plan.batch : graph->batch;
  const int64_t parts = int64_t{report.plan.data} * report.plan.microbatches;
  if (batch > 0 && !graph->divided && static_cast<double>(parts) > batch) {
    return Error{"a batch of " + std::to_string(static_cast<long long>(batch)) +
                     " cannot be divided into " + std::to_string(parts) + " parts",
                 "give a larger one with --batch"};
  }
  const std::vector<std::string> names = command.to.empty()
                                             ? SplitCommas(command.compare)
                                             : std::vector<std::string>{command.to};
  for (const std::string& name : names) {
    const Result<const Device*> device = FindDevice(devices, name);
    if (!device) return device.error();
    DeviceForecast forecast{**device, {}, std::nullopt};
    forecast.forecast = ForecastGraph(*graph, report.plan, Forecaster(BuiltInTable(), **device));
    if (!IsPlausible(forecast.forecast)) {
      return Error{"a step of '" + command.model + "' on " + Printable((*device)->name) +
                       " takes longer than anybody can wait: no forecast",
                   "look for a size in the graph, --layers or --batch that is too large"};
    }
    const auto price = prices->find(*device);
    if (price != prices->end()) forecast.dollars_per_hour = price->second;
    report.devices.push_back(std::move(forecast));
  }
  if (report.devices.empty()) {
    return Error{"--compare names no device", "for example --compare H100,H200"};
  }
  return report;
}

int RunCases(const ForecastCommand& command, const std::vector<Device>& devices) {
  if (!command.csv.empty()) {
    if (Status fits = CheckTextFile(command.csv, "--csv"); !fits) return Fail(kCommand, fits.error());
  }
  const Result<std::string> text = ReadPackedText(command.cases);
  if (!text) return Fail(kCommand, text.error());
  const size_t slash = command.cases.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : command.cases.substr(0, slash + 1);
  const ReadGraphText read_graph = [&folder](const std::string& path) {
    return ReadPackedText(path.starts_with("/") ? path : folder + path);
  };
  const Result<CasesResult> result =
      ForecastCases(*text, command.cases, devices, BuiltInTable(), read_graph);
  if (!result) return Fail(kCommand, result.error());
  for (const std::string& note : result->notes) {
    fprintf(stderr, "%s: note: %s\n", kCommand, Printable(note).c_str());
  }
  if (command.csv.empty()) return Print(kCommand, result->csv, "the forecasts");
  const Status written = ReplaceTextFile(command.csv, result->csv, "--csv");
  return written ? 0 : Fail(kCommand, written.error());
}

}  // namespace

double DollarsPerStep(double ms, double dollars_per_hour, const GraphPlan& plan) {
  const double gpus = static_cast<double>(plan.data) * plan.tensor * plan.pipeline;
  return ms / 3.6e6 * dollars_per_hour * gpus;
}

std::span<const OptionSpec> ForecastOptionSpecs() { return kSpecs; }

std::string ForecastHelp() {
  return "Usage: gprof-x forecast --model GRAPH --to DEVICE [OPTION...]\n"
         "       gprof-x forecast --cases FILE [--csv FILE]\n"
         "       gprof-x forecast --accuracy [--json]\n"
         "       gprof-x forecast --devices [--device FILE]\n"
         "Says how long work would take on a GPU that is not there, with an 80 % interval.\n\n" +
         OptionHelp(kSpecs) + "\nSee gprof-x-forecast(1) for the files and the method.\n";
}

int RunForecast(const std::vector<std::string>& args) {
  const Result<ForecastCommand> command = Parse(args);
  if (!command) return Fail(kCommand, command.error());
  if (command->help) return Print(kCommand, ForecastHelp(), "the help");
  const Screen screen = DetectScreen(STDOUT_FILENO, command->color);
  const Result<std::vector<Device>> devices = Devices(*command);
  if (!devices) return Fail(kCommand, devices.error());
  if (!command->cases.empty()) return RunCases(*command, *devices);
  if (command->accuracy) {
    const std::string text = command->json ? AccuracyJson(BuiltInTable())
                                           : AccuracyText(BuiltInTable(), screen);
    return PrintPaged(kCommand, text, "the accuracy", command->pager && !command->json);
  }
  if (command->devices) {
    return PrintPaged(kCommand, DevicesText(*devices, screen), "the devices", command->pager);
  }
  const Result<ForecastReport> report = ForecastModel(*command, *devices);
  if (!report) return Fail(kCommand, report.error());
  if (command->json) return Print(kCommand, ForecastJson(*report), "the forecast");
  return PrintPaged(kCommand, ForecastText(*report, screen, command->most_rows), "the forecast",
                    command->pager);
}

}  // namespace gprofx
