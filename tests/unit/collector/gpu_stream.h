// Records of the GPU stream as a target writes them, for tests of what reads them.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "samplers/wire/layout.h"

namespace gprofx::test {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes RawBytes(const T& value) {
  Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// A record with what follows its struct, padded, with its size filled in.
template <class T>
Bytes MakeRecord(wire::GpuRecordType type, T record, const Bytes& behind = {}) {
  record.header.type = type;
  record.header.bytes = wire::PadTo8(static_cast<uint32_t>(sizeof record + behind.size()));
  Bytes bytes(record.header.bytes);
  std::memcpy(bytes.data(), &record, sizeof record);
  std::copy(behind.begin(), behind.end(), bytes.begin() + sizeof record);
  return bytes;
}

inline Bytes TextBytes(const std::string& text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

inline Bytes TextRecord(wire::GpuRecordType type, uint32_t id, const std::string& text) {
  wire::GpuTextRecord record{};
  record.id = id;
  record.length = static_cast<uint32_t>(text.size());
  return MakeRecord(type, record, TextBytes(text));
}

inline Bytes KernelRecord(uint32_t correlation, uint32_t name, uint64_t start, uint64_t end,
                          uint64_t graph_node = 0) {
  wire::GpuKernelRecord record{};
  record.correlation = correlation;
  record.name = name;
  record.start = start;
  record.end = end;
  record.context = 1;
  record.stream = 7;
  record.graph_node = graph_node;
  record.graph = graph_node != 0 ? 1 : 0;
  for (int i = 0; i < 3; ++i) record.grid[i] = record.block[i] = 1;
  record.grid[0] = 100;
  record.block[0] = 128;
  return MakeRecord(wire::kGpuKernel, record);
}

inline Bytes CopyRecord(uint32_t correlation, uint64_t start, uint64_t end, uint64_t bytes,
                        uint8_t kind, uint8_t source, uint8_t target) {
  wire::GpuCopyRecord record{};
  record.correlation = correlation;
  record.start = start;
  record.end = end;
  record.bytes = bytes;
  record.context = 1;
  record.kind = kind;
  record.source = source;
  record.target = target;
  return MakeRecord(wire::kGpuCopy, record);
}

inline Bytes WindowRecord(uint64_t begin, uint64_t end, uint64_t total, uint64_t non_user = 0,
                          uint64_t dropped = 0) {
  wire::GpuPcWindowRecord record{};
  record.begin = begin;
  record.end = end;
  record.total = total;
  record.non_user = non_user;
  record.dropped = dropped;
  record.context = 1;
  return MakeRecord(wire::kGpuPcWindow, record);
}

inline Bytes PcRecord(uint64_t module, uint32_t name, uint64_t offset,
                      std::initializer_list<wire::GpuPcStall> stalls) {
  wire::GpuPcRecord record{};
  record.module = module;
  record.offset = offset;
  record.name = name;
  record.context = 1;
  record.stalls = static_cast<uint32_t>(stalls.size());
  Bytes behind;
  for (const wire::GpuPcStall& stall : stalls) {
    const Bytes one = RawBytes(stall);
    behind.insert(behind.end(), one.begin(), one.end());
  }
  return MakeRecord(wire::kGpuPc, record, behind);
}

// Writes into the ring of a region as the target does; the caller must not overtake the reader.
class StreamWriter {
 public:
  explicit StreamWriter(std::byte* region)
      : header_(reinterpret_cast<wire::GpuHeader*>(region + wire::kGpuOffset)),
        stream_(region + wire::kGpuStreamOffset) {}

  wire::GpuHeader& header() { return *header_; }
  std::byte* stream() { return stream_; }

  void Write(const Bytes& record) {
    const uint64_t at = header_->head % wire::kGpuStreamBytes;
    const uint64_t room = wire::kGpuStreamBytes - at;
    if (record.size() > room) {
      const wire::GpuRecord pad{wire::kGpuPad, 0, static_cast<uint32_t>(room)};
      std::memcpy(stream_ + at, &pad, sizeof pad);
      header_->head += room;
    }
    std::memcpy(stream_ + header_->head % wire::kGpuStreamBytes, record.data(), record.size());
    header_->head += record.size();
  }

 private:
  wire::GpuHeader* header_;
  std::byte* stream_;
};

}  // namespace gprofx::test
