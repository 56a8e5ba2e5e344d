// Plays a raw recording (samplers/collector/raw_recording.h) through the collector again: each
// process gets a region in memory, filled as its agent filled it, and a ProcessDrain that reads it.
#pragma once

#include <zstd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "samplers/collector/drain.h"
#include "samplers/collector/gpu/counters.h"
#include "samplers/collector/raw_recording.h"
#include "tests/unit/collector/fake_region.h"
#include "tests/unit/collector/gpu_stream.h"

namespace gprofx::test {

class RawReplay {
 public:
  explicit RawReplay(const std::string& path)
      : modules_(profile), metrics_(AddMetrics(profile, false)), run(profile) {
    const std::string bytes = Unpacked(path);
    const std::vector<Chunk> chunks = Split(bytes);
    // What was written in the end about a process is there from its begin.
    for (const Chunk& chunk : chunks) {
      if (chunk.head.kind == RawKind::kRegion) Fill(chunk);
      if (chunk.head.kind == RawKind::kCubin) {
        const auto* data = reinterpret_cast<const std::byte*>(chunk.data.data());
        cubins[chunk.head.value].assign(data, data + chunk.data.size());
      }
    }
    for (const Chunk& chunk : chunks) Play(chunk);
    for (auto& [id, process] : processes_) {
      process.drain->Close(now_, rows, [](uint32_t, uint32_t) {});
    }
  }

  Profile profile;
  std::vector<SampleRow> rows;
  std::map<uint64_t, Bytes> cubins;  // by hash
  GpuCounters counters;

 private:
  struct Chunk {
    RawChunk head;
    std::string_view data;
  };
  struct Process {
    std::unique_ptr<FakeRegion> region = std::make_unique<FakeRegion>();
    std::unique_ptr<ProcessDrain> drain;
  };

  static std::string Unpacked(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string packed{std::istreambuf_iterator<char>(file), {}};
    std::string out, part(ZSTD_DStreamOutSize(), '\0');
    const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> zstd(ZSTD_createDCtx(), ZSTD_freeDCtx);
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    while (in.pos < in.size) {
      ZSTD_outBuffer unpacked{part.data(), part.size(), 0};
      if (ZSTD_isError(ZSTD_decompressStream(zstd.get(), &unpacked, &in)) != 0) {
        throw std::runtime_error(path + " is no raw recording");
      }
      out.append(part.data(), unpacked.pos);
    }
    return out;
  }

  static std::vector<Chunk> Split(std::string_view bytes) {
    std::vector<Chunk> chunks;
    while (bytes.size() >= sizeof(RawChunk)) {
      Chunk chunk{};
      std::memcpy(&chunk.head, bytes.data(), sizeof chunk.head);
      bytes.remove_prefix(sizeof chunk.head);
      if (chunk.head.bytes > bytes.size()) throw std::runtime_error("a raw recording was cut");
      chunk.data = bytes.substr(0, chunk.head.bytes);
      bytes.remove_prefix(chunk.head.bytes);
      chunks.push_back(chunk);
    }
    if (chunks.empty() || chunks[0].head.kind != RawKind::kVersion ||
        chunks[0].head.value != wire::kVersion) {
      throw std::runtime_error("a raw recording of another version");
    }
    return chunks;
  }

  void Fill(const Chunk& chunk) {
    Process& process = processes_[chunk.head.process];
    if (chunk.head.value + chunk.data.size() > wire::kRegionBytes) return;
    std::memcpy(process.region->memory() + chunk.head.value, chunk.data.data(), chunk.data.size());
  }

  ProcessDrain& DrainOf(uint32_t id, Process& process) {
    if (!process.drain) {
      while (profile.processes.size() < id) profile.processes.push_back({1000 + id, 1});
      process.drain = std::make_unique<ProcessDrain>(
          profile, modules_, metrics_, process.region->View(), ProcessId{id}, false, &run);
    }
    return *process.drain;
  }

  void Play(const Chunk& chunk) {
    if (chunk.head.process == 0) return;
    Process& process = processes_[chunk.head.process];
    const auto slot = static_cast<uint32_t>(chunk.head.value);
    switch (chunk.head.kind) {
      case RawKind::kThread: {
        wire::ThreadRing& ring = process.region->ring(slot);
        std::memcpy(static_cast<void*>(&ring), chunk.data.data(),
                    std::min(chunk.data.size(), offsetof(wire::ThreadRing, head)));
        break;
      }
      case RawKind::kEntry: {
        wire::SampleRecord record{};
        std::memcpy(&record, chunk.data.data(), std::min(chunk.data.size(), sizeof record));
        wire::ThreadRing& ring = process.region->ring(slot);
        ring.entries[ring.head % wire::kRingEntries] = record;
        ++ring.head;
        break;
      }
      case RawKind::kStream: {
        const auto* data = reinterpret_cast<const std::byte*>(chunk.data.data());
        StreamWriter(process.region->memory()).Write({data, data + chunk.data.size()});
        break;
      }
      case RawKind::kDrain:
        now_ = static_cast<HostNs>(chunk.head.value);
        DrainOf(chunk.head.process, process).Drain(now_, rows, [](uint32_t, uint32_t) {});
        break;
      case RawKind::kRegion:
        if (chunk.head.value == wire::kGpuOffset) counters.Add(*process.region->View().Gpu());
        break;
      default:
        break;
    }
  }

  ModuleTable modules_;
  Metrics metrics_;
  std::map<uint32_t, Process> processes_;
  HostNs now_ = 0;

 public:
  GpuRun run;
};

}  // namespace gprofx::test
