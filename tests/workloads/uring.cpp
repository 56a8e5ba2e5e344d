// Has the kernel's own threads read COUNT times 4 MiB for it: uring COUNT. Prints the CPU seconds
// of those threads, by the clocks of the process and of its only thread.
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

char g_buffer[4 << 20];

template <class T>
T* At(char* ring, uint32_t offset) {
  return reinterpret_cast<T*>(ring + offset);
}

double SecondsOf(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int, char** arguments) {
  io_uring_params params{};
  const int ring = static_cast<int>(syscall(SYS_io_uring_setup, 8, &params));
  if (ring < 0) return 77;
  const auto map = [&](size_t bytes, uint64_t offset) {
    return static_cast<char*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring, static_cast<off_t>(offset)));
  };
  char* queue = map(1 << 16, IORING_OFF_SQ_RING);
  char* entries = map(params.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES);
  char* done = map(1 << 16, IORING_OFF_CQ_RING);
  if (queue == MAP_FAILED || entries == MAP_FAILED || done == MAP_FAILED) return 77;
  auto* tail = At<std::atomic<uint32_t>>(queue, params.sq_off.tail);
  const uint32_t mask = *At<uint32_t>(queue, params.sq_off.ring_mask);
  const int zero = open("/dev/zero", O_RDONLY);
  for (int left = std::atoi(arguments[1]); left > 0; --left) {
    const uint32_t at = tail->load() & mask;
    io_uring_sqe* entry = At<io_uring_sqe>(entries, 0) + at;
    std::memset(entry, 0, sizeof *entry);
    entry->opcode = IORING_OP_READ;
    entry->flags = IOSQE_ASYNC;
    entry->fd = zero;
    entry->addr = reinterpret_cast<uint64_t>(g_buffer);
    entry->len = sizeof g_buffer;
    At<uint32_t>(queue, params.sq_off.array)[at] = at;
    tail->fetch_add(1);
    if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0) < 0) return 77;
    At<std::atomic<uint32_t>>(done, params.cq_off.head)
        ->store(At<std::atomic<uint32_t>>(done, params.cq_off.tail)->load());
  }
  std::printf("%.6f\n", SecondsOf(CLOCK_PROCESS_CPUTIME_ID) - SecondsOf(CLOCK_THREAD_CPUTIME_ID));
  return 0;
}
