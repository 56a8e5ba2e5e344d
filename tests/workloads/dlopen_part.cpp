// Loaded and unloaded in a loop by dlopen_loop.
extern "C" double burn_in_part(int n) {
  volatile double sum = 0;
  for (int i = 0; i < n; ++i) sum = sum + i;
  return sum;
}
