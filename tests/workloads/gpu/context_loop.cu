// Creates a context, works in it and destroys it, again and again. argv: ROUNDS
#include "driver.h"
#include "ptx.h"

int main(int argc, char** argv) {
  Driver driver;
  const long rounds = Argument(argc, argv, 1, 10);
  uint32_t sum = 0;
  for (long i = 0; i < rounds; ++i) {
    CUcontext context = driver.CreateContext();
    CUmodule module = driver.Load(AddKernel(1).c_str());
    CUfunction function = driver.Function(module, "ptx_add");
    CUdeviceptr counter = driver.AllocateZeros(1);
    void* arguments[] = {&counter};
    for (int k = 0; k < 10; ++k) driver.Launch(function, 2, 32, arguments);
    sum += driver.Word(counter);
    // The last round leaves its module and memory to the end of the context.
    if (i + 1 < rounds) {
      driver.Free(counter);
      driver.Unload(module);
    }
    driver.DestroyContext(context);
  }
  printf("rounds %ld, sum %u\n", rounds, sum);
  return sum == rounds * 640 ? 0 : 1;
}
