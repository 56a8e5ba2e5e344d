#include "core/gpu/gpu_overlap.h"

#include <algorithm>

#include "core/base/quantile.h"

namespace gprofx {
namespace {

// Set in keys of unknown devices, which belong to a process.
constexpr uint64_t kProcess = uint64_t{1} << 32;

}  // namespace

void GpuOverlap::Add(ProcessId process, GpuDeviceId device, HostNs begin, HostNs end, NodeId node,
                     ThreadId thread) {
  if (end <= begin) return;
  const uint64_t key = device ? device.value : kProcess | process.value;
  const auto [found, made] = devices_.try_emplace(key);
  if (made) found->second.now = kEarliest;
  found->second.pending.push_back({begin, end, node, thread});
  ++pending_;
}

void GpuOverlap::Device::MoveTo(HostNs time) {
  if (time <= now) return;
  if (running.size() >= 2) clock += time - now;
  now = time;
}

// Ends the pieces whose end is at most `time`, in the order of their ends, and reports their
// overlap.
void GpuOverlap::Device::Run(HostNs time, const Sink& sink) {
  const auto later = [](const Piece& a, const Piece& b) { return a.end > b.end; };
  while (!running.empty() && running.front().end <= time) {
    MoveTo(running.front().end);
    std::pop_heap(running.begin(), running.end(), later);
    const Piece piece = running.back();
    running.pop_back();
    if (clock > piece.begin) sink(piece.node, piece.thread, clock - piece.begin);
  }
}

void GpuOverlap::Advance(HostNs time, const Sink& sink) {
  const auto later = [](const Piece& a, const Piece& b) { return a.end > b.end; };
  for (auto& [key, device] : devices_) {
    std::vector<Piece>& pending = device.pending;
    const auto due = std::partition(pending.begin(), pending.end(),
                                    [&](const Piece& piece) { return piece.begin >= time; });
    std::sort(due, pending.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
    for (auto piece = due; piece != pending.end(); ++piece) {
      late_ += piece->begin < device.now ? 1 : 0;
      device.Run(piece->begin, sink);
      device.MoveTo(piece->begin);
      if (piece->end <= device.now) continue;
      device.running.push_back({device.clock, piece->end, piece->node, piece->thread});
      std::push_heap(device.running.begin(), device.running.end(), later);
    }
    pending_ -= static_cast<size_t>(pending.end() - due);
    pending.erase(due, pending.end());
    device.Run(time, sink);
    device.MoveTo(time);
  }
}

HostNs GpuOverlap::MiddleOfPending() const {
  std::vector<HostNs> begins;
  begins.reserve(pending_);
  for (const auto& [key, device] : devices_) {
    for (const Piece& piece : device.pending) begins.push_back(piece.begin);
  }
  return begins.empty() ? kEarliest : Median(std::move(begins));
}

void GpuOverlap::Finish(const Sink& sink) { Advance(kLatest, sink); }

}  // namespace gprofx
