// GPU work as the breakdowns take it: of which device and stream, of what kind, in the part that is
// shown. Used inside core/analyses only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analyses/analyses.h"

namespace gprofx::analyses {

enum class PieceKind : uint8_t { kComputation, kCommunication, kMemory };

struct WorkPiece {
  HostNs begin = 0, end = 0;  // cut to what is shown
  HostNs launch = 0;          // 0 = unknown
  uint32_t operation = 0;     // position in GpuWorkEvents::operations
  PieceKind what = PieceKind::kComputation;
};

struct DeviceWork {  // of a device or a stream of a process
  ProcessId process;
  GpuDeviceId device;
  GpuStreamId stream;           // 0 = all
  std::vector<WorkPiece> rows;  // by begin

  std::string ProcessText(const Profile& profile) const;  // its id
  std::string DeviceText(const Profile& profile) const;   // "0 H100", as the profile counts devices
};

enum class DeviceWorkBy : uint8_t { kDevice, kStream };
// In the order of their ids.
std::vector<DeviceWork> DeviceWorkOf(const AnalysisContext& context, DeviceWorkBy by);

}  // namespace gprofx::analyses
