#include "cli/annotate/read.h"

#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "cli/annotate/sass.h"
#include "core/base/arithmetic.h"
#include "core/views/gpu/kernel_labels.h"

namespace gprofx {
namespace {

using Batch = std::function<void(const EventTable&)>;

Status ReadPcSamples(const ProfileSource& file, std::initializer_list<size_t> columns,
                     const Batch& sink) {
  const std::vector<size_t> wanted(columns);
  const Result<int64_t> rows = file.Events(Stream::kPcSamples, wanted, kEarliest, kLatest, sink);
  if (!rows) return rows.error();
  return Ok();
}

// Returns the name of the function with this number. Returns "" if the profile has no such
// function.
std::string NameOf(const Profile& profile, int64_t function) {
  if (function < 1 || function > static_cast<int64_t>(profile.functions.size())) return "";
  return std::string(profile.Text(profile.functions[static_cast<size_t>(function) - 1].name));
}

// Reads the samples of the kernels in `inputs`, summed over call paths. In `inputs`, a module is
// identified by its index in Profile::gpu.cubins, counted from 1.
Status ReadSamplesOf(const ProfileSource& file, const Profile& profile,
                     std::vector<AnnotateInput>& inputs) {
  using Key = std::tuple<int64_t, int64_t, int64_t>;  // cubin, offset, stall
  std::vector<std::map<Key, std::pair<int64_t, int64_t>>> sums_of(inputs.size());
  std::unordered_map<int64_t, size_t> kernel_of;  // by function: index in `inputs`
  const auto find = [&](int64_t function) {
    const std::string name = NameOf(profile, function);
    size_t kernel = 0;
    while (kernel < inputs.size() && inputs[kernel].kernel != name) ++kernel;
    return kernel;
  };
  const Status read =
      ReadPcSamples(file,
                    {column::kPcCubin, column::kPcFunction, column::kPcOffset, column::kPcStall,
                     column::kPcSamples, column::kPcLatency},
                    [&](const EventTable& rows) {
                      for (size_t i = 0; i < rows.column(column::kPcFunction).size(); ++i) {
                        const int64_t function = rows.column(column::kPcFunction)[i];
                        const auto [kernel, added] = kernel_of.try_emplace(function);
                        if (added) kernel->second = find(function);
                        if (kernel->second == inputs.size()) continue;
                        auto& [samples, latency] = sums_of[kernel->second][{
                            rows.column(column::kPcCubin)[i], rows.column(column::kPcOffset)[i],
                            rows.column(column::kPcStall)[i]}];
                        samples = AddSaturated(samples, rows.column(column::kPcSamples)[i]);
                        latency = AddSaturated(latency, rows.column(column::kPcLatency)[i]);
                      }
                    });
  if (!read) return read.error();
  for (size_t i = 0; i < inputs.size(); ++i) {
    AnnotateInput& input = inputs[i];
    std::map<int64_t, size_t> module_of;  // row of the cubin -> index in the input
    for (const auto& [key, counts] : sums_of[i]) {
      const auto& [cubin, offset, stall] = key;
      const auto [module, added] = module_of.try_emplace(cubin, input.modules.size());
      if (added) input.modules.push_back({static_cast<uint64_t>(cubin), {}, {}});
      const bool known = stall > 0 && stall <= static_cast<int64_t>(profile.string_count());
      const std::string_view name =
          known ? profile.Text(StringId{static_cast<uint32_t>(stall)}) : "[unknown]";
      input.samples.push_back({module->second, static_cast<uint64_t>(offset), std::string(name),
                               counts.first, counts.second});
    }
  }
  return Ok();
}

// Sets the hash and the code of each module. On entry, `hash` holds the number of the module's row
// in `cubins`, counted from 1; 0 = none.
void TakeCode(const std::vector<GpuCubin>& cubins, AnnotateInput& input) {
  for (AnnotateModule& module : input.modules) {
    const uint64_t row = module.hash;
    module.hash = 0;
    if (row == 0 || row > cubins.size()) continue;
    module.hash = cubins[row - 1].hash;
    module.code = cubins[row - 1].data;
  }
}

}  // namespace

Result<std::vector<KernelChoice>> ReadKernels(const ProfileSource& file, const Profile& profile) {
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
  const auto labels = KernelLabels(profile).ByFullName(profile);
  for (const auto& [name, count] : by_name) {
    const auto label = labels.find(name);
    kernels.push_back({name, count, label == labels.end() ? name : label->second});
  }
  return kernels;
}

Result<std::vector<AnnotateInput>> ReadKernelSamples(const ProfileSource& file,
                                                     const Profile& profile,
                                                     const std::vector<std::string>& kernels) {
  std::vector<AnnotateInput> inputs;
  for (const std::string& kernel : kernels) inputs.emplace_back().kernel = kernel;
  if (Status read = ReadSamplesOf(file, profile, inputs); !read) return read.error();
  const Result<std::vector<GpuCubin>> cubins = file.Cubins();
  if (!cubins) return cubins.error();
  Result<std::vector<SourceText>> sources = file.Sources();
  if (!sources) return sources.error();
  const auto texts = std::make_shared<SourceTexts>();
  for (SourceText& source : *sources) {
    if (source.path.value > profile.string_count()) continue;
    (*texts)[std::string(profile.Text(source.path))] = std::move(source.text);
  }
  for (AnnotateInput& input : inputs) {
    TakeCode(*cubins, input);
    input.sources = texts;
  }
  return inputs;
}

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

}  // namespace gprofx
