// A program that ends by a fault: of its first thread ("main"), of another ("thread"), of a child that
// it waits for ("child"), where code is not to be ("jump"), or by a signal that it sends to itself
// ("sent"). Then status 0 means that nothing happened.
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

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
