// Holds the state that all parts of libgprofx-cuda.so share: the agent's table of functions, the
// GPU part of the process's region, counters, and the writer of the stream.
//
// Set in Start, then constant. A fork child can use neither CUDA nor this library. There `live` is
// false, and every entry point returns at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "samplers/wire/agent_entry.h"
#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

struct State {
  const wire::AgentEntry* agent = nullptr;
  wire::GpuHeader* header = nullptr;
  std::atomic<bool> live{false};
  // Correlation id of a recent call. It is stored at one call in a few.
  std::atomic<uint32_t> correlation{0};
  std::atomic<uint32_t> first_correlation{0};  // added to CUPTI's numbers, see Numbered
  std::atomic<bool> forked{false};  // this process is a fork child of one in which `live` was true

  // Maps the GPU part of this process's region. Returns false if there is no recording to join.
  bool Start(const wire::AgentEntry* entry);

  const wire::SessionFacts& facts() const { return *agent->facts; }
  wire::ControlPage& control() const { return *agent->control; }
  bool sampling() const { return control().sampling.load(std::memory_order_relaxed) != 0; }
  // True if recording has ended for good.
  bool over() const { return control().over.load(std::memory_order_relaxed) != 0; }
  int64_t Now() const { return agent->now(); }
  // Numbered makes CUPTI's number of a call unique within the recording, although CUPTI restarts
  // its numbers whenever it comes back to the process. Renumber is called while CUPTI is out of the
  // process.
  uint32_t Numbered(uint32_t of_cupti) const {
    return first_correlation.load(std::memory_order_relaxed) + of_cupti;
  }
  void Renumber() {
    constexpr uint32_t kUntold =
        1 << 16;  // margin: calls after the latest stored number may have gone unnoticed
    first_correlation.store(correlation.load() + kUntold);
  }
  void Count(wire::GpuCounter counter, uint64_t amount = 1) {
    header->counters[counter].fetch_add(amount, std::memory_order_relaxed);
  }
};

extern State g_state;

// Writes a record to the stream. If it finds no room, drops and counts it and returns false,
// because the program never waits for the collector. Any thread; holds a lock while it copies the
// record.
bool WriteRecord(wire::GpuRecord* record, uint32_t bytes);  // sets the rest of the header
template <class Record>
bool WriteRecord(wire::GpuRecordType type, Record record) {
  record.header.type = type;
  return WriteRecord(&record.header, sizeof(Record));
}
bool WriteText(wire::GpuRecordType type, uint32_t id, const std::string& text);

// Sends a message for the user. A process sends each kind of message once.
void Notice(wire::GpuNotice what, const std::string& text);
void Fact(const std::string& name, const std::string& value);

}  // namespace gprofx::cuda
