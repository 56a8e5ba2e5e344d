#include "core/gpu/collective_frames.h"

#include "core/kernels/kernel_family.h"

namespace gprofx {

std::vector<bool> CommunicationFrames(const Profile& profile) {
  std::vector<bool> out;
  out.reserve(profile.frames.size());
  for (const Frame& frame : profile.frames) {
    out.push_back(frame.kind == FrameKind::kGpuKernel && frame.function &&
                  IsCommunicationKernel(profile.Text(profile.function(frame.function).name)));
  }
  return out;
}

}  // namespace gprofx
