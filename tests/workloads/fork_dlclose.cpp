// Children that load and unload a library from their first moment on: what they unload is forgotten
// while the clock's first tick joins them to the recording. argv: LIBRARY CHILDREN; the status is
// the number of those that did not end well.
#include <dlfcn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

static double CpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

static void Child(const char* library) {
  for (const double end = CpuSeconds() + 0.02; CpuSeconds() < end;) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) _exit(1);
    dlclose(handle);
  }
  _exit(0);
}

int main(int, char** argv) {
  int bad = 0;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    const pid_t child = fork();
    if (child == 0) Child(argv[1]);
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) ++bad;
  }
  std::printf("%d bad\n", bad);
  return bad > 100 ? 100 : bad;
}
