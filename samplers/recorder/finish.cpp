#include "samplers/recorder/finish.h"

#include <algorithm>
#include <utility>

#include "core/model/address_name.h"
#include "core/model/layer_path.h"
#include "core/model/under_python.h"
#include "samplers/recorder/own_sources.h"

namespace gprofx::recorder {

std::vector<SymbolRequest> RequestsFor(const Profile& raw,
                                       const std::unordered_map<uint32_t, ModuleNames>& named) {
  std::vector<SymbolRequest> requests(raw.modules.size());
  for (size_t i = 0; i < raw.modules.size(); ++i) {
    requests[i].path = raw.Text(raw.modules[i].path);
    requests[i].build_id = raw.Text(raw.modules[i].build_id);
  }
  for (const Frame& frame : raw.frames) {  // frames are interned, so each address occurs once
    if (frame.kind != FrameKind::kNative || !frame.module || named.contains(frame.module.value))
      continue;
    requests[frame.module.index()].addresses.push_back(frame.address);
  }
  for (SymbolRequest& request : requests) {
    std::sort(request.addresses.begin(), request.addresses.end());
  }
  return requests;
}

namespace {

// True if `names` contains a name for the frame. A name that only repeats the address does not
// count.
bool HasName(const Frame& frame, const std::vector<ModuleNames>& names) {
  if (!frame.module || frame.module.index() >= names.size()) return false;
  const ModuleNames& of_module = names[frame.module.index()];
  const auto found = of_module.find(frame.address);
  return found != of_module.end() && !IsAddressName(found->second.front().function);
}

}  // namespace

int64_t UnnamedTime(const Profile& raw, const std::vector<ModuleNames>& names, MetricId metric) {
  const UnderPython under(raw);
  int64_t sum = 0;
  for (const Value& value : raw.values) {
    if (value.metric != metric) continue;
    const NodeId code = CodeOf(raw, value.node);
    const FrameId id = raw.node(code).frame;
    if (!id) continue;
    const Frame& frame = raw.frame(id);
    const bool native = frame.kind == FrameKind::kNative;
    if (!native && frame.kind != FrameKind::kUnknown) continue;
    if (!HasName(frame, names) && !under.Interprets(code, frame)) sum += value.self;
  }
  return sum;
}

namespace {

std::vector<ModuleNames> NameAddresses(Profile& raw, const FinishInput& input, Problems& problems) {
  std::vector<SymbolRequest> requests = RequestsFor(raw, *input.jit_names);
  for (size_t i = 0; i < requests.size(); ++i) {
    requests[i].reader = input.readers.Of(ModuleId{static_cast<uint32_t>(i + 1)});
  }
  SymbolizeAnswer answer = SymbolizeModules(requests, input.symbolize);
  problems.Keep(answer.problems);
  raw.quality["modules_not_reached"] = static_cast<int64_t>(answer.not_reached);
  answer.names.resize(raw.modules.size());
  for (const auto& [module, names] : *input.jit_names) answer.names[module - 1] = names;
  return std::move(answer.names);
}

}  // namespace

Status FinishProfile(ProfileWriter& writer, Profile& raw, const FinishInput& input,
                     Problems& problems, PassTimers& timers) {
  const std::vector<ModuleNames> names =
      timers.Measure(Pass::kSymbolize, [&] { return NameAddresses(raw, input, problems); });
  raw.meta["problems"] = problems.Text();
  raw.quality["unsymbolized_ns"] = UnnamedTime(raw, names, input.time);
  raw.meta["complete"] = "yes";
  Resolved resolved = timers.Measure(Pass::kResolve, [&] { return Resolve(raw, names); });
  std::vector<EventTable> replaced;
  const bool keeps_sources = input.arguments != Arguments::kLeftOut;
  if (input.pc != nullptr) {
    replaced.push_back(timers.Measure(Pass::kGpuAttribution, [&] {
      return FinishPcSamples(*input.pc, input.read, resolved.node_of, resolved.profile,
                             keeps_sources && input.may_read_gpu_sources);
    }));
  }
  if (keeps_sources) KeepOwnSources(input.time, input.readable, resolved.profile);
  timers.Describe(resolved.profile.meta);
  return timers.Measure(Pass::kFinalWrite, [&] {
    return writer.Finish(resolved.profile, resolved.node_of, replaced);
  });
}

}  // namespace gprofx::recorder
