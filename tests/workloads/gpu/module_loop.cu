// Loads a module, launches from it and unloads it, again and again. argv: ROUNDS
#include "driver.h"
#include "ptx.h"

int main(int argc, char** argv) {
  Driver driver;
  const long rounds = Argument(argc, argv, 1, 100);
  CUcontext context = driver.CreateContext();
  CUdeviceptr counter = driver.AllocateZeros(1);
  void* arguments[] = {&counter};
  uint32_t expected = 0;
  for (long i = 0; i < rounds; ++i) {
    const unsigned amount = 1 + i % 8;  // eight different images
    CUmodule module = driver.Load(AddKernel(amount).c_str());
    CUfunction function = driver.Function(module, "ptx_add");
    for (int k = 0; k < 3; ++k) driver.Launch(function, 1, 1, arguments);
    expected += 3 * amount;
    driver.Unload(module);
  }
  driver.Synchronize();
  const uint32_t sum = driver.Word(counter);
  printf("rounds %ld, sum %u\n", rounds, sum);
  driver.Free(counter);
  driver.DestroyContext(context);
  return sum == expected ? 0 : 1;
}
