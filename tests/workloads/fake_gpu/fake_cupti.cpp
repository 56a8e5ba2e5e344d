// The pretended CUPTI, as far as libgprofx-cuda.so uses it.
#include <cupti.h>
#include <cupti_pcsampling.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "fake_gpu.h"

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

const char* const kCalls[] = {
    nullptr,          "cuLaunchKernel",      "cuStreamSynchronize",    "cuMemcpyHtoDAsync_v2",
    "cuMemAlloc_v2",  "cuGraphLaunch",       "cuMemFree_v2",           "cuMemAllocAsync",
    "cuMemFreeAsync", "cuMemCreate",         "cuMemRelease",           "cuMemMap",
    "cuMemUnmap",     "cuGetProcAddress_v2", "cuStreamBeginCapture_v2"};
constexpr uint32_t kLaunch = 1, kSync = 2, kCopy = 3, kAlloc = 4, kReplay = 5, kFree = 6,
                   kPoolAlloc = 7, kPoolFree = 8, kCreate = 9, kRelease = 10, kMap = 11,
                   kUnmap = 12, kHandOut = 13;
const char* const kReasons[] = {"smsp__pcsamp_warps_issue_stalled_long_scoreboard",
                                "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued",
                                "smsp__pcsamp_warps_issue_stalled_selected",
                                "smsp__pcsamp_sample_count"};
constexpr uint64_t kNsPerSample = 1000;
constexpr uint64_t kHash = 0;  // of no module yet

thread_local bool t_no_memory __attribute__((tls_model("initial-exec"))) = false;

// Around what the profiler does in a callback.
struct NoMemory {
  NoMemory() { t_no_memory = getenv("FAKE_MEMORY") != nullptr; }
  ~NoMemory() { t_no_memory = false; }
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

// A fork child finds the lock free: another thread may have held it at the fork.
Device& TheDevice() {
  static Device* device = [] {
    pthread_atfork([] { TheDevice().lock.lock(); }, [] { TheDevice().lock.unlock(); },
                   [] { TheDevice().lock.unlock(); });
    return new Device;
  }();
  return *device;
}

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

bool Trouble(const char* variable, const char* value) {
  const char* set = getenv(variable);
  return set != nullptr && std::strcmp(set, value) == 0;
}

// As the kernel sees it: whoever wraps pthread_sigmask does not count.
bool FaultsAreBlocked() {
  uint64_t mask = 0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &mask, sizeof mask);
  return (mask & (uint64_t{1} << (SIGSEGV - 1) | uint64_t{1} << (SIGBUS - 1))) != 0;
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

void Complete(Device& device) {
  if (device.buffer == nullptr) return;
  uint8_t* full = device.buffer;
  device.buffer = nullptr;
  const NoMemory none;
  device.complete(nullptr, 0, full, device.size, device.used);
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
FAKE_EXPORT bool fake_memory_is_gone() { return t_no_memory; }
FAKE_EXPORT const char* fake_left_in_cupti() {
  static char text[256];
  const Device& device = TheDevice();
  std::snprintf(text, sizeof text, "subscribers %d, kinds %d, clock %s, faults %s",
                device.subscribers, static_cast<int>(device.kinds.size()),
                device.clock == nullptr ? "own" : "set",
                device.faults_blocked ? "blocked" : "open");
  if (device.would_deadlock != 0) std::strcat(text, ", deadlock");
  if (device.left_open != 0) std::strcat(text, ", calls left open");
  if (device.spoiled != 0) std::strcat(text, ", heap spoiled");
  if (device.lost != 0) std::strcat(text, ", records lost");
  if (device.finalised_beside != 0) std::strcat(text, ", finalised beside a call");
  if (device.finalised_with_graphs) std::strcat(text, ", a launch failure");
  std::snprintf(text + std::strlen(text), 32, ", finalised %d", device.finalised);
  return text;
}
FAKE_EXPORT uint64_t fake_samples() { return TheDevice().all_samples; }

FAKE_EXPORT CUptiResult cuptiGetVersion(uint32_t* version) {
  *version = Trouble("FAKE_CUPTI", "old") ? 24 : CUPTI_API_VERSION;  // 12.6
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback,
                                          void*, CUpti_SubscriberParams* params) {
  if (const char* other = getenv("FAKE_OTHER")) {
    std::strncpy(params->oldSubscriberName, other, params->oldSubscriberSize - 1);
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  // The second time: somebody else has come meanwhile.
  if (const char* other = getenv("FAKE_OTHER_LATER");
      other != nullptr && TheDevice().finalised > 0) {
    std::strncpy(params->oldSubscriberName, other, params->oldSubscriberSize - 1);
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  usleep(10'000);
  TheDevice().callback = callback;
  ++TheDevice().subscribers;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  TheDevice().callback = nullptr;
  --TheDevice().subscribers;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback,
                                       void*) {
  TheDevice().callback = callback;
  return CUPTI_SUCCESS;
}
// As the real one: numbers of calls begin anew, the clock is its own again, records and buffers are
// lost.
FAKE_EXPORT CUptiResult cuptiFinalize() {
  Device& device = TheDevice();
  ++device.finalised;
  // The next replay of a graph fails.
  device.finalised_with_graphs = device.finalised_with_graphs || device.has_graphs;
  // The real one takes two milliseconds, and frees what threads in calls that it follows use.
  for (int i = 0; i < 20; ++i, usleep(100)) device.finalised_beside += device.followed;
  const std::lock_guard<std::mutex> guard(device.lock);
  device.lost += device.buffer != nullptr && device.used != 0 ? 1 : 0;
  device.buffer = nullptr;
  device.kinds.clear();
  device.records = false;
  device.clock = nullptr;
  device.request = nullptr;
  device.correlation = 0;
  for (auto& one : device.listened) one = false;
  for (auto& one : device.resources) one = false;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiEnableCallback(uint32_t on, CUpti_SubscriberHandle,
                                            CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (Trouble("FAKE_CUPTI", "enable")) return CUPTI_ERROR_NOT_COMPATIBLE;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) TheDevice().listened[id] = on != 0;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) TheDevice().resources[id] = on != 0;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain, uint32_t id, const char** name) {
  if (id == 0 || id >= sizeof(kCalls) / sizeof(kCalls[0])) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = kCalls[id];
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                                       CUpti_BuffersCallbackCompleteFunc complete) {
  TheDevice().request = request;
  TheDevice().complete = complete;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  Device& device = TheDevice();
  const std::lock_guard<std::mutex> guard(device.lock);
  // The third of them: two are enabled then.
  if (Trouble("FAKE_CUPTI", "activity") && device.kinds.size() == 2)
    return CUPTI_ERROR_NOT_COMPATIBLE;
  // As the real one: records of kernels cannot be begun beside samples.
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && device.sampling)
    return CUPTI_ERROR_NOT_COMPATIBLE;
  device.kinds.insert(kind);
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) device.records = true;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  Device& device = TheDevice();
  const std::lock_guard<std::mutex> guard(device.lock);
  device.kinds.erase(kind);
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    device.spoiled += device.records && device.inside != 0 ? 1 : 0;
    device.records = false;
  }
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flags) {
  if ((flags & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0 && getenv("FAKE_HANG") != nullptr) pause();
  Device& device = TheDevice();
  const std::lock_guard<std::mutex> guard(device.lock);
  device.faults_blocked |= FaultsAreBlocked();
  device.spoiled += device.records ? 0 : 1;
  if (device.spoiled != 0 && (flags & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0)
    abort();  // nobody asks after it
  Complete(device);
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid,
                                                   CUpti_Activity** record) {
  uint8_t* next = buffer;
  if (*record != nullptr) {
    next = reinterpret_cast<uint8_t*>(*record);
    next += (*record)->kind == CUPTI_ACTIVITY_KIND_MEMCPY ? sizeof(CUpti_ActivityMemcpy6)
                                                          : sizeof(CUpti_ActivityKernel10);
  }
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  *dropped = 0;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute, size_t*, void*) {
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "CUPTI_ERROR_PRETENDED";
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiGetContextId(CUcontext, uint32_t* id) {
  *id = 1;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiGetDeviceId(CUcontext, uint32_t* id) {
  *id = 0;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
  TheDevice().clock = clock;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
  *id = reinterpret_cast<uint64_t>(node);
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiRegisterComputeCrcCallback(CUpti_ComputeCrcCallbackFunc crc) {
  TheDevice().crc = crc;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams*) {
  if (Trouble("FAKE_PC", "privilege")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  if (Trouble("FAKE_PC", "busy")) return CUPTI_ERROR_HARDWARE_BUSY;
  if (Trouble("FAKE_PC", "memory")) return CUPTI_ERROR_OUT_OF_MEMORY;
  std::free(strdup(""));  // the loader binds it at its first call
  TheDevice().sampling = true;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams*) {
  Device& device = TheDevice();
  // Calls are short: after an overflow, which is once, it looks longer for one.
  const int looks = device.overflowed ? 400 : 20;
  for (int i = 0; i < looks && device.sampling; ++i) {
    device.would_deadlock += device.inside;
    usleep(100);
  }
  device.sampling = false;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult
cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams* params) {
  *params->numStallReasons = sizeof(kReasons) / sizeof(kReasons[0]);
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult
cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams* params) {
  for (uint32_t i = 0; i < params->numStallReasons; ++i) {
    params->stallReasonIndex[i] = i + 1;
    std::strcpy(params->stallReasons[i], kReasons[i]);
  }
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult
cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams*) {
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult
cuptiPCSamplingGetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams*) {
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams* params) {
  auto* data = static_cast<CUpti_PCSamplingData*>(params->pcSamplingData);
  Device& device = TheDevice();
  const std::lock_guard<std::mutex> guard(device.lock);
  data->totalSamples = data->droppedSamples = data->nonUsrKernelsTotalSamples = 0;
  data->totalNumPcs = data->remainingNumPcs = 0;
  data->hardwareBufferFull = 0;
  if (Trouble("FAKE_PC", "full") && !device.overflowed && !device.samples.empty()) {
    device.overflowed = true;
    for (const auto& [name, count] : device.samples) data->droppedSamples += count;
    data->totalSamples = data->droppedSamples;
    device.samples.clear();
    data->hardwareBufferFull = 1;
    return CUPTI_ERROR_OUT_OF_MEMORY;
  }
  const bool nameless = Trouble("FAKE_PC", "nameless");
  const char* volatile no_name = nullptr;
  for (const auto& [name, count] : device.samples) {
    auto* shared = new std::string(name);
    device.names.push_back(shared);
    for (uint64_t at = 0; at < 3; ++at) {
      const auto part = static_cast<uint32_t>(at == 0 ? count - count / 3 * 2 : count / 3);
      CUpti_PCSamplingPCData& pc = data->pPcData[data->totalNumPcs++];
      pc.cubinCrc = device.module;
      pc.pcOffset = at * 16;
      pc.functionIndex = 1;
      pc.functionName = shared->data();
      if (nameless && at == 0) pc.functionName = strdup(no_name);  // as CUPTI does it
      pc.stallReasonCount = 3;
      // Three of four wait for memory, all of those without anything else issued.
      pc.stallReason[0] = {1, part - part / 4};
      pc.stallReason[1] = {2, part - part / 4};
      pc.stallReason[2] = {3, part / 4};
      data->totalSamples += part;
    }
  }
  device.samples.clear();
  return CUPTI_SUCCESS;
}
