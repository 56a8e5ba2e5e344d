// A program that ends by a fault: of its first thread ("main"), of another ("thread"), of many at
// once ("threads"), of a child that it waits for ("child"), of one that was just forked ("fork") or
// runs in its memory ("vfork"), where code is not to be ("jump"), or by a signal that it sends to
// itself
// ("sent"). Status 0: it waited for a child and went on.
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <ctime>

extern "C" {
__attribute__((noinline)) void WriteThere(volatile int* to) {
  *to = 1;
  asm volatile("");
}
__attribute__((noinline)) void CallWriter(volatile int* to) {
  WriteThere(to);
  asm volatile("");
}
__attribute__((noinline)) void CallNothing(void (*function)()) {
  function();
  asm volatile("");
}
__attribute__((noinline)) void BurnThere(double seconds) {
  const clock_t end = clock() + static_cast<clock_t>(seconds * CLOCKS_PER_SEC);
  volatile double sink = 1;
  while (clock() < end) {
    for (int i = 0; i < 10000; ++i) sink = sink * 1.0000001;
  }
}
void* RunWorker(void* to) {
  pthread_setname_np(pthread_self(), "worker");
  CallWriter(static_cast<volatile int*>(to));
  return nullptr;
}
}

int main(int count, char** words) {
  const char* way = count > 1 ? words[1] : "";
  auto* nowhere = reinterpret_cast<int*>(0x18);
  if (std::strcmp(way, "main") == 0) CallWriter(nowhere);
  if (std::strcmp(way, "jump") == 0) CallNothing(reinterpret_cast<void (*)()>(0x1000));
  if (std::strcmp(way, "sent") == 0) kill(getpid(), SIGSEGV);
  if (std::strcmp(way, "thread") == 0) {
    pthread_t thread;
    pthread_create(&thread, nullptr, RunWorker, nowhere);
    pthread_join(thread, nullptr);
  }
  if (std::strcmp(way, "threads") == 0) {
    pthread_t threads[16];
    for (pthread_t& one : threads) pthread_create(&one, nullptr, RunWorker, nowhere);
    for (pthread_t& one : threads) pthread_join(one, nullptr);
  }
  if (std::strcmp(way, "fork") == 0 || std::strcmp(way, "vfork") == 0) {
    BurnThere(0.2);
    const pid_t child = way[0] == 'f' ? fork() : vfork();
    // In a library that no sample has met before.
    if (child == 0) std::modf(way[1], reinterpret_cast<double*>(nowhere));
    wait(nullptr);
    BurnThere(0.2);
  }
  if (std::strcmp(way, "child") == 0) {
    if (fork() == 0) {
      while (clock() < CLOCKS_PER_SEC / 20) {  // known as a process of its own by then
      }
      CallWriter(nowhere);
    }
    wait(nullptr);
  }
  return 0;
}
