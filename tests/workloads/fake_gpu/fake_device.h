// The state of the pretended CUPTI, which what the program calls and what the profiler calls share.
#pragma once

#include <cupti.h>
#include <cupti_pcsampling.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

namespace fake {

constexpr uint64_t kHash = 0;  // of no module yet

// Around what the profiler does in a callback.
struct NoMemory {
  NoMemory();
  ~NoMemory();
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;
};

struct Device {
  std::mutex lock;
  int subscribers = 0;
  std::set<CUpti_ActivityKind> kinds;
  std::atomic<bool> listened[16] = {};   // by callback id
  std::atomic<bool> resources[64] = {};  // as well
  std::atomic<int> inside{0};            // threads between the callbacks of a call
  std::atomic<int> would_deadlock{0};    // ends of sampling while one was
  std::atomic<bool> records{false};      // of kernels are made
  std::atomic<int> spoiled{0};    // flushes, and ends of records, at which CUPTI uses what it freed
  std::atomic<int> left_open{0};  // calls whose end nobody was told
  int lost = 0;                   // records that CUPTI had when it was taken out of the process
  int finalised = 0,
      finalised_beside = 0;  // ... of that, looks at which a thread was in a call or callback
  bool has_graphs = false, finalised_with_graphs = false;
  std::atomic<int> followed{0};  // threads in a call that is followed, or in a callback
  bool faults_blocked = false;   // where records are flushed
  CUpti_CallbackFunc callback = nullptr;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  CUpti_TimestampCallbackFunc clock = nullptr;
  CUpti_ComputeCrcCallbackFunc crc = nullptr;
  uint8_t* buffer = nullptr;
  size_t size = 0, used = 0;
  std::atomic<uint32_t> correlation{0};
  std::map<std::string, uint64_t> samples;  // since the last GetData, by kernel
  uint64_t all_samples = 0;
  uint64_t module = kHash;
  bool sampling = false, overflowed = false;
  std::vector<std::string*> names;  // as CUPTI: shared by records, never ours to free
};

Device& TheDevice();

// Whether the environment asks for this trouble (fake_gpu.h).
bool Trouble(const char* variable, const char* value);

// The name of a driver call; null for an id that there is not.
const char* CallName(uint32_t id);

// Gives the records so far to the profiler. Device::lock is held.
void Complete(Device& device);

}  // namespace fake
