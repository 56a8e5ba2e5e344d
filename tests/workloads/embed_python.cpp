// Loads an interpreter, runs Python in it, closes it and burns CPU time without it; several times.
// argv: LIBPYTHON... A second thread burns all the while, so that samples fall into each moment.
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>

namespace {

std::atomic<bool> g_over{false};
volatile uint64_t g_sum = 0;

__attribute__((noinline)) void BurnWithout(uint64_t rounds) {
  for (uint64_t i = 0; i < rounds && !g_over; ++i) g_sum = g_sum + i;
}

template <class F>
F Find(void* library, const char* name) {
  return reinterpret_cast<F>(dlsym(library, name));
}

bool RunPython(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  Find<void (*)(int)>(library, "Py_InitializeEx")(0);
  Find<int (*)(const char*, void*)>(library, "PyRun_SimpleStringFlags")(
      "def embedded(n):\n"
      "    return sum(i * i for i in range(n))\n"
      "for _ in range(20): embedded(100000)\n",
      nullptr);
  Find<int (*)()>(library, "Py_FinalizeEx")();
  dlclose(library);
  return dlopen(path, RTLD_NOW | RTLD_NOLOAD) == nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  std::thread other(BurnWithout, ~uint64_t{0});
  int unloaded = 0;
  for (int i = 1; i < argc; ++i) {
    unloaded += RunPython(argv[i]) ? 1 : 0;
    BurnWithout(200'000'000);
  }
  g_over = true;
  other.join();
  std::printf("embedded %d, unloaded %d\n", argc - 1, unloaded);
}
