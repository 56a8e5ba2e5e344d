#include "cli/record/finish.h"

#include <algorithm>

namespace gprofx {

std::vector<SymbolRequest> RequestsFor(const Profile& raw,
                                       const std::unordered_map<uint32_t, ModuleNames>& named) {
  std::vector<SymbolRequest> requests(raw.modules.size());
  for (size_t i = 0; i < raw.modules.size(); ++i) {
    requests[i].path = raw.Text(raw.modules[i].path);
    requests[i].build_id = raw.Text(raw.modules[i].build_id);
  }
  for (const Frame& frame : raw.frames) {  // interned: each address is there once
    if (frame.kind != FrameKind::kNative || !frame.module || named.contains(frame.module.value))
      continue;
    requests[frame.module.index()].addresses.push_back(frame.address);
  }
  for (SymbolRequest& request : requests) {
    std::sort(request.addresses.begin(), request.addresses.end());
  }
  return requests;
}

int64_t UnnamedTime(const Profile& raw, const std::vector<ModuleNames>& names, MetricId metric) {
  int64_t sum = 0;
  for (const Value& value : raw.values) {
    if (value.metric != metric) continue;
    const FrameId id = raw.node(value.node).frame;
    if (!id) continue;
    const Frame& frame = raw.frame(id);
    const bool native = frame.kind == FrameKind::kNative;
    if (!native && frame.kind != FrameKind::kUnknown) continue;
    const bool named = frame.module && frame.module.index() < names.size() &&
                       names[frame.module.index()].contains(frame.address);
    if (!named) sum += value.self;
  }
  return sum;
}

Status FinishProfile(ProfileWriter& writer, Profile& raw,
                     const std::unordered_map<uint32_t, ModuleNames>& jit_names,
                     const SymbolizeOptions& options, MetricId time, const GpuFinish* gpu,
                     std::vector<std::string>& problems) {
  SymbolizeAnswer answer = SymbolizeModules(RequestsFor(raw, jit_names), options);
  answer.names.resize(raw.modules.size());
  for (const auto& [module, names] : jit_names) answer.names[module - 1] = names;
  problems.insert(problems.end(), answer.problems.begin(), answer.problems.end());
  std::string text = raw.meta["problems"];
  for (const std::string& problem : answer.problems) text += (text.empty() ? "" : "\n") + problem;
  raw.meta["problems"] = text;
  raw.quality["unsymbolized_ns"] = UnnamedTime(raw, answer.names, time);
  raw.meta["complete"] = "yes";
  Resolved resolved = Resolve(raw, answer.names);
  std::vector<EventTable> replaced;
  if (gpu != nullptr) {
    replaced.push_back(FinishPcSamples(gpu->pc, gpu->read, resolved.node_of, resolved.profile));
  }
  return writer.Finish(resolved.profile, resolved.node_of, replaced);
}

}  // namespace gprofx
