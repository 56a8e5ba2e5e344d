#include "samplers/cuda/cupti/pc_context.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "samplers/cuda/cupti/zero_pages.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

constexpr size_t kPcs = 4096;  // records that one read can return
// Records that fit in the configured buffer: samples that CUPTI had not decoded when it was
// stopped. That is some tenths of a second of a busy GPU.
constexpr size_t kLastPcs = 32768;
constexpr size_t kScratchBytes = size_t{16} << 20;
constexpr size_t kHardwareBytes = size_t{32} << 20;  // room for a second of samples or more
constexpr uint32_t kWorkerSleepMs = 20;
constexpr uint32_t kMinPeriod = 5, kMaxPeriod = 31, kSlowestPeriod = 22;
// Maximum number of reads per drain. A GPU may fill the buffer faster than we read, and must not
// keep us here for ever.
constexpr int kMaxAnswers = 64;
constexpr double kWantedPerSecond = 1e6;
// Compute capability of the GPUs that refuse a size for the hardware buffer.
constexpr uint32_t kBlackwell = 10;

constexpr char kReasonPrefix[] = "smsp__pcsamp_warps_issue_stalled_";
constexpr char kNotIssued[] = "_not_issued";

// True if the samples with this stall reason count in the sum. Those of a reason with "_not_issued"
// do not, because the reason without it already includes them.
bool CountsSamples(const char* reason) {
  const size_t length = std::strlen(reason), tail = sizeof(kNotIssued) - 1;
  if (std::strncmp(reason, kReasonPrefix, sizeof(kReasonPrefix) - 1) != 0) return false;
  return length < tail || std::strcmp(reason + length - tail, kNotIssued) != 0;
}

size_t PlacesIn(const CUpti_PCSamplingData& data) {
  return std::min(data.totalNumPcs, data.collectNumPcs);
}

template <class Params>
Params ParamsFor(CUcontext context, size_t size) {
  Params params{};
  params.size = size;
  params.ctx = context;
  return params;
}

// Returns the path of libnvperf_host.so beside CUPTI. CUPTI opens this library by its name or path,
// and gets the copy that we have loaded. CUPTI's flags hide a program's replacements of malloc and
// other functions from it, so we use the same flags.
std::string NvperfPath() {
  return g_cupti.path.substr(0, g_cupti.path.rfind('/') + 1) + "libnvperf_host.so";
}
constexpr int kNvperfFlags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;

}  // namespace

PcBuffer::PcBuffer(size_t pcs, size_t reasons)
    : reasons_(static_cast<CUpti_PCSamplingStallReason*>(
          std::calloc(pcs * reasons, sizeof(CUpti_PCSamplingStallReason)))),
      pcs_(pcs) {
  if (reasons_ == nullptr) throw std::bad_alloc();
  for (size_t i = 0; i < pcs; ++i) {
    pcs_[i] = {};
    pcs_[i].size = sizeof(CUpti_PCSamplingPCData);
    pcs_[i].stallReason = &reasons_[i * reasons];
  }
  data_.size = sizeof(data_);
  data_.collectNumPcs = pcs;
  data_.pPcData = pcs_.data();
}

uint32_t UsualPeriod(const DeviceFacts& facts) {
  const double cycles = static_cast<double>(facts.multiprocessors) *
                        static_cast<double>(facts.clock_hz) / kWantedPerSecond;
  uint32_t period = 12;
  while (period < kSlowestPeriod && static_cast<double>(uint64_t{1} << period) < cycles) ++period;
  return period;
}

PcContext::PcContext(CUcontext context, uint32_t id, uint32_t device, const DeviceFacts& facts)
    : context_(context), id_(id), device_(device), facts_(facts) {
  const uint32_t asked = g_state.facts().gpu.pc_period;
  period_ = asked >= kMinPeriod && asked <= kMaxPeriod ? asked : UsualPeriod(facts);
  hardware_bytes_ = facts.compute_major >= kBlackwell ? 0 : kHardwareBytes;
}

CUptiResult PcContext::Enable() {
  auto params = ParamsFor<CUpti_PCSamplingEnableParams>(context_, CUpti_PCSamplingEnableParamsSize);
  return g_cupti.PCSamplingEnable(&params);
}

void PcContext::Disable() {
  auto params =
      ParamsFor<CUpti_PCSamplingDisableParams>(context_, CUpti_PCSamplingDisableParamsSize);
  if (g_cupti.PCSamplingDisable(&params) != CUPTI_SUCCESS) g_state.Count(wire::kGpuErrors);
}

CUptiResult PcContext::Start() {
  // If the GPU's memory is nearly full, take a smaller buffer and leave the memory to the program.
  if (hardware_bytes_ != 0) {
    const uint64_t free_bytes = FreeDeviceMemory();
    while (free_bytes != 0 && hardware_bytes_ > (size_t{8} << 20) &&
           hardware_bytes_ * 16 > free_bytes)
      hardware_bytes_ /= 2;
    if (free_bytes != 0 && hardware_bytes_ * 4 > free_bytes) {
      Notice(wire::kNoticePcSmaller,
             "no PC sampling: the GPU has too little free memory for its buffer");
      return CUPTI_ERROR_OUT_OF_MEMORY;
    }
  }
  const LeanLibrary nvperf(NvperfPath(), kNvperfFlags);
  CUptiResult result = Enable();
  if (result != CUPTI_SUCCESS) return result;
  try {
    result = ReadReasons();
  } catch (const std::bad_alloc&) {
    Disable();
    throw;
  }
  if (result == CUPTI_SUCCESS) result = Configure();
  if (result != CUPTI_SUCCESS) {
    Disable();
    return result;
  }
  DescribeSetup();
  last_drain_ = g_state.Now();
  return CUPTI_SUCCESS;
}

CUptiResult PcContext::ReadReasons() {
  size_t count = 0;
  auto ask = ParamsFor<CUpti_PCSamplingGetNumStallReasonsParams>(
      context_, CUpti_PCSamplingGetNumStallReasonsParamsSize);
  ask.numStallReasons = &count;
  CUptiResult result = g_cupti.PCSamplingGetNumStallReasons(&ask);
  if (result != CUPTI_SUCCESS) return result;
  if (count == 0 || count > 1024) return CUPTI_ERROR_UNKNOWN;
  std::vector<char> text(count * CUPTI_STALL_REASON_STRING_SIZE);
  std::vector<char*> names(count);
  for (size_t i = 0; i < count; ++i) names[i] = &text[i * CUPTI_STALL_REASON_STRING_SIZE];
  indexes_.assign(count, 0);
  auto get = ParamsFor<CUpti_PCSamplingGetStallReasonsParams>(
      context_, CUpti_PCSamplingGetStallReasonsParamsSize);
  get.numStallReasons = count;
  get.stallReasonIndex = indexes_.data();
  get.stallReasons = names.data();
  result = g_cupti.PCSamplingGetStallReasons(&get);
  if (result != CUPTI_SUCCESS) return result;
  for (size_t i = 0; i < count; ++i) {
    names[i][CUPTI_STALL_REASON_STRING_SIZE - 1] = 0;
    WriteText(wire::kGpuStall, indexes_[i], names[i]);
    if (indexes_[i] >= 4096) return CUPTI_ERROR_UNKNOWN;
    if (indexes_[i] >= counts_.size()) counts_.resize(indexes_[i] + 1);
    counts_[indexes_[i]] = CountsSamples(names[i]);
  }
  configured_ = std::make_unique<PcBuffer>(kLastPcs, count);
  drained_ = std::make_unique<PcBuffer>(kPcs, count);
  return CUPTI_SUCCESS;
}

CUptiResult PcContext::Configure() {
  CUpti_PCSamplingConfigurationInfo info[7] = {};
  size_t n = 0;
  const auto add = [&](CUpti_PCSamplingConfigurationAttributeType type) -> auto& {
    info[n].attributeType = type;
    return info[n++].attributeData;
  };
  add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE).collectionModeData.collectionMode =
      CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
  add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD).samplingPeriodData.samplingPeriod =
      period_;
  auto& reasons = add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON).stallReasonData;
  reasons.stallReasonCount = indexes_.size();
  reasons.pStallReasonIndex = indexes_.data();
  add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE)
      .scratchBufferSizeData.scratchBufferSize = kScratchBytes;
  add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_WORKER_THREAD_PERIODIC_SLEEP_SPAN)
      .workerThreadPeriodicSleepSpanData.workerThreadPeriodicSleepSpan = kWorkerSleepMs;
  add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER)
      .samplingDataBufferData.samplingDataBuffer = configured_->data();
  if (hardware_bytes_ != 0) {
    add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE)
        .hardwareBufferSizeData.hardwareBufferSize = hardware_bytes_;
  }
  auto params = ParamsFor<CUpti_PCSamplingConfigurationInfoParams>(
      context_, CUpti_PCSamplingConfigurationInfoParamsSize);
  params.numAttributes = n;
  params.pPCSamplingConfigurationInfo = info;
  return g_cupti.PCSamplingSetConfigurationAttribute(&params);
}

void PcContext::DescribeSetup() {
  CUpti_PCSamplingConfigurationInfo info[3] = {};
  info[0].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
  info[1].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE;
  info[2].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE;
  auto params = ParamsFor<CUpti_PCSamplingConfigurationInfoParams>(
      context_, CUpti_PCSamplingConfigurationInfoParamsSize);
  params.numAttributes = 3;
  params.pPCSamplingConfigurationInfo = info;
  if (g_cupti.PCSamplingGetConfigurationAttribute(&params) != CUPTI_SUCCESS) return;
  if (info[0].attributeData.samplingPeriodData.samplingPeriod != 0)
    period_ = info[0].attributeData.samplingPeriodData.samplingPeriod;
  Fact("pc_period", std::to_string(period_));
  Fact("pc_scratch_bytes",
       std::to_string(info[1].attributeData.scratchBufferSizeData.scratchBufferSize));
  Fact("pc_hardware_bytes",
       std::to_string(info[2].attributeData.hardwareBufferSizeData.hardwareBufferSize));
}

void PcContext::Drain(Names& names) {
  if (full_) return;
  const int64_t begin = last_drain_, end = g_state.Now();
  last_drain_ = end;
  for (int i = 0; i < kMaxAnswers; ++i) {
    auto params =
        ParamsFor<CUpti_PCSamplingGetDataParams>(context_, CUpti_PCSamplingGetDataParamsSize);
    params.pcSamplingData = drained_->data();
    const CUptiResult result = g_cupti.PCSamplingGetData(&params);
    const CUpti_PCSamplingData& data = *drained_->data();
    const bool full = data.hardwareBufferFull != 0 || result == CUPTI_ERROR_OUT_OF_MEMORY;
    if (result != CUPTI_SUCCESS && !full) {
      g_state.Count(wire::kGpuErrors);
      broken_ = true;
      return;
    }
    Write(data, begin, end, names);
    if (full) {
      g_state.Count(wire::kGpuPcBufferFull);
      full_ = true;
      return;
    }
    if (data.totalNumPcs == 0 && data.remainingNumPcs == 0) return;
  }
}

void PcContext::RestartSlower() {
  const int64_t begin = last_drain_;  // samples that were taken since then are lost
  full_ = false;
  period_ = period_ + 2 < kSlowestPeriod ? period_ + 2 : kSlowestPeriod;
  Disable();
  CUptiResult result = Enable();
  if (result == CUPTI_SUCCESS) result = Configure();
  if (result != CUPTI_SUCCESS) broken_ = true;
  DescribeSetup();
  last_drain_ = g_state.Now();
  g_state.Count(wire::kGpuPcGapNs, static_cast<uint64_t>(last_drain_ - begin));
}

void PcContext::Stop(Names& names) {
  const int64_t begin = last_drain_;
  if (full_) g_state.Count(wire::kGpuPcGapNs, static_cast<uint64_t>(g_state.Now() - begin));
  if (!broken_) Drain(names);
  Disable();
  if (configured_ == nullptr || broken_) return;
  // Samples that arrived during the stop are in the configured buffer. Its total also counts
  // samples for which it had no room.
  const CUpti_PCSamplingData& data = *configured_->data();
  const uint64_t told = data.nonUsrKernelsTotalSamples + data.droppedSamples + CountPlaced(data);
  Write(data, begin, g_state.Now(), names, data.totalSamples - std::min(data.totalSamples, told));
}

uint64_t PcContext::CountPlaced(const CUpti_PCSamplingData& data) const {
  uint64_t samples = 0;
  for (size_t i = 0; i < PlacesIn(data); ++i) samples += SamplesOf(data.pPcData[i]);
  return samples;
}

void PcContext::Write(const CUpti_PCSamplingData& data, int64_t begin, int64_t end, Names& names,
                      uint64_t without_room) {
  if (data.totalSamples == 0 && data.totalNumPcs == 0 && data.droppedSamples == 0) return;
  if (!g_state.sampling()) return;
  g_state.Count(wire::kGpuPcSamples, data.totalSamples);
  g_state.Count(wire::kGpuPcNonUser, data.nonUsrKernelsTotalSamples);
  const uint64_t dropped = data.droppedSamples + without_room;
  g_state.Count(wire::kGpuPcDropped, dropped);
  const size_t pcs = PlacesIn(data);
  wire::GpuPcWindowRecord window{};
  window.begin = static_cast<uint64_t>(begin);
  window.end = static_cast<uint64_t>(end);
  window.total = data.totalSamples;
  window.dropped = dropped;
  window.non_user = data.nonUsrKernelsTotalSamples;
  window.context = id_;
  window.device = device_;
  window.period = period_;
  window.records = static_cast<uint32_t>(pcs);
  window.buffer_full = data.hardwareBufferFull;
  WriteRecord(wire::kGpuPcWindow, window);
  for (size_t i = 0; i < pcs; ++i) WritePc(data.pPcData[i], names);
}

uint64_t PcContext::SamplesOf(const CUpti_PCSamplingPCData& pc) const {
  uint64_t samples = 0;
  for (size_t i = 0; i < pc.stallReasonCount; ++i) {
    const CUpti_PCSamplingStallReason& stall = pc.stallReason[i];
    const size_t index = stall.pcSamplingStallReasonIndex;
    if (index < counts_.size() && counts_[index]) samples += stall.samples;
  }
  return samples;
}

void PcContext::WritePc(const CUpti_PCSamplingPCData& pc, Names& names) {
  constexpr uint32_t kMaxReasons = 256;
  struct {
    wire::GpuPcRecord record;
    wire::GpuPcStall stalls[kMaxReasons];
  } out;
  out.record = {};
  uint32_t n = 0;
  for (size_t i = 0; i < pc.stallReasonCount && n < kMaxReasons; ++i) {
    const CUpti_PCSamplingStallReason& stall = pc.stallReason[i];
    if (stall.samples == 0) continue;
    out.stalls[n++] = {stall.pcSamplingStallReasonIndex, stall.samples};
  }
  g_state.Count(wire::kGpuPcUser, SamplesOf(pc));
  out.record.header.type = wire::kGpuPc;
  out.record.module = pc.cubinCrc;
  out.record.offset = pc.pcOffset;
  out.record.function = pc.functionIndex;
  out.record.name = names.Id(pc.functionName);
  out.record.context = id_;
  out.record.stalls = n;
  WriteRecord(&out.record.header,
              static_cast<uint32_t>(sizeof(out.record) + n * sizeof(wire::GpuPcStall)));
}

}  // namespace gprofx::cuda
