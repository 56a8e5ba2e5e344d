#include "fake_device.h"

#include <pthread.h>

#include <cstdlib>
#include <cstring>

namespace fake {
namespace {

thread_local bool t_no_memory __attribute__((tls_model("initial-exec"))) = false;

}  // namespace

NoMemory::NoMemory() { t_no_memory = getenv("FAKE_MEMORY") != nullptr; }
NoMemory::~NoMemory() { t_no_memory = false; }

// A fork child finds the lock free: another thread may have held it at the fork.
Device& TheDevice() {
  static Device* device = [] {
    pthread_atfork([] { TheDevice().lock.lock(); }, [] { TheDevice().lock.unlock(); },
                   [] { TheDevice().lock.unlock(); });
    return new Device;
  }();
  return *device;
}

bool Trouble(const char* variable, const char* value) {
  const char* set = getenv(variable);
  return set != nullptr && std::strcmp(set, value) == 0;
}

void Complete(Device& device) {
  if (device.buffer == nullptr) return;
  uint8_t* full = device.buffer;
  device.buffer = nullptr;
  const NoMemory none;
  device.complete(nullptr, 0, full, device.size, device.used);
}

}  // namespace fake

FAKE_EXPORT bool fake_memory_is_gone() { return fake::t_no_memory; }
