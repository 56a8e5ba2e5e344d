// GPU work as the breakdowns use it: with its device, stream and kind, cut to the shown range. Used
// inside core/analyses only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analyses/analyses.h"

namespace gprofx::analyses {

enum class PieceKind : uint8_t { kComputation, kCommunication, kMemory };

struct WorkPiece {
  HostNs begin = 0, end = 0;  // cut to the shown range
  HostNs launch = 0;          // 0 = unknown
  uint32_t operation = 0;     // index in GpuWorkEvents::operations
  PieceKind what = PieceKind::kComputation;
};

struct DeviceWork {  // of a device or a stream, of one process
  ProcessId process;
  GpuDeviceId device;
  GpuStreamId stream;           // 0 = all
  std::vector<WorkPiece> rows;  // sorted by begin

  std::string ProcessText(const Profile& profile) const;  // the pid
  std::string DeviceText(const Profile& profile) const;   // "0 H100", with the profile's number
};

enum class DeviceWorkBy : uint8_t { kDevice, kStream };
// Sorted by ids.
std::vector<DeviceWork> DeviceWorkOf(const AnalysisContext& context, DeviceWorkBy by);

}  // namespace gprofx::analyses
