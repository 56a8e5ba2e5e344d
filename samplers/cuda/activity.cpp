#include "samplers/cuda/activity.h"

#include <sys/mman.h>

#include <cstring>
#include <mutex>
#include <vector>

#include "samplers/cuda/cupti_api.h"
#include "samplers/cuda/state.h"
#include "samplers/cuda/translate.h"

namespace gprofx::cuda {
namespace {

constexpr size_t kBufferBytes = 1 << 20;
constexpr size_t kBuffersAhead = 16;  // mapped at the start; memory is used as they are filled

struct Completed {
  uint8_t* buffer;
  size_t valid;
  CUcontext context;
  uint32_t stream;
};

// Never destroyed: CUPTI's threads may come after our static destructors.
struct Pool {
  std::mutex lock;
  std::vector<uint8_t*> free;  // the latest returned is on top: its memory is warm
  std::vector<Completed> completed;
};
Pool& ThePool() {
  static Pool* pool = new Pool;
  return *pool;
}

uint8_t* MapBuffer() {
  void* p = mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<uint8_t*>(p);
}

void BufferRequested(uint8_t** buffer, size_t* size, size_t* most_records) {
  Pool& pool = ThePool();
  *size = kBufferBytes;
  *most_records = 0;
  {
    const std::lock_guard<std::mutex> guard(pool.lock);
    if (!pool.free.empty()) {
      *buffer = pool.free.back();
      pool.free.pop_back();
      return;
    }
  }
  g_state.Count(wire::kGpuBuffersMade);
  *buffer = MapBuffer();
  if (*buffer == nullptr) *size = 0;
}

void BufferCompleted(CUcontext context, uint32_t stream, uint8_t* buffer, size_t, size_t valid) {
  if (buffer == nullptr) return;
  Pool& pool = ThePool();
  const std::lock_guard<std::mutex> guard(pool.lock);
  if (valid == 0) {
    pool.free.push_back(buffer);
  } else {
    pool.completed.push_back({buffer, valid, context, stream});
  }
}

void TranslateBuffer(const Completed& completed, Names& names) {
  CUpti_Activity* record = nullptr;
  while (g_cupti.ActivityGetNextRecord(completed.buffer, completed.valid, &record) ==
         CUPTI_SUCCESS) {
    g_state.Count(wire::kGpuRecords);
    if (g_state.sampling()) TranslateRecord(*record, names);
  }
  size_t dropped = 0;
  if (g_cupti.ActivityGetNumDroppedRecords(completed.context, completed.stream, &dropped) ==
          CUPTI_SUCCESS &&
      dropped != 0)
    g_state.Count(wire::kGpuRecordsDropped, dropped);
}

void SetAttribute(CUpti_ActivityAttribute attribute, size_t bytes, void* value) {
  if (g_cupti.ActivitySetAttribute(attribute, &bytes, value) != CUPTI_SUCCESS)
    g_state.Count(wire::kGpuErrors);
}

}  // namespace

bool SetUpActivity() {
  Pool& pool = ThePool();
  pool.free.reserve(256);
  pool.completed.reserve(256);
  for (size_t i = 0; i < kBuffersAhead; ++i) {
    if (uint8_t* buffer = MapBuffer()) pool.free.push_back(buffer);
  }
  // CUPTI need not clear what we hand it: fresh mappings are zero, used ones we clear ourselves.
  uint8_t zeroed = 1;
  SetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, sizeof(zeroed), &zeroed);
  CUptiResult result = g_cupti.ActivityRegisterCallbacks(BufferRequested, BufferCompleted);
  constexpr CUpti_ActivityKind kKinds[] = {
      CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
      CUPTI_ACTIVITY_KIND_MEMCPY2,           CUPTI_ACTIVITY_KIND_MEMSET,
      CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,   CUPTI_ACTIVITY_KIND_OVERHEAD};
  for (const CUpti_ActivityKind kind : kKinds) {
    if (result == CUPTI_SUCCESS) result = g_cupti.ActivityEnable(kind);
  }
  if (result == CUPTI_SUCCESS) return true;
  Notice(wire::kNoticeLost,
         std::string("CUPTI does not trace this program: ") + g_cupti.Text(result));
  return false;
}

void TranslateCompleted(Names& names) {
  Pool& pool = ThePool();
  std::vector<Completed> work;
  {
    const std::lock_guard<std::mutex> guard(pool.lock);
    work.swap(pool.completed);
  }
  for (const Completed& completed : work) {
    TranslateBuffer(completed, names);
    std::memset(completed.buffer, 0, completed.valid);
    const std::lock_guard<std::mutex> guard(pool.lock);
    pool.free.push_back(completed.buffer);
  }
}

}  // namespace gprofx::cuda
