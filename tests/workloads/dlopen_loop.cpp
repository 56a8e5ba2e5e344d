// Loads a library, runs code in it and unloads it, over and over, while another thread burns. argv:
// LIBRARY SECONDS
#include <dlfcn.h>
#include <time.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

static double CpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

int main(int, char** argv) {
  std::atomic<bool> stop{false};
  std::thread other([&stop] {
    volatile double sum = 0;
    while (!stop) {
      for (int i = 0; i < 10000; ++i) sum = sum + i;
    }
  });
  long loops = 0;
  for (const double end = std::atof(argv[2]); CpuSeconds() < end; ++loops) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      std::puts(dlerror());
      return 1;
    }
    auto burn = reinterpret_cast<double (*)(int)>(dlsym(library, "burn_in_part"));
    burn(20000);
    dlclose(library);
  }
  stop = true;
  other.join();
  std::puts(loops > 0 ? "done" : "no loop");
}
