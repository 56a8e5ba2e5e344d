// Reads the GPU work of a profile, chunk by chunk. Decodes only the columns that are needed.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "core/base/hash.h"
#include "core/kernels/kernel_family.h"
#include "core/kernels/work_names.h"
#include "core/model/inherit.h"
#include "core/model/sources.h"
#include "formats/database/event_chunk.h"
#include "formats/database/stream_read.h"
#include "formats/profile/profile_load.h"
#include "formats/profile/profile_reader.h"
#include "formats/reading/part_events.h"
#include "formats/reading/phase_events.h"
#include "formats/reading/phase_rows.h"
#include "formats/variability/files.h"
#include "formats/variability/profile_evidence.h"
#include "formats/variability/profile_host.h"

namespace gprofx {
namespace {

using namespace variability;

constexpr char kChunks[] =
    "SELECT id FROM chunk NOT INDEXED WHERE stream=?1 OR stream=?2 OR stream=?3";
constexpr char kChunk[] = "SELECT stream, codec, data FROM chunk WHERE id=?1";

class ProfileEvents final : public EventFile {
 public:
  ProfileEvents(ProfileFile file, Profile profile)
      : file_(std::move(file)), profile_(std::move(profile)), limits_(EventLimitsOf(file_)) {}

  Status Prepare() {
    MakeFacts();
    MakeLanes();
    FindOperators();
    for (const GpuKernelConfig& config : profile_.gpu.configs) {
      collective_.push_back(IsCommunicationKernel(NameOf(config)) ? 1 : 0);
    }
    file_.StartWork();
    sqlite::Statement chunks = file_.Query(kChunks);
    if (!chunks) return file_.Damage(chunks.code(), "chunk");
    int place = 0;
    for (const Stream stream : {Stream::kKernels, Stream::kCopies, Stream::kSets}) {
      chunks.Bind(place++, static_cast<uint32_t>(stream));
    }
    while (chunks.Next()) chunks_.push_back(chunks.Int(0));
    if (chunks.code() != SQLITE_DONE) return file_.Damage(chunks.code(), "chunk");
    std::sort(chunks_.begin(), chunks_.end());
    return Ok();
  }

  const FileFacts& facts() const override { return facts_; }
  std::span<const GroupKey> groups() const override { return groups_; }
  std::span<const LaneId> lanes() const override { return lanes_; }

  Status ReadPart(size_t part, size_t parts, const BlockSink& sink) override {
    const size_t first = chunks_.size() * part / parts, last = chunks_.size() * (part + 1) / parts;
    file_.StartWork();
    for (size_t i = first; i < last; ++i) {
      if (Status read = ReadChunk(chunks_[i], sink); !read) return read;
    }
    return Ok();
  }

  Status ReadBlocks(std::span<const BlockId> blocks, const BlockSink& sink) override {
    file_.StartWork();
    for (const BlockId& block : blocks) {
      if (Status read = ReadChunk(block.first, sink); !read) return read;
    }
    return Ok();
  }

  Result<Evidence> ReadEvidence() override {
    file_.StartWork();
    return ReadProfileEvidence(file_, profile_, facts_.processes, facts_.notes);
  }

  Result<HostActivity> ReadHost(TimeRange window) override {
    file_.StartWork();
    if (!host_) {
      host_.emplace(file_, profile_, [this](ProcessId process) { return NumberOf(process); });
    }
    return host_->Read(window);
  }

 private:
  void MakeFacts() {
    facts_.format = "gprof-x";
    const std::vector<Source> sources = SourcesOf(profile_);
    if (sources.size() == 1) {
      facts_.rank = sources[0].rank;
      facts_.host = sources[0].host;
      if (sources[0].start_realtime_ns > 0) facts_.clock_zero = sources[0].start_realtime_ns;
    }
    for (const StepTrain& train : profile_.phases.trains) {
      ProcessSteps steps;
      steps.process = NumberOf(train.process);
      steps.warm_up = train.warm_up;
      for (const TimeRange& step : train.steps) {
        steps.steps.push_back({Bounded(step.begin), Bounded(step.end)});
      }
      facts_.processes.push_back(std::move(steps));
    }
    facts_.tells_idle = TellsIdle(profile_);
    if (HasGaps(profile_)) {
      facts_.notes.push_back("GPU work was recorded for only part of the time");
    }
  }

  // Returns the number that identifies a process: its pid or, if several recordings are merged, its
  // ProcessId.
  int64_t NumberOf(ProcessId process) const {
    if (!process) return 0;
    return profile_.sources.empty() ? profile_.process(process).pid : process.value;
  }

  void MakeLanes() {
    lanes_.push_back({});  // for work on an unknown stream
    device_of_.assign(1, 0);
    lane_of_.assign(1, 0);
    std::map<LaneId, uint32_t> known;
    for (const GpuStreamRow& stream : profile_.gpu.streams) {
      LaneId lane;
      GpuDeviceId device;
      if (stream.context) {
        const GpuContext& context = profile_.gpu.contexts[stream.context.index()];
        device = context.device;
        lane.process = NumberOf(context.process);
        lane.device = device ? static_cast<int64_t>(device.index()) : 0;
      }
      const auto [place, is_new] = known.try_emplace(lane, lanes_.size());
      if (is_new) lanes_.push_back(lane);
      lane_of_.push_back(place->second);
      device_of_.push_back(device.value);
    }
  }

  // Finds the innermost operator on the path of each node. Operator names distinguish executions of
  // the same kernel.
  void FindOperators() {
    operator_of_ = InheritDown<StringId>(profile_.nodes, [&](StringId above, FrameId id) {
      const Frame& frame = profile_.frame(id);
      const bool names = frame.kind == FrameKind::kOperator && frame.function;
      return names ? profile_.function(frame.function).name : above;
    });
  }

  std::string_view NameOf(const GpuKernelConfig& config) const {
    return config.function ? profile_.Text(profile_.function(config.function).name)
                           : std::string_view();
  }

  std::string DeviceName(uint32_t device) const {
    return device == 0 ? "" : std::string(profile_.Text(profile_.gpu.devices[device - 1].name));
  }

  Status ReadChunk(int64_t id, const BlockSink& sink) {
    if (!chunk_) chunk_ = file_.Query(kChunk);
    if (!chunk_) return file_.Damage(chunk_.code(), "chunk");
    chunk_.Reset();
    chunk_.Bind(0, id);
    if (!chunk_.Next()) return file_.Damage(chunk_.code(), "chunk");
    const auto stream = static_cast<Stream>(chunk_.Int(0));
    const bool is_read = chunk_.Int(1) == kChunkCodec && Decode(stream, chunk_.Blob(2));
    chunk_.Reset();
    if (!is_read) return file_.Damage(file_.Spend(0) ? SQLITE_DONE : SQLITE_INTERRUPT, "chunk");
    sink({0, id, 1}, events_);
    return Ok();
  }

  bool Decode(Stream stream, std::span<const std::byte> data) {
    static constexpr size_t kKernel[] = {column::kKernelStart, column::kKernelDuration,
                                         column::kKernelNode, column::kKernelStream,
                                         column::kKernelConfig};
    static constexpr size_t kCopy[] = {
        column::kCopyStart, column::kCopyDuration, column::kCopyStream, column::kCopyBytes,
        column::kCopyKind,  column::kCopySource,   column::kCopyTarget};
    static constexpr size_t kSet[] = {column::kSetStart, column::kSetDuration, column::kSetStream,
                                      column::kSetBytes, column::kSetMemory};
    const std::span<const size_t> columns =
        stream == Stream::kKernels  ? std::span<const size_t>(kKernel)
        : stream == Stream::kCopies ? std::span<const size_t>(kCopy)
                                    : std::span<const size_t>(kSet);
    EventTable rows(stream);
    if (!DecodeEvents(reader_, data, columns, limits_, rows)) return false;
    const size_t count = rows.column(0).size();
    if (!file_.Spend(columns.size() * count)) return false;
    events_.clear();
    events_.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      const auto at = [&](size_t column) { return rows.column(column)[i]; };
      Event event;
      event.start = Bounded(at(0));
      event.duration = Bounded(at(1));
      static_assert(int{column::kKernelStream} == int{column::kCopyStream} &&
                    int{column::kCopyStream} == int{column::kSetStream});
      event.stream = static_cast<uint32_t>(at(column::kKernelStream));
      event.lane = lane_of_[event.stream];
      const uint32_t device = device_of_[event.stream];
      if (stream == Stream::kKernels) {
        const auto config = static_cast<uint32_t>(at(column::kKernelConfig));
        event.kind =
            config != 0 && collective_[config - 1] != 0 ? Kind::kCollective : Kind::kCompute;
        const NodeId node{static_cast<uint32_t>(at(column::kKernelNode))};
        event.group =
            KernelGroup(config, node ? operator_of_[node.index()] : StringId{}, device, event.kind);
      } else if (stream == Stream::kCopies) {
        event.kind = Kind::kCopy;
        event.group =
            OtherGroup(Kind::kCopy, device, at(column::kCopyBytes),
                       {at(column::kCopyKind), at(column::kCopySource), at(column::kCopyTarget)});
      } else {
        event.kind = Kind::kSet;
        event.group =
            OtherGroup(Kind::kSet, device, at(column::kSetBytes), {at(column::kSetMemory), 0, 0});
      }
      events_.push_back(event);
    }
    return true;
  }

  uint32_t KernelGroup(uint32_t config, StringId operation, uint32_t device, Kind kind) {
    const auto [found, is_new] =
        kernels_.try_emplace({config, operation.value, device}, groups_.size());
    if (!is_new) return found->second;
    GroupKey group;
    group.kind = kind;
    group.device = DeviceName(device);
    group.shape = profile_.Text(operation);
    if (config != 0) {
      const GpuKernelConfig& row = profile_.gpu.configs[config - 1];
      group.name = NameOf(row);
      std::copy_n(row.grid, 3, group.grid);
      std::copy_n(row.block, 3, group.block);
    }
    groups_.push_back(std::move(group));
    return found->second;
  }

  uint32_t OtherGroup(Kind kind, uint32_t device, int64_t bytes, std::array<int64_t, 3> what) {
    const auto [found, is_new] = others_.try_emplace({kind, device, bytes, what}, groups_.size());
    if (!is_new) return found->second;
    const auto small = [](int64_t n) { return n >= 0 && n < 256 ? static_cast<uint32_t>(n) : 0; };
    GroupKey group;
    group.kind = kind;
    group.device = DeviceName(device);
    group.name = kind == Kind::kCopy ? CopyName(small(what[0]), small(what[1]), small(what[2]))
                                     : SetName(small(what[0]));
    group.shape = std::to_string(bytes) + " B";
    groups_.push_back(std::move(group));
    return found->second;
  }

  ProfileFile file_;
  Profile profile_;
  EventLimits limits_;
  ChunkReader reader_;
  FileFacts facts_;
  std::vector<GroupKey> groups_;
  std::vector<LaneId> lanes_;
  std::vector<uint32_t> lane_of_, device_of_;  // by GpuStreamId::value
  std::vector<StringId> operator_of_;          // by NodeId::index()
  std::vector<uint8_t> collective_;  // by index of the launch configuration: it is a collective
  std::vector<int64_t> chunks_;
  std::unordered_map<std::array<uint32_t, 3>, uint32_t, NumbersHash> kernels_;
  std::map<std::tuple<Kind, uint32_t, int64_t, std::array<int64_t, 3>>, uint32_t> others_;
  std::vector<Event> events_;
  sqlite::Statement chunk_;
  std::optional<ProfileHost> host_;
};

}  // namespace

namespace {

// Maximum size of a file in which steps are searched for. Recordings of earlier versions do not
// store their steps. For larger files, the search would take too long, because it is repeated for
// each part of the file.
constexpr uint64_t kLargest = uint64_t{16} << 20;

Status FindSteps(const std::string& path, const ProfileFile& file, Profile& profile) {
  if (profile.meta.contains(kPhasesFact) || file.size() > kLargest) return Ok();
  const Result<ProfileReader> reader = ProfileReader::Open(path);
  if (!reader) return reader.error();
  Result<PartEvents> events = ReadPartEvents(*reader, profile);
  if (!events) return events.error();
  Result<Phases> found = FindPhasesOf(*reader, profile, *events);
  if (!found) return found.error();
  profile.phases = std::move(*found);
  return Ok();
}

}  // namespace

OpenedEvents OpenProfileEvents(const std::string& path) {
  Result<ProfileFile> file = ProfileFile::Open(path);
  if (!file) return file.error();
  Result<Profile> profile = LoadTables(*file);
  if (!profile) return profile.error();
  if (Status found = FindSteps(path, *file, *profile); !found) return found.error();
  auto events = std::make_unique<ProfileEvents>(std::move(*file), std::move(*profile));
  if (Status ready = events->Prepare(); !ready) return ready.error();
  return std::unique_ptr<EventFile>(std::move(events));
}

}  // namespace gprofx
