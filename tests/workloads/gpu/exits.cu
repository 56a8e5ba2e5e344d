// Ends in one of many ways, with finished and unfinished work behind it.
// argv: return | exit | _exit | abort | segv | sigterm | sigkill
#include <csignal>
#include <cstring>

#include <unistd.h>

#include "common.h"

__global__ void short_kernel(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

int main(int argc, char** argv) {
  RequireGpu();
  const char* how = argc > 1 ? argv[1] : "return";
  for (int i = 0; i < 200; ++i) short_kernel<<<8, 64>>>(100'000);
  CHECK(cudaDeviceSynchronize());
  // A profile that is written about once a second must hold these at any end.
  usleep(Argument(argc, argv, 2, 0) * 1000);
  printf("end: %s\n", how);
  fflush(stdout);
  for (int i = 0; i < 20; ++i) short_kernel<<<8, 64>>>(2'000'000);
  if (!strcmp(how, "exit")) exit(3);
  if (!strcmp(how, "_exit")) _exit(4);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "segv")) raise(SIGSEGV);
  if (!strcmp(how, "sigterm")) kill(getpid(), SIGTERM);
  if (!strcmp(how, "sigkill")) kill(getpid(), SIGKILL);
  if (!strcmp(how, "return")) return 5;
  pause();
}
