#include "samplers/attach/loaded_objects.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>

using namespace gprofx;

TEST_CASE("maps: what is executable, names with blanks, lines that are cut") {
  const auto maps = ParseMaps(
      "55d0c0000000-55d0c0001000 r-xp 00000000 fd:01 12 /opt/my prog\n"
      "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
      "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]\n"
      "7ffd00000000-7ffc00021000 rw-p 00000000 00:00 0 backwards\n"
      "nonsense\n"
      "7fff00000000-7fff");
  REQUIRE(maps.size() == 3);
  CHECK(maps[0].begin == 0x55d0c0000000);
  CHECK(maps[0].executable);
  CHECK(maps[0].path == "/opt/my prog");
  CHECK(maps[1].path.empty());
  CHECK(!maps[1].executable);
  CHECK(maps[2].path == "[stack]");
}

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
