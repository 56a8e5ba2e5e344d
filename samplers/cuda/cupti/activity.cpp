#include "samplers/cuda/cupti/activity.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "samplers/cuda/cupti/cupti_api.h"
#include "samplers/cuda/cupti/translate.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

constexpr size_t kBufferBytes = 1 << 20;
// Mapped at the start; a buffer takes memory only when it is filled.
constexpr size_t kBuffersAhead = 16;
constexpr size_t kMaxBuffers = 512;  // reached only if our thread does not run for a long time
// The kinds of GPU work that CUPTI records.
//
// SYNCHRONIZATION must never be added. Once it was enabled, every call of the CUDA API takes two to
// four times as long, even cudaGetDevice. Our own callbacks know when calls wait.
constexpr CUpti_ActivityKind kKindsOfWork[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
    CUPTI_ACTIVITY_KIND_MEMSET};

struct Completed {
  uint8_t* buffer;
  size_t valid;
  CUcontext context;
  uint32_t stream;
};

// The pool of buffers. It has a fixed size, because CUPTI's callbacks run on the program's threads
// and must not allocate. It is never destroyed, because callbacks may come after static
// destructors.
struct Pool {
  std::mutex lock;
  // On top is the one returned last, whose memory is in the caches.
  uint8_t* free[kMaxBuffers] = {};
  size_t free_count = 0;
  uint8_t* lent[kMaxBuffers] = {};  // buffers that CUPTI has
  size_t lent_count = 0;
  Completed completed[kMaxBuffers] = {};  // in the order of completion
  size_t completed_count = 0;
  size_t made = 0;
};
constinit Pool g_pool;

uint8_t* MapBuffer() {
  void* p = mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<uint8_t*>(p);
}

// Returns a new buffer. Returns null if kMaxBuffers exist or there is no memory. The caller holds
// the lock, unless the callbacks are not registered yet.
uint8_t* MakeBuffer() {
  uint8_t* buffer = g_pool.made < kMaxBuffers ? MapBuffer() : nullptr;
  if (buffer != nullptr) ++g_pool.made;
  return buffer;
}

// Gives CUPTI a buffer. If there is none left, CUPTI drops the record and counts that.
void BufferRequested(uint8_t** buffer, size_t* size, size_t* most_records) {
  *most_records = 0;
  const std::lock_guard<std::mutex> guard(g_pool.lock);
  if (g_pool.free_count > 0) {
    *buffer = g_pool.free[--g_pool.free_count];
  } else {
    *buffer = MakeBuffer();
    g_state.Count(wire::kGpuBuffersMade);
  }
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  if (*buffer != nullptr) g_pool.lent[g_pool.lent_count++] = *buffer;
}

// Removes a buffer from the list of those that CUPTI has. The caller holds the lock.
void EndLoan(const uint8_t* buffer) {
  uint8_t** const end = g_pool.lent + g_pool.lent_count;
  uint8_t** const at = std::find(g_pool.lent, end, buffer);
  if (at != end) *at = g_pool.lent[--g_pool.lent_count];
}

void BufferCompleted(CUcontext context, uint32_t stream, uint8_t* buffer, size_t, size_t valid) {
  if (buffer == nullptr) return;
  const std::lock_guard<std::mutex> guard(g_pool.lock);
  EndLoan(buffer);
  if (valid == 0) {
    g_pool.free[g_pool.free_count++] = buffer;
  } else {
    g_pool.completed[g_pool.completed_count++] = {buffer, valid, context, stream};
  }
}

size_t CompletedCount() {
  const std::lock_guard<std::mutex> guard(g_pool.lock);
  return g_pool.completed_count;
}

Completed TakeOldest() {
  const std::lock_guard<std::mutex> guard(g_pool.lock);
  const Completed oldest = g_pool.completed[0];
  std::copy(g_pool.completed + 1, g_pool.completed + g_pool.completed_count, g_pool.completed);
  --g_pool.completed_count;
  return oldest;
}

void GiveBack(const Completed& completed) {
  std::memset(completed.buffer, 0, completed.valid);
  const std::lock_guard<std::mutex> guard(g_pool.lock);
  g_pool.free[g_pool.free_count++] = completed.buffer;
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

CUptiResult EnableRecordsOfWork() {
  CUptiResult result = CUPTI_SUCCESS;
  for (const CUpti_ActivityKind kind : kKindsOfWork) {
    if (result == CUPTI_SUCCESS) result = g_cupti.ActivityEnable(kind);
  }
  return result;
}

CUptiResult EnableRecords() {
  const CUptiResult result = EnableRecordsOfWork();
  return result != CUPTI_SUCCESS ? result : g_cupti.ActivityEnable(CUPTI_ACTIVITY_KIND_OVERHEAD);
}

void DisableRecordsOfWork() {
  for (const CUpti_ActivityKind kind : kKindsOfWork) {
    if (g_cupti.ActivityDisable(kind) != CUPTI_SUCCESS) g_state.Count(wire::kGpuErrors);
  }
}

void DisableRecords() {
  DisableRecordsOfWork();
  if (g_cupti.ActivityDisable(CUPTI_ACTIVITY_KIND_OVERHEAD) != CUPTI_SUCCESS)
    g_state.Count(wire::kGpuErrors);
}

bool SetUpActivity(std::string* problem) {
  while (g_pool.made < kBuffersAhead) {
    uint8_t* buffer = MakeBuffer();
    if (buffer == nullptr) break;
    g_pool.free[g_pool.free_count++] = buffer;
  }
  // Tell CUPTI that it need not clear buffers. New mappings are zero, and used buffers are cleared
  // here.
  uint8_t zeroed = 1;
  SetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, sizeof(zeroed), &zeroed);
  const CUptiResult result = g_cupti.ActivityRegisterCallbacks(BufferRequested, BufferCompleted);
  if (result == CUPTI_SUCCESS) return true;
  *problem = std::string("no GPU data: CUPTI does not trace this program: ") + g_cupti.Text(result);
  return false;
}

void RemoveActivity() {
  DisableRecords();
  const std::lock_guard<std::mutex> guard(g_pool.lock);
  while (g_pool.free_count > 0) munmap(g_pool.free[--g_pool.free_count], kBufferBytes);
  g_pool.made = kMaxBuffers;  // makes no further buffer, because nobody would translate its records
}

void TakeBackBuffers() {
  const std::lock_guard<std::mutex> guard(g_pool.lock);
  const auto take_back = [](uint8_t* buffer) {
    madvise(buffer, kBufferBytes, MADV_DONTNEED);  // afterwards the memory reads as zeros
    g_pool.free[g_pool.free_count++] = buffer;
  };
  while (g_pool.lent_count > 0) take_back(g_pool.lent[--g_pool.lent_count]);
  while (g_pool.completed_count > 0) take_back(g_pool.completed[--g_pool.completed_count].buffer);
}

void TranslateCompleted(Names& names) {
  for (size_t left = CompletedCount(); left > 0; --left) {
    const Completed oldest = TakeOldest();
    try {
      TranslateBuffer(oldest, names);
    } catch (...) {
      GiveBack(oldest);
      throw;
    }
    GiveBack(oldest);
  }
}

}  // namespace gprofx::cuda
