// A pretended GPU: a libcuda and a libcupti that behave towards libgprofx-cuda.so as the real ones
// do, so that its whole way into a profile is tested where no GPU is.
//
// Each launch "runs" at once on the calling thread's clock; its record and its PC samples are
// delivered when CUPTI would deliver them. The environment makes trouble:
//   FAKE_PC     privilege | busy | memory | full (the hardware buffer overflows once)
//   FAKE_GPU    the UUID of the GPU, as text: processes with the same one share it
//   FAKE_OTHER  a name: another CUPTI client is there first
//   FAKE_OTHER_LATER  a name: another one comes as soon as CUPTI is free
//   FAKE_HANG   the last flush never returns
//   FAKE_CUPTI  enable | activity: no callback, no kind of activity can be enabled; old: 12.6
//   FAKE_MEMORY none: while CUPTI calls the profiler back there is no memory (malloc of fake_train)
//   FAKE_THREADS init | exit: no thread can be made then (pthread_create of fake_train)
//   FAKE_FILES  limited: ulimit -f 0
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
void fake_create_context();
void fake_destroy_context();
void fake_load_module(const void* image, size_t bytes);
// A kernel of `ns`, with one PC sample a microsecond at the offsets 0, 16 and 32. Returns its
// correlation id.
uint32_t fake_launch(const char* kernel, uint64_t ns);
// cuGetProcAddress, whose answer a profiler may change.
void fake_hand_out(const char* name, void* function, void** out);
// The host waits for `ns` in cuStreamSynchronize.
void fake_synchronize(uint64_t ns);
void fake_copy_to_device(uint64_t bytes, uint64_t ns);
// An allocation that the device refuses.
void fake_allocate_too_much();
// Memory of the driver, out of a pool or not; physical memory by its handle.
uint64_t fake_allocate(uint64_t bytes, int in_pool);
void fake_free(uint64_t address, int in_pool);
uint64_t fake_create(uint64_t bytes, int on_device);
void fake_release(uint64_t handle);
void fake_map(uint64_t address, uint64_t bytes, uint64_t handle);
void fake_unmap(uint64_t address, uint64_t bytes);
// A graph of one kernel: the node is created in the first call, cloned at instantiation, replayed.
void fake_capture(uint64_t node);
void fake_instantiate(uint64_t node, uint64_t clone);
void fake_replay(const char* kernel, uint64_t clone, uint64_t ns);
// What the pretended hardware has sampled so far.
uint64_t fake_samples();
// What a profiler has left in CUPTI, as a line.
const char* fake_left_in_cupti();
// On this thread, now: malloc fails.
bool fake_memory_is_gone();
}
