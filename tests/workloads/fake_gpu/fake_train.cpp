// A program for the pretended GPU: kernels of known time from known functions. argv: how to end
// (return, _exit, abort, sigkill, fork, nothing); or "rate SECONDS": two threads launch as fast as
// a framework does, and the counts are printed; or "pointer SECONDS": the same, by a pointer to the
// driver's function; or "crowd SECONDS": six of them; or "unseen", "asks": a third one begins in
// the middle; or "allocates", "captures", "waits", "forks": the same, and that beside; or "paced
// SECONDS RATE": RATE launches in a second, however many others use the CPUs.
#include <cuda.h>  // cuInit of the pretended driver
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "fake_gpu.h"

namespace {

constexpr uint64_t kMs = 1000000;
using Clock = std::chrono::steady_clock;

// Not known to the compiler: an unrolled loop would launch from ten places.
volatile int g_launches = 10;

// A call at the end would become a jump, and the function would be missing on the stack.
#define RETURN_HERE asm volatile("")

// The CPU works before any GPU does.
__attribute__((noinline)) void Prepare() {
  const clock_t end = clock() + CLOCKS_PER_SEC / 2;
  while (clock() < end) {
  }
}
__attribute__((noinline)) void Forward() {
  for (int i = 0; i < g_launches; ++i) fake_launch("_Z7forwardPf", 3 * kMs);
  RETURN_HERE;
}
__attribute__((noinline)) void Backward() {
  for (int i = 0; i < g_launches; ++i) fake_launch("_Z8backwardPf", 6 * kMs);
  RETURN_HERE;
}
__attribute__((noinline)) void Wait() {
  fake_synchronize(20 * kMs);
  RETURN_HERE;
}
__attribute__((noinline)) void Upload() {
  fake_copy_to_device(1 << 20, 2 * kMs);
  RETURN_HERE;
}
__attribute__((noinline)) void Capture() {
  fake_capture(100);
  RETURN_HERE;
}
__attribute__((noinline)) void Replay() {
  fake_replay("_Z7forwardPf", 101, 4 * kMs);
  RETURN_HERE;
}

// As CUDA's runtime keeps what the driver gave it; null: launches come from nowhere that a pointer
// leads to.
decltype(&cuLaunchKernel) g_launch_kernel = nullptr;
decltype(&cuStreamSynchronize) g_synchronize = nullptr;
decltype(&cuMemAlloc) g_allocate = nullptr;
decltype(&cuMemFree) g_free = nullptr;
decltype(&cuStreamBeginCapture) g_begin_capture = nullptr;
decltype(&cuGetProcAddress) g_get_function = nullptr;

void Launch(const char* kernel, unsigned us, decltype(&cuLaunchKernel) launch) {
  if (launch == nullptr) {
    fake_launch(kernel, us * uint64_t{1000});
  } else {
    launch(reinterpret_cast<CUfunction>(const_cast<char*>(kernel)), us, 1, 1, 1, 1, 1, 0, nullptr,
           nullptr, nullptr);
  }
}
__attribute__((noinline)) void LaunchSmall() {
  Launch("_Z5smallPf", 2, g_launch_kernel);
  RETURN_HERE;
}
__attribute__((noinline)) void LaunchLarge() {
  Launch("_Z5largePf", 8, g_launch_kernel);
  RETURN_HERE;
}
void Compute(std::chrono::microseconds time) {
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
  }
}

void LaunchFor(double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::thread other([=] {
    unsigned long long large = 0;
    for (; Clock::now() < end; ++large) {
      LaunchLarge();
      Compute(std::chrono::microseconds(150));
    }
    std::printf("large %llu\n", large);
  });
  unsigned long long small = 0;
  for (; Clock::now() < end; ++small) {
    LaunchSmall();
    Compute(std::chrono::microseconds(30));
  }
  std::printf("small %llu\n", small);
  other.join();
}

// As a server that has requests for a third of the time.
void LaunchInBursts(double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  unsigned long long small = 0;
  while (Clock::now() < end) {
    const auto quiet = Clock::now() + std::chrono::milliseconds(300);
    for (; Clock::now() < quiet; ++small) {
      LaunchSmall();
      Compute(std::chrono::microseconds(30));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
  }
  std::printf("small %llu\n", small);
}

void KeepPointers() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  const auto find = [driver]<class Function>(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(driver, name));
  };
  find(g_launch_kernel, "cuLaunchKernel");
  find(g_synchronize, "cuStreamSynchronize");
  find(g_allocate, "cuMemAlloc_v2");
  find(g_free, "cuMemFree_v2");
  find(g_begin_capture, "cuStreamBeginCapture_v2");
  find(g_get_function, "cuGetProcAddress_v2");
}

// Beside threads that launch; `what` is done each few milliseconds.
template <class What>
void LaunchBeside(double seconds, What what) {
  const auto begin = Clock::now();
  const auto since = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  std::thread other([&] { LaunchFor(seconds); });
  for (; since() < seconds; std::this_thread::sleep_for(std::chrono::milliseconds(2)))
    what(since() / seconds);
  other.join();
}

void LaunchAndAllocate(double seconds) {
  unsigned long long allocations = 0;
  LaunchBeside(seconds, [&](double) {
    CUdeviceptr address = 0;
    g_allocate(&address, 1 << 20);
    g_free(address);
    ++allocations;
  });
  std::printf("allocations %llu\n", allocations);
}

void LaunchAndCapture(double seconds) {
  int captures = 0;
  LaunchBeside(seconds, [&](double part) {
    if (captures == 3 || part < 0.5 + 0.1 * captures) return;
    g_begin_capture(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    fake_capture(static_cast<uint64_t>(1000 + captures++));
  });
  std::printf("captures %d\n", captures);
}

void LaunchAndWait(double seconds) {
  LaunchBeside(seconds,
               [](double) { g_synchronize(reinterpret_cast<CUstream>(uint64_t{20'000'000})); });
}

void LaunchAndFork(double seconds) {
  bool forked = false;
  LaunchBeside(seconds, [&](double part) {
    if (forked || part < 0.6) return;
    forked = true;
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < 3; ++i) LaunchSmall();
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  });
}

// More threads than cores: some are always stopped inside of a call.
void LaunchInCrowd(double seconds) {
  std::vector<std::thread> crowd;
  std::atomic<unsigned long long> count{0};
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (int i = 0; i < 6; ++i) {
    crowd.emplace_back([&] {
      for (unsigned each = 1; Clock::now() < end; ++each, ++count) {
        Launch("_Z5crowdPf", 1, g_launch_kernel);
        Compute(std::chrono::microseconds(20));
        if (each % 500 == 0) g_synchronize(reinterpret_cast<CUstream>(uint64_t{300'000}));
      }
    });
  }
  for (std::thread& each : crowd) each.join();
  std::printf("crowd %llu\n", count.load());
}

// Somebody begins to launch in the middle, whose pointer lies on the stack, where nobody looks for
// it. `asks`: he asks the driver for it then.
void LaunchMore(double seconds, bool asks) {
  auto hidden = g_launch_kernel;
  const auto begin = Clock::now();
  const auto since = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  std::thread other([&] { LaunchFor(seconds); });
  unsigned long long count = 0;
  while (since() < seconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (since() < seconds / 2) continue;
    if (count++ == 0 && asks) {
      CUdriverProcAddressQueryResult status;
      g_get_function("cuLaunchKernel", reinterpret_cast<void**>(&hidden), 12000, 0, &status);
    }
    Launch("_Z4morePf", 1, hidden);
  }
  std::printf("more %llu\n", count);
  other.join();
}

// What a busy machine holds up is made up for, so that each second of a long run has the same work.
void LaunchPaced(double seconds, int rate) {
  constexpr auto kTick = std::chrono::milliseconds(5);
  const int in_one = rate * static_cast<int>(kTick.count()) / 1000;
  unsigned long long small = 0;
  const auto begin = Clock::now(), end = begin + std::chrono::duration_cast<Clock::duration>(
                                                     std::chrono::duration<double>(seconds));
  for (auto next = begin; next < end; next += kTick) {
    std::this_thread::sleep_until(next);
    for (int i = 0; i < in_one; ++i, ++small) {
      if (i % 5 == 0)
        LaunchLarge();
      else
        LaunchSmall();
    }
  }
  std::printf("launches %llu\n", small);
}

bool g_no_threads = false;

bool Trouble(const char* variable, const char* value) {
  const char* set = getenv(variable);
  return set != nullptr && std::strcmp(set, value) == 0;
}

uint64_t SignalMask() {
  uint64_t mask = 0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &mask, sizeof mask);
  return mask;
}

// What the profiler does in it must not show.
void Initialise() {
  const uint64_t before = SignalMask();
  g_no_threads = Trouble("FAKE_THREADS", "init");
  cuInit(0);
  g_no_threads = false;
  if (SignalMask() != before) std::printf("the signal mask has changed\n");
}

}  // namespace

extern "C" {

void* __libc_malloc(size_t bytes);
__attribute__((visibility("default"))) void* malloc(size_t bytes) noexcept {
  return fake_memory_is_gone() ? nullptr : __libc_malloc(bytes);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                          const pthread_attr_t* attributes,
                                                          void* (*start)(void*),
                                                          void* argument) noexcept {
  static const auto next =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return g_no_threads ? EAGAIN : next(thread, attributes, start, argument);
}

}  // extern "C"

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "return";
  if (std::strcmp(how, "nothing") == 0) return 0;
  const bool asks = std::strcmp(how, "asks") == 0, more = asks || std::strcmp(how, "unseen") == 0;
  const bool crowd = std::strcmp(how, "crowd") == 0;
  if (std::strcmp(how, "rate") == 0 || std::strcmp(how, "pointer") == 0 || more || crowd) {
    Initialise();
    fake_create_context();
    if (std::strcmp(how, "rate") != 0) KeepPointers();
    if (more)
      LaunchMore(std::atof(argv[2]), asks);
    else
      (crowd ? LaunchInCrowd : LaunchFor)(std::atof(argv[2]));
    std::printf("%s\n", fake_left_in_cupti());
    return 0;
  }
  constexpr struct {
    const char* how;
    void (*launch)(double seconds);
  } kBeside[] = {{"allocates", LaunchAndAllocate},
                 {"captures", LaunchAndCapture},
                 {"waits", LaunchAndWait},
                 {"forks", LaunchAndFork}};
  for (const auto& [name, launch] : kBeside) {
    if (std::strcmp(how, name) != 0) continue;
    Initialise();
    fake_create_context();
    KeepPointers();
    launch(std::atof(argv[2]));
    std::printf("%s\n", fake_left_in_cupti());
    return 0;
  }
  if (std::strcmp(how, "bursts") == 0) {
    Initialise();
    fake_create_context();
    LaunchInBursts(std::atof(argv[2]));
    return 0;
  }
  if (std::strcmp(how, "paced") == 0) {
    Initialise();
    fake_create_context();
    LaunchPaced(std::atof(argv[2]), std::atoi(argv[3]));
    return 0;
  }
  Prepare();
  Initialise();
  if (Trouble("FAKE_FILES", "limited")) {
    const rlimit none = {0, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  fake_create_context();
  const char image[64] = "not a cubin";
  fake_load_module(image, sizeof(image));
  Upload();
  Forward();
  std::thread(Backward).join();
  Wait();
  Capture();
  fake_instantiate(100, 101);
  for (int i = 0; i < 5; ++i) Replay();
  if (std::strcmp(how, "full_memory") == 0) {
    fake_allocate_too_much();
    usleep(200000);
  }
  std::printf("samples %llu\n", static_cast<unsigned long long>(fake_samples()));
  std::printf("%s\n", fake_left_in_cupti());
  std::fflush(stdout);
  g_no_threads = Trouble("FAKE_THREADS", "exit");
  if (std::strcmp(how, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) {
      if (argc > 2) fake_launch("_Z7forwardPf", kMs);
      std::exit(5);  // our exit handlers run here and must do nothing
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
  }
  const bool is_killed = std::strcmp(how, "sigkill") == 0;
  usleep(is_killed ? 900000 : 400000);  // what a killed program loses is less than this
  if (std::strcmp(how, "_exit") == 0) _exit(3);
  if (std::strcmp(how, "abort") == 0) std::abort();
  if (is_killed) kill(getpid(), SIGKILL);
  if (std::strcmp(how, "destroy") == 0) fake_destroy_context();
  return 0;
}
