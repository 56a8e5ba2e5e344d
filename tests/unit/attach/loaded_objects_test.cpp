#include "samplers/attach/loaded_objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace gprofx;
using namespace gprofx::attach;

TEST_CASE("functions and rooms of a process, asked about itself") {
  const ProcessHandle process(getpid());
  const RemoteMemory memory(process);
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

// An object whose hash table has one chain that does not end.
std::string EndlessObject() {
  constexpr uint64_t kDynamic = 512, kSymbols = 768, kHash = 1024, kChain = 65536;
  std::string file(kHash + 4 * kChain, '\0');
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phoff = sizeof header;
  header.e_phnum = 2;
  Elf64_Phdr segments[2] = {};
  segments[0].p_type = PT_LOAD;
  segments[1].p_type = PT_DYNAMIC;
  segments[1].p_vaddr = kDynamic;
  const Elf64_Dyn dynamic[] = {
      {DT_GNU_HASH, {kHash}}, {DT_SYMTAB, {kSymbols}}, {DT_STRTAB, {kSymbols}}};
  const uint32_t hash[] = {1, 1, 0, 0, 1};
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, segments, sizeof segments);
  std::memcpy(file.data() + kDynamic, dynamic, sizeof dynamic);
  std::memcpy(file.data() + kHash, hash, sizeof hash);
  return file;
}

TEST_CASE("thousands of objects with endless tables take a second") {
  constexpr int kMappings = 2000;
  const std::string object = EndlessObject();
  int files[2];
  for (int i = 0; i < 2; ++i) {  // side by side two of one name would be one object
    files[i] = memfd_create(i == 0 ? "liba.so" : "libb.so", MFD_CLOEXEC);
    REQUIRE(write(files[i], object.data(), object.size()) == static_cast<ssize_t>(object.size()));
  }
  const size_t bytes = (object.size() + 4095) / 4096 * 4096;
  std::vector<void*> mapped;
  for (int i = 0; i < kMappings; ++i) {
    mapped.push_back(mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, files[i % 2], 0));
    REQUIRE(mapped.back() != MAP_FAILED);
  }
  const auto begin = std::chrono::steady_clock::now();
  {
    const ProcessHandle process(getpid());
    const RemoteMemory memory(process);
    const LoadedObjects objects(getpid(), memory);
    CHECK(objects.FindData("_PyRuntime").empty());
  }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
  for (void* one : mapped) munmap(one, bytes);
  for (const int file : files) close(file);
}
