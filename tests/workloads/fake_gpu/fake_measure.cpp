// What a measurement of the pretended GPU needs: kernels and products take the time that its rates
// say. FAKE_RATES: "none" = kernels cannot be compiled.
#include <cuda.h>

#include <cstdlib>
#include <cstring>

#undef cuEventElapsedTime  // a newer one in new headers; the old name is there, too

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr double kCopyBytes = 2.9e12;  // a second
double now = 0;                        // seconds of the pretended GPU
double recorded[2] = {};
int events = 0;
bool is_fill = false;

}  // namespace

FAKE_EXPORT void fake_advance(double seconds) { now += seconds; }

FAKE_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = reinterpret_cast<CUcontext>(1);
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  *flags = 0;
  *active = device == 0;
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }
FAKE_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext) { return CUDA_SUCCESS; }
FAKE_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext*) { return CUDA_SUCCESS; }
FAKE_EXPORT CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
FAKE_EXPORT CUresult cuModuleLoadData(CUmodule* module, const void*) {
  const char* rates = getenv("FAKE_RATES");
  *module = reinterpret_cast<CUmodule>(1);
  return rates != nullptr && !strcmp(rates, "none") ? CUDA_ERROR_INVALID_PTX : CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  *function = reinterpret_cast<CUfunction>(strcmp(name, "fill") == 0 ? 1 : 2);
  return CUDA_SUCCESS;
}
// Of an addition: the fourth argument is the number of threads, each with 16 bytes of each array.
void LaunchMeasured(CUfunction function, void** arguments) {
  is_fill = function == reinterpret_cast<CUfunction>(1);
  if (!is_fill) now += 3.0 * 16 * *static_cast<unsigned*>(arguments[3]) / kCopyBytes;
}
FAKE_EXPORT CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = reinterpret_cast<CUevent>(static_cast<uintptr_t>(++events));
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuEventRecord(CUevent event, CUstream) {
  recorded[reinterpret_cast<uintptr_t>(event) - 1] = now;
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuCtxRecordEvent(CUcontext, CUevent) { return CUDA_SUCCESS; }
// A kernel runs for as long as the program.
FAKE_EXPORT CUresult cuEventQuery(CUevent) {
  return getenv("FAKE_GPU_BUSY") != nullptr ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuEventDestroy_v2(CUevent) { return CUDA_SUCCESS; }
FAKE_EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode*) {
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuEventSynchronize(CUevent) { return CUDA_SUCCESS; }
FAKE_EXPORT CUresult cuEventElapsedTime(float* milliseconds, CUevent, CUevent) {
  *milliseconds = static_cast<float>((recorded[1] - recorded[0]) * 1e3);
  return CUDA_SUCCESS;
}
