// A pretended libc10.so: what PyTorch's own functions were called with, as a line for each call.
#include <atomic>
#include <mutex>
#include <string>

#include "device.h"

namespace {
std::mutex g_lock;
std::string g_log;
std::atomic<bool> g_is_logging{false};

void Log(const std::string& line) {
  if (!g_is_logging) return;  // a lock that a fork child could find taken
  const std::lock_guard guard(g_lock);
  g_log += line + "\n";
}
std::string Text(c10::Device device) {
  return std::to_string(static_cast<int>(device.type)) + ":" + std::to_string(device.index);
}
}  // namespace

namespace c10 {

void reportMemoryUsageToProfiler(void* block, int64_t bytes, size_t allocated, size_t reserved,
                                 Device device) {
  Log(std::to_string(reinterpret_cast<uintptr_t>(block)) + " " + std::to_string(bytes) + " " +
      std::to_string(allocated) + " " + std::to_string(reserved) + " " + Text(device));
}

void reportMemoryUsageToProfiler(void* block, int64_t bytes, Device device) {
  Log("old " + std::to_string(reinterpret_cast<uintptr_t>(block)) + " " + std::to_string(bytes) +
      " " + Text(device));
}

}  // namespace c10

extern "C" {
void c10_log(int on) { g_is_logging = on != 0; }
const char* c10_calls() { return g_log.c_str(); }
// Memory of the host, which PyTorch reports by the same function.
void c10_allocate_on_host(size_t bytes) {
  c10::reportMemoryUsageToProfiler(reinterpret_cast<void*>(0x1000), static_cast<int64_t>(bytes),
                                   bytes, 0, {c10::DeviceType::CPU, 0});
}
}
