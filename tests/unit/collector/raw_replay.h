// Plays a raw recording (samplers/collector/drain/raw_recording.h) through the collector again:
// each process gets a region in memory, filled as its agent filled it, and a ProcessDrain that
// reads it. Any bytes will do: what is no recording throws std::runtime_error, the rest is what a
// hostile target could have written.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "samplers/collector/drain/drain.h"
#include "samplers/collector/gpu/counters.h"
#include "tests/unit/collector/fake_region.h"
#include "tests/unit/collector/gpu_stream.h"
#include "tests/unit/collector/raw_file.h"

namespace gprofx::test {

class RawReplay {
 public:
  explicit RawReplay(const std::string& path) : RawReplay(Unpacked{UnpackRaw(FileText(path))}) {}
  explicit RawReplay(const std::vector<RawPiece>& pieces)
      : modules_(profile), metrics_(AddMetrics(profile, false)), run(profile) {
    // What was written in the end about a process is there from its begin.
    for (const RawPiece& piece : pieces) {
      if (piece.head.kind == RawKind::kRegion) Fill(piece);
      if (piece.head.kind == RawKind::kCubin) {
        const auto* data = reinterpret_cast<const std::byte*>(piece.data.data());
        cubins[piece.head.value].assign(data, data + piece.data.size());
      }
    }
    for (auto& [id, process] : processes_) {
      wire::GpuHeader& gpu = StreamWriter(process.region->memory()).header();
      gpu.head = 0;
      gpu.tail = 0;
    }
    for (const RawPiece& piece : pieces) Play(piece);
    for (auto& [id, process] : processes_) {
      if (process.drain) process.drain->Close(end, rows, [](uint32_t, uint32_t) { return false; });
    }
  }

  Result<Bytes> Code(uint64_t hash) const {
    const auto found = cubins.find(hash);
    if (found == cubins.end()) {
      return Error{ErrorId::kMissingProgram, "the code of a module is missing"};
    }
    return found->second;
  }

  Profile profile;
  std::vector<SampleRow> rows;
  std::map<uint64_t, Bytes> cubins;  // by hash
  GpuCounters counters;
  HostNs end = 0;  // the latest look at a process

 private:
  struct Unpacked {
    std::string bytes;
  };
  explicit RawReplay(const Unpacked& all) : RawReplay(SplitRaw(all.bytes)) {}

  static constexpr uint32_t kMaxProcesses = 256;

  struct Process {
    std::unique_ptr<FakeRegion> region = std::make_unique<FakeRegion>();
    std::unique_ptr<ProcessDrain> drain;
  };

  Process& ProcessOf(uint32_t id) {
    if (id == 0 || id > kMaxProcesses) throw std::runtime_error("a process of no recording");
    return processes_[id];
  }

  // Where the header of the GPU side was while rings were smaller: recordings from then are played,
  // too.
  static constexpr uint64_t kFirstGpuOffset =
      wire::kRingsOffset + uint64_t{wire::kMaxThreads} * (68 << 10);
  static uint64_t PlaceOf(const RawPiece& piece) {
    const uint64_t in_gpu = piece.head.value - kFirstGpuOffset;
    return in_gpu < wire::kGpuHeaderBytes ? wire::kGpuOffset + in_gpu : piece.head.value;
  }

  // Rings and the stream are played, not filled.
  void Fill(const RawPiece& piece) {
    Process& process = ProcessOf(piece.head.process);
    const uint64_t at = PlaceOf(piece), bytes = piece.data.size();
    const auto within = [&](uint64_t begin, uint64_t limit) {
      return at >= begin && at <= limit && bytes <= limit - at;
    };
    if (!within(0, wire::kHashOffset) && !within(wire::kGpuOffset, wire::kGpuStreamOffset)) return;
    std::memcpy(process.region->memory() + at, piece.data.data(), bytes);
  }

  ProcessDrain& DrainOf(uint32_t id, Process& process) {
    if (!process.drain) {
      while (profile.processes.size() < id) {
        const auto pid = static_cast<int64_t>(1001 + profile.processes.size());
        profile.processes.push_back({pid, 1});
      }
      process.drain = std::make_unique<ProcessDrain>(
          profile, modules_, metrics_, process.region->View(), ProcessId{id}, false, &run);
    }
    return *process.drain;
  }

  void Play(const RawPiece& piece) {
    if (piece.head.process == 0) return;
    Process& process = ProcessOf(piece.head.process);
    const auto slot = static_cast<uint32_t>(piece.head.value % wire::kMaxThreads);
    switch (piece.head.kind) {
      case RawKind::kThread: {
        wire::ThreadRing& ring = process.region->ring(slot);
        const uint64_t grown = ring.grown;  // ours: entries are played into it
        std::memcpy(static_cast<void*>(&ring), piece.data.data(),
                    std::min(piece.data.size(), offsetof(wire::ThreadRing, head)));
        ring.grown = grown;
        break;
      }
      case RawKind::kEntry: {
        wire::SampleRecord record{};
        std::memcpy(&record, piece.data.data(), std::min(piece.data.size(), sizeof record));
        wire::ThreadRing& ring = process.region->ring(slot);
        if (ring.grown == 0 && ring.head == ring.tail) ring.grown = ring.head + 1;
        ring.entries[wire::RingIndex(ring.head, ring.grown)] = record;
        ++ring.head;
        break;
      }
      case RawKind::kStream: {
        const auto* data = reinterpret_cast<const std::byte*>(piece.data.data());
        const size_t bytes = piece.data.size();
        if (bytes < sizeof(wire::GpuRecord) || bytes % 8 != 0 || bytes > wire::kMaxGpuRecord) break;
        StreamWriter(process.region->memory()).Write({data, data + bytes});
        break;
      }
      case RawKind::kDrain:
        end = static_cast<HostNs>(std::min<uint64_t>(piece.head.value, uint64_t{1} << 60));
        Drain(DrainOf(piece.head.process, process));
        break;
      case RawKind::kRegion:
        if (PlaceOf(piece) == wire::kGpuOffset) counters.Add(*process.region->View().Gpu());
        break;
      default:
        break;
    }
  }

  // As the collector's table of processes does from the first launch on; the recordings begin
  // there.
  void Drain(ProcessDrain& drain) {
    const size_t first = rows.size();
    drain.Drain(end, rows, [](uint32_t, uint32_t) { return false; });
    for (size_t i = first; i < rows.size(); ++i) {
      if (!run.UsesGpu(rows[i].thread)) continue;
      run.AddSample(rows[i]);
    }
  }

  ModuleTable modules_;
  Metrics metrics_;
  std::map<uint32_t, Process> processes_;

 public:
  GpuRun run;
};

}  // namespace gprofx::test
