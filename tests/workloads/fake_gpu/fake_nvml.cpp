// The pretended NVML: a GPU that is hot. FAKE_NVML=none: it refuses.
#include <cstdlib>
#include <cstring>

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

FAKE_EXPORT int nvmlInit_v2() {
  const char* how = getenv("FAKE_NVML");
  return how != nullptr && !strcmp(how, "none") ? 9 : 0;  // NVML_ERROR_DRIVER_NOT_LOADED
}
FAKE_EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  *device = const_cast<char*>("GPU");
  return strcmp(bus, "0000:01:00.0") == 0 ? 0 : 6;  // NVML_ERROR_NOT_FOUND
}
FAKE_EXPORT int nvmlDeviceGetClockInfo(void*, unsigned type, unsigned* mhz) {
  *mhz = type == 1 ? 1755 : 2619;
  return 0;
}
FAKE_EXPORT int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 698'123;
  return 0;
}
FAKE_EXPORT int nvmlDeviceGetTemperature(void*, unsigned, unsigned* celsius) {
  *celsius = 83;
  return 0;
}
FAKE_EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0x20;
  return 0;
}
