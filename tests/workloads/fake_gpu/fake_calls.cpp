// What a program calls on the pretended GPU: each call tells CUPTI's client, and makes its records
// and samples.
#include <cupti.h>
#include <time.h>
#include <unistd.h>

#include <cstring>

#include "fake_device.h"
#include "fake_gpu.h"

namespace fake {
namespace {

const char* const kCalls[] = {
    nullptr,          "cuLaunchKernel",      "cuStreamSynchronize",    "cuMemcpyHtoDAsync_v2",
    "cuMemAlloc_v2",  "cuGraphLaunch",       "cuMemFree_v2",           "cuMemAllocAsync",
    "cuMemFreeAsync", "cuMemCreate",         "cuMemRelease",           "cuMemMap",
    "cuMemUnmap",     "cuGetProcAddress_v2", "cuStreamBeginCapture_v2"};
constexpr uint32_t kLaunch = 1, kSync = 2, kCopy = 3, kAlloc = 4, kReplay = 5, kFree = 6,
                   kPoolAlloc = 7, kPoolFree = 8, kCreate = 9, kRelease = 10, kMap = 11,
                   kUnmap = 12, kHandOut = 13;
constexpr uint64_t kNsPerSample = 1000;

uint64_t Now() {
  Device& device = TheDevice();
  if (device.clock != nullptr) return device.clock();
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

// By a clock of its own: a profiler may bring another one meanwhile.
void Spend(uint64_t ns) {
  const auto now = [] {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
  };
  const uint64_t end = now() + ns;
  if (ns > 20000) {
    while (now() < end) usleep(20);
  }
}

CUcontext Context() { return reinterpret_cast<CUcontext>(0x1000); }

bool IsFollowed(uint32_t id) { return TheDevice().listened[id] || TheDevice().records; }

// As the real one: a call that is followed at its begin and not at its end stays open, and those
// that its thread makes later are within it.
class Open {
 public:
  explicit Open(uint32_t id) : id_(id), followed_(IsFollowed(id)) {
    if (!followed_ || t_open == 0) t_correlation = ++TheDevice().correlation;
    if (followed_) ++t_open, ++TheDevice().followed;
  }
  // Behind the last callback.
  ~Open() {
    if (followed_) --TheDevice().followed;
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  uint32_t correlation() const { return t_correlation; }
  void End() const {
    if (!followed_) return;
    if (IsFollowed(id_)) {
      --t_open;
    } else {
      ++TheDevice().left_open;
    }
  }

 private:
  static thread_local uint32_t t_open, t_correlation;
  const uint32_t id_;
  const bool followed_;
};
thread_local uint32_t Open::t_open = 0, Open::t_correlation = 0;

// One driver call with its two callbacks around `body`.
// `parameters`: of the call, 8 bytes each; null = CUPTI does not say them.
template <class Body>
uint32_t CallWith(uint32_t id, CUresult result, Body body, const void* parameters) {
  Device& device = TheDevice();
  CUpti_CallbackData data{};
  data.functionParams = parameters;
  data.contextUid = 1;
  uint64_t own = 0;
  const Open open(id);
  data.correlationId = open.correlation();
  data.functionName = kCalls[id];
  data.functionReturnValue = &result;
  data.correlationData = &own;
  data.callbackSite = CUPTI_API_ENTER;
  const auto tell = [&] {
    const NoMemory none;
    if (device.callback != nullptr && device.listened[id])
      device.callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  };
  tell();
  ++device.inside;
  body(data.correlationId);
  --device.inside;
  open.End();
  data.callbackSite = CUPTI_API_EXIT;
  tell();
  return data.correlationId;
}

// `handle`: of the kernel or graph, the first parameter of the launch; null for other calls.
template <class Body>
uint32_t Call(uint32_t id, CUresult result, Body body, const void* handle = nullptr) {
  return CallWith(id, result, body, handle == nullptr ? nullptr : &handle);
}

uint64_t NewAddress(uint64_t bytes) {
  static std::atomic<uint64_t> next{0x7e0000000000};
  return next.fetch_add((bytes + 511) / 512 * 512);
}

void Resource(uint32_t id, void* descriptor) {
  CUpti_ResourceData data{};
  data.context = Context();
  data.resourceDescriptor = descriptor;
  const NoMemory none;
  if (TheDevice().callback != nullptr && TheDevice().resources[id])
    TheDevice().callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

template <class Record>
void Add(const Record& record) {
  Device& device = TheDevice();
  const std::lock_guard<std::mutex> guard(device.lock);
  if (device.request == nullptr || device.kinds.count(record.kind) == 0) return;
  if (device.buffer != nullptr && device.used + sizeof(record) > device.size) Complete(device);
  if (device.buffer == nullptr) {
    size_t most = 0;
    const NoMemory none;
    device.request(&device.buffer, &device.size, &most);
    device.used = 0;
    if (device.buffer == nullptr) return;
  }
  std::memcpy(device.buffer + device.used, &record, sizeof(record));
  device.used += sizeof(record);
}

void Kernel(const char* name, uint32_t correlation, uint64_t start, uint64_t end, uint64_t node) {
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.start = start;
  record.end = end;
  record.correlationId = correlation;
  record.contextId = 1;
  record.streamId = 7;
  record.gridX = 264;
  record.gridY = record.gridZ = record.blockY = record.blockZ = 1;
  record.blockX = 256;
  record.registersPerThread = 32;
  record.name = name;
  record.graphNodeId = node;
  record.graphId = node != 0 ? 1 : 0;
  Add(record);
  Device& device = TheDevice();
  const std::lock_guard<std::mutex> guard(device.lock);
  if (device.sampling) device.samples[name] += (end - start) / kNsPerSample;
  device.all_samples += device.sampling ? (end - start) / kNsPerSample : 0;
}

void Run(const char* kernel, uint32_t correlation, uint64_t ns, uint64_t node) {
  const uint64_t start = Now();
  Spend(ns);
  Kernel(kernel, correlation, start, start + ns, node);
}

}  // namespace

const char* CallName(uint32_t id) {
  return id < sizeof(kCalls) / sizeof(kCalls[0]) ? kCalls[id] : nullptr;
}

}  // namespace fake

using namespace fake;

FAKE_EXPORT void fake_create_context() { Resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, nullptr); }
FAKE_EXPORT void fake_destroy_context() {
  Resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, nullptr);
}
FAKE_EXPORT void fake_load_module(const void* image, size_t bytes) {
  Device& device = TheDevice();
  if (device.crc != nullptr) device.crc(image, bytes, &device.module);
  CUpti_ModuleResourceData module{1, bytes, static_cast<const char*>(image)};
  Resource(CUPTI_CBID_RESOURCE_MODULE_LOADED, &module);
}
FAKE_EXPORT uint32_t fake_launch(const char* kernel, uint64_t ns) {
  return Call(
      kLaunch, CUDA_SUCCESS, [&](uint32_t id) { Run(kernel, id, ns, 0); }, kernel);
}
FAKE_EXPORT void fake_hand_out(const char* name, void* function, void** out) {
  const uint64_t parameters[] = {reinterpret_cast<uint64_t>(name), reinterpret_cast<uint64_t>(out)};
  CallWith(
      kHandOut, CUDA_SUCCESS, [&](uint32_t) { *out = function; }, parameters);
}
FAKE_EXPORT void fake_synchronize(uint64_t ns) {
  Call(kSync, CUDA_SUCCESS, [&](uint32_t) { Spend(ns); });
}
FAKE_EXPORT void fake_copy_to_device(uint64_t bytes, uint64_t ns) {
  Call(kCopy, CUDA_SUCCESS, [&](uint32_t id) {
    CUpti_ActivityMemcpy6 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    record.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
    record.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
    record.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    record.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
    record.bytes = bytes;
    record.start = Now();
    Spend(ns);
    record.end = record.start + ns;
    record.correlationId = id;
    record.contextId = 1;
    record.streamId = 7;
    Add(record);
  });
}
FAKE_EXPORT void fake_allocate_too_much() {
  Call(kAlloc, CUDA_ERROR_OUT_OF_MEMORY, [](uint32_t) {});
}
FAKE_EXPORT uint64_t fake_allocate(uint64_t bytes, int in_pool) {
  uint64_t address = 0;
  const uint64_t parameters[] = {reinterpret_cast<uint64_t>(&address), bytes, 0};
  CallWith(
      in_pool != 0 ? kPoolAlloc : kAlloc, CUDA_SUCCESS,
      [&](uint32_t) { address = NewAddress(bytes); }, parameters);
  return address;
}
FAKE_EXPORT void fake_free(uint64_t address, int in_pool) {
  const uint64_t parameters[] = {address, 0};
  CallWith(
      in_pool != 0 ? kPoolFree : kFree, CUDA_SUCCESS, [](uint32_t) {}, parameters);
}
// Physical memory of the device 0, or of the host; mapped to an address that is returned.
FAKE_EXPORT uint64_t fake_create(uint64_t bytes, int on_device) {
  uint64_t handle = 0;
  const CUmemAllocationProp properties = {
      .type = CU_MEM_ALLOCATION_TYPE_PINNED,
      .location = {on_device != 0 ? CU_MEM_LOCATION_TYPE_DEVICE : CU_MEM_LOCATION_TYPE_HOST, 0}};
  const uint64_t parameters[] = {reinterpret_cast<uint64_t>(&handle), bytes,
                                 reinterpret_cast<uint64_t>(&properties), 0};
  CallWith(
      kCreate, CUDA_SUCCESS, [&](uint32_t) { handle = NewAddress(512); }, parameters);
  return handle;
}
FAKE_EXPORT void fake_release(uint64_t handle) {
  CallWith(
      kRelease, CUDA_SUCCESS, [](uint32_t) {}, &handle);
}
FAKE_EXPORT void fake_map(uint64_t address, uint64_t bytes, uint64_t handle) {
  const uint64_t parameters[] = {address, bytes, 0, handle, 0};
  CallWith(
      kMap, CUDA_SUCCESS, [](uint32_t) {}, parameters);
}
FAKE_EXPORT void fake_unmap(uint64_t address, uint64_t bytes) {
  const uint64_t parameters[] = {address, bytes};
  CallWith(
      kUnmap, CUDA_SUCCESS, [](uint32_t) {}, parameters);
}
FAKE_EXPORT void fake_capture(uint64_t node) {
  TheDevice().has_graphs = true;
  Call(kLaunch, CUDA_SUCCESS, [&](uint32_t) {
    CUpti_GraphData data{};
    data.node = reinterpret_cast<CUgraphNode>(node);
    Resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &data);
  });
}
FAKE_EXPORT void fake_instantiate(uint64_t node, uint64_t clone) {
  CUpti_GraphData data{};
  data.node = reinterpret_cast<CUgraphNode>(clone);
  data.originalNode = reinterpret_cast<CUgraphNode>(node);
  Resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, &data);
}
FAKE_EXPORT void fake_replay(const char* kernel, uint64_t clone, uint64_t ns) {
  Call(
      kReplay, CUDA_SUCCESS, [&](uint32_t id) { Run(kernel, id, ns, clone); },
      reinterpret_cast<const void*>(clone));
}
