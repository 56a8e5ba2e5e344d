#include "samplers/cuda/hooks/call_names.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace gprofx::cuda {
namespace {

bool Starts(const char* name, const char* prefix) {
  return std::strncmp(name, prefix, std::strlen(prefix)) == 0;
}

struct Rule {
  const char* prefix;
  wire::GpuCall call, async;  // the kind of call; `async` if the name contains "Async"
};

// The first rule whose text begins the name applies.
constexpr Rule kRules[] = {
    {"cuLaunchHostFunc", wire::kCallNone, wire::kCallNone},
    {"cuLaunchCooperative", wire::kCallLaunchCooperative, wire::kCallLaunchCooperative},
    {"cuLaunch", wire::kCallLaunch, wire::kCallLaunch},
    {"cuGraphLaunch", wire::kCallGraphLaunch, wire::kCallGraphLaunch},
    {"cuMemcpy", wire::kCallCopy, wire::kCallCopyAsync},
    {"cuMemset", wire::kCallSet, wire::kCallSetAsync},
    {"cuStreamSynchronize", wire::kCallStreamSync, wire::kCallStreamSync},
    {"cuCtxSynchronize", wire::kCallContextSync, wire::kCallContextSync},
    {"cuEventSynchronize", wire::kCallEventSync, wire::kCallEventSync},
    {"cuMemAlloc", wire::kCallAlloc, wire::kCallAllocAsync},
    {"cuMemHostAlloc", wire::kCallAlloc, wire::kCallAlloc},
    {"cuMemFree", wire::kCallFree, wire::kCallFreeAsync},
    {"cuMemCreate", wire::kCallMemoryCreate, wire::kCallMemoryCreate},
    {"cuMemRelease", wire::kCallMemoryRelease, wire::kCallMemoryRelease},
    {"cuMemMapArray", wire::kCallNone, wire::kCallNone},
    {"cuMemMap", wire::kCallMemoryMap, wire::kCallMemoryMap},
    {"cuMemUnmap", wire::kCallMemoryMap, wire::kCallMemoryMap},
    {"cuModuleLoad", wire::kCallModuleLoad, wire::kCallModuleLoad},
    {"cuLibraryLoad", wire::kCallModuleLoad, wire::kCallModuleLoad},
    {"cuStreamEndCapture", wire::kCallGraphBuild, wire::kCallGraphBuild},
    {"cuGraphInstantiate", wire::kCallGraphBuild, wire::kCallGraphBuild},
};

}  // namespace

wire::GpuCall CallOfName(const char* name) {
  for (const Rule& rule : kRules) {
    if (Starts(name, rule.prefix))
      return std::strstr(name, "Async") != nullptr ? rule.async : rule.call;
  }
  return wire::kCallNone;
}

bool HandsOutFunctions(const char* name) { return Starts(name, "cuGetProcAddress"); }

bool NeedsCupti(const char* name) {
  constexpr const char* kNames[] = {"cuStreamBeginCapture", "cuGraphAdd",        "cuGraphClone",
                                    "cuGraphInstantiate",   "cuGraphExecUpdate", "cuCtxCreate",
                                    "cuGreenCtxCreate"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [name](const char* start) { return Starts(name, start); });
}

bool TakesHandleSecond(const char* name) { return Starts(name, "cuLaunchKernelEx"); }

}  // namespace gprofx::cuda
