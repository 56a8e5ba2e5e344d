#include "samplers/cuda/modules.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <unordered_set>

#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

std::mutex g_lock;
std::unordered_set<uint64_t>* g_kept = nullptr;
int g_spool = -1;

uint64_t Fold(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t Word(const uint8_t* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

bool WriteWhole(int fd, const void* data, size_t bytes, uint64_t offset) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = pwrite(fd, at, bytes, static_cast<off_t>(offset));
    if (n <= 0) return false;
    at += n;
    offset += static_cast<uint64_t>(n);
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

// True if the program's limit on file size allows a write up to the offset `end`. A larger write
// would end the program with SIGXFSZ.
bool MayWriteUpTo(uint64_t end) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && end <= limit.rlim_cur;
}

// Appends the image to the spool and sets *offset to where it is there. Returns false if it could
// not be written.
bool Spool(const void* image, size_t bytes, uint64_t* offset) {
  const uint64_t limit = g_state.facts().spool_limit;
  if (g_spool < 0 && limit != 0) g_spool = g_state.agent->open_spool();
  if (g_spool < 0 || bytes > limit) return false;
  // Highest offset at which the image fits. The check must hold for any value of `spool_used`,
  // which other processes can write.
  const uint64_t last = limit - bytes;
  std::atomic<uint64_t>& used = g_state.control().spool_used;
  const auto fits = [&](uint64_t at) { return at <= last && MayWriteUpTo(at + bytes); };
  if (!fits(used.load())) return false;
  *offset = used.fetch_add(bytes);
  return fits(*offset) && WriteWhole(g_spool, image, bytes, *offset);
}

}  // namespace

uint64_t HashImage(const void* data, size_t bytes) {
  constexpr uint64_t kA = 0xa0761d6478bd642f, kB = 0xe7037ed1a0b428db;
  const auto* at = static_cast<const uint8_t*>(data);
  uint64_t first = kA ^ bytes, second = kB;
  size_t left = bytes;
  for (; left >= 32; left -= 32, at += 32) {
    first = Fold(first ^ Word(at), kB ^ Word(at + 8));
    second = Fold(second ^ Word(at + 16), kA ^ Word(at + 24));
  }
  uint8_t tail[32] = {};
  std::memcpy(tail, at, left);
  first = Fold(first ^ Word(tail), kB ^ Word(tail + 8));
  second = Fold(second ^ Word(tail + 16), kA ^ Word(tail + 24));
  const uint64_t hash = Fold(first ^ kA, second ^ kB);
  return hash != 0 ? hash : 1;
}

void ComputeCrc(const void* image, size_t bytes, uint64_t* crc) {
  *crc = image == nullptr ? 0 : HashImage(image, bytes);
}

void ForgetModules() {
  const std::lock_guard<std::mutex> guard(g_lock);
  if (g_kept != nullptr) g_kept->clear();
  if (g_spool >= 0) close(g_spool);
  g_spool = -1;
}

void KeepModule(const void* image, size_t bytes) {
  if (image == nullptr || bytes == 0) return;
  const uint64_t hash = HashImage(image, bytes);
  g_state.Count(wire::kGpuModules);
  const std::lock_guard<std::mutex> guard(g_lock);
  if (g_kept == nullptr) g_kept = new std::unordered_set<uint64_t>;  // never destroyed
  if (!g_kept->insert(hash).second) return;
  wire::GpuModuleRecord record{};
  record.hash = hash;
  record.bytes = bytes;
  if (Spool(image, bytes, &record.spool_offset)) {
    record.spool_bytes = bytes;
  } else {
    g_state.Count(wire::kGpuModulesUnspooled);
  }
  WriteRecord(wire::kGpuModule, record);
}

}  // namespace gprofx::cuda
