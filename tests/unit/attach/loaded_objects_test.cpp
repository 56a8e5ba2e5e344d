#include "samplers/attach/loaded_objects.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>

using namespace gprofx;

TEST_CASE("functions and rooms of a process, asked about itself") {
  const RemoteMemory memory(getpid());
  const LoadedObjects objects(getpid(), memory);
  if (!objects.Has("libc")) {
    WARN("skipped: this test is linked statically");
    return;
  }
  void* libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  REQUIRE(libc != nullptr);
  CHECK(objects.Find("libc", "munmap") == reinterpret_cast<uint64_t>(dlsym(libc, "munmap")));
  CHECK(objects.Find("libc", "no_such_function") == 0);
  CHECK(objects.Find("libno", "munmap") == 0);
  CHECK(objects.RoomOf(objects.Find("libc", "malloc")) == Room::kCLibrary);
  CHECK(objects.RoomOf(reinterpret_cast<uint64_t>(&ParseMaps)) == Room::kProgram);
  int local = 0;
  CHECK(objects.RoomOf(reinterpret_cast<uint64_t>(&local)) == Room::kNowhere);
  CHECK(objects.EndOf(reinterpret_cast<uint64_t>(&local)) > reinterpret_cast<uint64_t>(&local));
  const uint64_t call = objects.SyscallInstruction();
  REQUIRE(call != 0);
  CHECK(std::memcmp(reinterpret_cast<const void*>(call), "\x0f\x05", 2) == 0);
  CHECK(!objects.IsInAllocator(objects.Find("libc", "malloc")));
  dlclose(libc);
}
