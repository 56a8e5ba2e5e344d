// Converts GPU work to the form that the breakdowns use: pieces with a kind, cut to the shown range
// and grouped by device or stream. Used inside core/analyses only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analyses/analyses.h"

namespace gprofx::analyses {

enum class PieceKind : uint8_t { kComputation, kCommunication, kMemory };

struct WorkPiece {
  HostNs begin = 0, end = 0;  // part of the operation within the shown range
  HostNs launch = 0;          // time of the launching call; 0 = unknown
  uint32_t operation = 0;     // index in GpuWorkEvents::operations
  PieceKind what = PieceKind::kComputation;
};

struct DeviceWork {  // work of one process on one device or stream
  ProcessId process;
  GpuDeviceId device;
  GpuStreamId stream;           // 0 = all streams of the device
  std::vector<WorkPiece> rows;  // sorted by begin

  std::string ProcessText(const Profile& profile) const;  // the pid
  // Returns the device's number in the profile and its name: "0 H100".
  std::string DeviceText(const Profile& profile) const;
};

enum class DeviceWorkBy : uint8_t { kDevice, kStream };
// Returns the work of each device or stream, sorted by ids.
std::vector<DeviceWork> DeviceWorkOf(const AnalysisContext& context, DeviceWorkBy by);

}  // namespace gprofx::analyses
