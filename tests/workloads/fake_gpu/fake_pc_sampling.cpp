// The pretended CUPTI: samples of instructions.
#include <cupti.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "fake_device.h"
#include "fake_gpu.h"

using namespace fake;

namespace {

const char* const kReasons[] = {"smsp__pcsamp_warps_issue_stalled_long_scoreboard",
                                "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued",
                                "smsp__pcsamp_warps_issue_stalled_selected",
                                "smsp__pcsamp_sample_count"};

}  // namespace

FAKE_EXPORT uint64_t fake_samples() { return TheDevice().all_samples; }
FAKE_EXPORT CUptiResult cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams*) {
  if (Trouble("FAKE_PC", "privilege")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  if (Trouble("FAKE_PC", "busy")) return CUPTI_ERROR_HARDWARE_BUSY;
  if (Trouble("FAKE_PC", "memory")) return CUPTI_ERROR_OUT_OF_MEMORY;
  std::free(strdup(""));  // the loader binds it at its first call
  TheDevice().sampling = true;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams*) {
  Device& device = TheDevice();
  // Calls are short: after an overflow, which is once, it looks longer for one.
  const int looks = device.overflowed ? 400 : 20;
  for (int i = 0; i < looks && device.sampling; ++i) {
    device.would_deadlock += device.inside;
    usleep(100);
  }
  device.sampling = false;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult
cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams* params) {
  *params->numStallReasons = sizeof(kReasons) / sizeof(kReasons[0]);
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult
cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams* params) {
  for (uint32_t i = 0; i < params->numStallReasons; ++i) {
    params->stallReasonIndex[i] = i + 1;
    std::strcpy(params->stallReasons[i], kReasons[i]);
  }
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult
cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams*) {
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult
cuptiPCSamplingGetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams*) {
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams* params) {
  auto* data = static_cast<CUpti_PCSamplingData*>(params->pcSamplingData);
  Device& device = TheDevice();
  const std::lock_guard<std::mutex> guard(device.lock);
  data->totalSamples = data->droppedSamples = data->nonUsrKernelsTotalSamples = 0;
  data->totalNumPcs = data->remainingNumPcs = 0;
  data->hardwareBufferFull = 0;
  if (Trouble("FAKE_PC", "full") && !device.overflowed && !device.samples.empty()) {
    device.overflowed = true;
    for (const auto& [name, count] : device.samples) data->droppedSamples += count;
    data->totalSamples = data->droppedSamples;
    device.samples.clear();
    data->hardwareBufferFull = 1;
    return CUPTI_ERROR_OUT_OF_MEMORY;
  }
  const bool nameless = Trouble("FAKE_PC", "nameless");
  const char* volatile no_name = nullptr;
  for (const auto& [name, count] : device.samples) {
    auto* shared = new std::string(name);
    device.names.push_back(shared);
    for (uint64_t at = 0; at < 3; ++at) {
      const auto part = static_cast<uint32_t>(at == 0 ? count - count / 3 * 2 : count / 3);
      CUpti_PCSamplingPCData& pc = data->pPcData[data->totalNumPcs++];
      pc.cubinCrc = device.module;
      pc.pcOffset = at * 16;
      pc.functionIndex = 1;
      pc.functionName = shared->data();
      if (nameless && at == 0) pc.functionName = strdup(no_name);  // as CUPTI does it
      pc.stallReasonCount = 3;
      // Three of four wait for memory, all of those without anything else issued.
      pc.stallReason[0] = {1, part - part / 4};
      pc.stallReason[1] = {2, part - part / 4};
      pc.stallReason[2] = {3, part / 4};
      data->totalSamples += part;
    }
  }
  device.samples.clear();
  return CUPTI_SUCCESS;
}
