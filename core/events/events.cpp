#include "core/events/events.h"

#include <algorithm>
#include <cstdlib>

namespace gprofx {
namespace {

using enum ColumnRole;

constexpr EventColumn kKernelColumnList[] = {
    {"start", kTime},       {"duration", kPlain},    {"launch", kTime},
    {"thread", kThread},    {"node", kNode},         {"gpu_stream", kGpuStream},
    {"config", kGpuConfig}, {"correlation", kPlain}, {"graph_node", kPlain}};
constexpr EventColumn kCopyColumnList[] = {
    {"start", kTime},    {"duration", kPlain},    {"launch", kTime},
    {"thread", kThread}, {"node", kNode},         {"gpu_stream", kGpuStream},
    {"bytes", kPlain},   {"kind", kPlain},        {"source", kPlain},
    {"target", kPlain},  {"correlation", kPlain}, {"graph_node", kPlain}};
constexpr EventColumn kSetColumnList[] = {
    {"start", kTime},        {"duration", kPlain},       {"launch", kTime}, {"thread", kThread},
    {"node", kNode},         {"gpu_stream", kGpuStream}, {"bytes", kPlain}, {"memory", kPlain},
    {"correlation", kPlain}, {"graph_node", kPlain}};
constexpr EventColumn kSyncColumnList[] = {
    {"start", kTime},       {"duration", kPlain},         {"thread", kThread},
    {"node", kNode},        {"gpu_context", kGpuContext}, {"type", kPlain},
    {"correlation", kPlain}};
constexpr EventColumn kCallColumnList[] = {{"start", kTime},
                                           {"duration", kPlain},
                                           {"thread", kThread},
                                           {"node", kNode},
                                           {"kind", kString}};
constexpr EventColumn kOverheadColumnList[] = {{"start", kTime},
                                               {"duration", kPlain},
                                               {"process", kProcess},
                                               {"kind", kPlain},
                                               {"tid", kPlain}};
constexpr EventColumn kPcColumnList[] = {
    {"cubin", kCubin},   {"function", kFunction}, {"offset", kPlain}, {"stall", kString},
    {"samples", kPlain}, {"latency", kPlain},     {"node", kNode},    {"confidence", kPlain}};
constexpr EventColumn kMarkerColumnList[] = {{"start", kTime},
                                             {"duration", kPlain},
                                             {"thread", kThread},
                                             {"name", kString},
                                             {"domain", kString}};
constexpr EventColumn kLevelColumnList[] = {{"start", kTime},
                                            {"duration", kPlain},
                                            {"process", kProcess},
                                            {"traced", kPlain},
                                            {"launches", kPlain}};
constexpr EventColumn kLaunchColumnList[] = {{"time", kTime}, {"thread", kThread}, {"node", kNode}};

constexpr EventColumn kLaunchCallColumnList[] = {
    {"start", kTime}, {"duration", kPlain}, {"thread", kThread}};

constexpr EventColumn kMemoryColumnList[] = {
    {"time", kTime},        {"thread", kThread}, {"node", kNode},   {"process", kProcess},
    {"device", kGpuDevice}, {"address", kPlain}, {"bytes", kPlain}, {"source", kPlain},
    {"allocated", kPlain},  {"reserved", kPlain}};

constexpr EventColumn kEnvironmentColumnList[] = {
    {"time", kTime},        {"process", kProcess},  {"device", kGpuDevice}, {"sm_mhz", kPlain},
    {"memory_mhz", kPlain}, {"milliwatts", kPlain}, {"celsius", kPlain},    {"throttle", kPlain}};

constexpr EventColumn kThreadWaitColumnList[] = {{"start", kTime},    {"duration", kPlain},
                                                 {"thread", kThread}, {"ready_ns", kPlain},
                                                 {"faults", kPlain},  {"cpus", kPlain}};

constexpr EventColumn kWaitPlaceColumnList[] = {
    {"time", kTime}, {"thread", kThread}, {"node", kNode}};

static_assert(std::size(kKernelColumnList) == column::kKernelColumns);
static_assert(std::size(kCopyColumnList) == column::kCopyColumns);
static_assert(std::size(kSetColumnList) == column::kSetColumns);
static_assert(std::size(kSyncColumnList) == column::kSyncColumns);
static_assert(std::size(kCallColumnList) == column::kCallColumns);
static_assert(std::size(kOverheadColumnList) == column::kOverheadColumns);
static_assert(std::size(kPcColumnList) == column::kPcColumns);
static_assert(std::size(kMarkerColumnList) == column::kMarkerColumns);
static_assert(std::size(kLevelColumnList) == column::kLevelColumns);
static_assert(std::size(kLaunchColumnList) == column::kLaunchColumns);
static_assert(std::size(kLaunchCallColumnList) == column::kLaunchCallColumns);
static_assert(std::size(kMemoryColumnList) == column::kMemoryColumns);
static_assert(std::size(kEnvironmentColumnList) == column::kEnvironmentColumns);
static_assert(std::size(kThreadWaitColumnList) == column::kThreadWaitColumns);
static_assert(std::size(kWaitPlaceColumnList) == column::kWaitPlaceColumns);

constexpr EventStream kStreams[] = {
    {Stream::kKernels, "kernels", kKernelColumnList, true},
    {Stream::kCopies, "copies", kCopyColumnList, true},
    {Stream::kSets, "sets", kSetColumnList, true},
    {Stream::kSyncs, "syncs", kSyncColumnList, true},
    {Stream::kCalls, "calls", kCallColumnList, true},
    {Stream::kOverheads, "overheads", kOverheadColumnList, true},
    {Stream::kPcSamples, "pc samples", kPcColumnList, false},
    {Stream::kMarkers, "markers", kMarkerColumnList, true},
    {Stream::kGpuLevels, "gpu levels", kLevelColumnList, true},
    {Stream::kGpuLaunches, "gpu launches", kLaunchColumnList, true},
    {Stream::kLaunchCalls, "launch calls", kLaunchCallColumnList, true},
    {Stream::kGpuMemory, "gpu memory", kMemoryColumnList, true},
    {Stream::kGpuEnvironment, "gpu environment", kEnvironmentColumnList, true},
    {Stream::kThreadWaits, "thread waits", kThreadWaitColumnList, true},
    {Stream::kWaitPlaces, "wait places", kWaitPlaceColumnList, true},
};

// Returns the signed number with the same bits, the form that columns store.
int64_t Number(uint64_t value) { return static_cast<int64_t>(value); }

}  // namespace

std::span<const EventStream> EventStreams() { return kStreams; }

const EventStream* FindEventStream(Stream id) {
  for (const EventStream& stream : kStreams) {
    if (stream.id == id) return &stream;
  }
  return nullptr;
}

EventTable::EventTable(Stream stream) : stream_(stream) {
  if (const EventStream* found = FindEventStream(stream)) columns_.resize(found->columns.size());
}

void EventTable::AppendColumns(Stream stream, std::initializer_list<int64_t> row) {
  if (stream != stream_ || row.size() != columns_.size()) std::abort();
  auto column = columns_.begin();
  for (const int64_t value : row) (column++)->push_back(value);
}

void EventTable::Append(const KernelEvent& row) {
  AppendColumns(Stream::kKernels,
                {row.start, row.duration, row.launch, row.thread.value, row.node.value,
                 row.stream.value, row.config.value, row.correlation, Number(row.graph_node)});
}

void EventTable::Append(const CopyEvent& row) {
  AppendColumns(Stream::kCopies, {row.start, row.duration, row.launch, row.thread.value,
                                  row.node.value, row.stream.value, row.bytes, row.kind, row.source,
                                  row.target, row.correlation, Number(row.graph_node)});
}

void EventTable::Append(const SetEvent& row) {
  AppendColumns(Stream::kSets,
                {row.start, row.duration, row.launch, row.thread.value, row.node.value,
                 row.stream.value, row.bytes, row.memory, row.correlation, Number(row.graph_node)});
}

void EventTable::Append(const SyncEvent& row) {
  AppendColumns(Stream::kSyncs, {row.start, row.duration, row.thread.value, row.node.value,
                                 row.context.value, row.type, row.correlation});
}

void EventTable::Append(const CallEvent& row) {
  AppendColumns(Stream::kCalls,
                {row.start, row.duration, row.thread.value, row.node.value, row.name.value});
}

void EventTable::Append(const OverheadEvent& row) {
  AppendColumns(Stream::kOverheads,
                {row.start, row.duration, row.process.value, row.kind, row.tid});
}

void EventTable::Append(const PcEvent& row) {
  AppendColumns(Stream::kPcSamples,
                {row.cubin.value, row.function.value, Number(row.offset), row.stall.value,
                 row.samples, row.latency, row.node.value, static_cast<int64_t>(row.confidence)});
}

void EventTable::Append(const MarkerEvent& row) {
  AppendColumns(Stream::kMarkers,
                {row.start, row.duration, row.thread.value, row.name.value, row.domain.value});
}

void EventTable::Append(const LevelEvent& row) {
  AppendColumns(Stream::kGpuLevels,
                {row.start, row.duration, row.process.value, row.traced ? 1 : 0, row.launches});
}

void EventTable::Append(const LaunchEvent& row) {
  AppendColumns(Stream::kGpuLaunches, {row.time, row.thread.value, row.node.value});
}

void EventTable::Append(const LaunchCallEvent& row) {
  AppendColumns(Stream::kLaunchCalls, {row.start, row.duration, row.thread.value});
}

void EventTable::Append(const MemoryEvent& row) {
  AppendColumns(Stream::kGpuMemory,
                {row.time, row.thread.value, row.node.value, row.process.value, row.device.value,
                 Number(row.address), row.bytes, static_cast<int64_t>(row.source), row.allocated,
                 row.reserved});
}

void EventTable::Append(const EnvironmentEvent& row) {
  AppendColumns(Stream::kGpuEnvironment,
                {row.time, row.process.value, row.device.value, row.sm_mhz, row.memory_mhz,
                 row.milliwatts, row.celsius, Number(row.throttle)});
}

void EventTable::Append(const ThreadWaitEvent& row) {
  AppendColumns(Stream::kThreadWaits,
                {row.start, row.duration, row.thread.value, row.ready_ns, row.faults, row.cpus});
}

void EventTable::Append(const WaitPlaceEvent& row) {
  AppendColumns(Stream::kWaitPlaces, {row.time, row.thread.value, row.node.value});
}

void EventTable::Clear() {
  for (std::vector<int64_t>& column : columns_) column.clear();
}

size_t EventTable::rows() const {
  size_t rows = 0;
  for (const std::vector<int64_t>& column : columns_) rows = std::max(rows, column.size());
  return rows;
}

}  // namespace gprofx
