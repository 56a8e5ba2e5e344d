#include "core/model/host_class.h"

#include <string_view>

#include "core/base/path.h"
#include "core/base/text.h"
#include "core/model/inherit.h"

namespace gprofx {
namespace {

bool NamesLoader(std::string_view file) {
  return Contains(file, "torch/utils/data/") || file.ends_with("multiprocessing/queues.py") ||
         file.ends_with("multiprocessing/connection.py");
}

bool NamesCuda(std::string_view path) {
  const std::string_view name = BaseName(path);
  return name.starts_with("libcuda.so") || name.starts_with("libcudart");
}

}  // namespace

bool HostClasses::IsLoadingFile(StringId file) {
  const auto [found, is_new] = loading_files_.try_emplace(file.value, false);
  if (is_new) found->second = NamesLoader(profile_.Text(file));
  return found->second;
}

uint8_t HostClasses::TraitsOf(const Frame& frame) {
  if (frame.kind == FrameKind::kPython) {
    const bool loading = frame.function && IsLoadingFile(profile_.function(frame.function).file);
    return static_cast<uint8_t>(kPython | (loading ? kLoading : 0));
  }
  if (frame.kind == FrameKind::kNative && frame.module) {
    const auto [found, is_new] = cuda_modules_.try_emplace(frame.module.value, false);
    if (is_new) found->second = NamesCuda(profile_.Text(profile_.module(frame.module).path));
    return found->second ? kCuda : 0;
  }
  return 0;
}

HostClass HostClasses::Of(NodeId node, uint8_t state) {
  if (!node) return HostClass::kNative;
  if (profiling_.Is(node)) return HostClass::kProfiling;
  ExtendDown(profile_.nodes, traits_, [&](uint8_t above, FrameId id) {
    const Frame& frame = profile_.frame(id);
    // An idle frame gets the traits of its parent frame, in which the thread waits.
    const uint8_t own = frame.kind == FrameKind::kIdle ? above : TraitsOf(frame);
    return static_cast<uint8_t>(own | (above & kLoading));
  });
  const uint8_t traits = traits_[node.index()];
  if ((traits & kLoading) != 0) return HostClass::kDataLoading;
  if ((traits & kCuda) != 0) return HostClass::kCudaCall;
  if ((traits & kPython) != 0 || (state & kStateMask) == kStateGilHeld) return HostClass::kPython;
  return HostClass::kNative;
}

}  // namespace gprofx
