// What a process has mapped, and where functions of its libraries are.
//
// Symbols are read from the process's memory, not from files: a library that was replaced on disk
// while the program runs is still the old one there. Whatever the process mapped and wrote, a
// LoadedObjects reads its memory at most a million times, which takes a second; then the rest is
// not found. One thread. Source: elf(5); GNU hash tables as ld.so reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "samplers/attach/remote_memory.h"
#include "samplers/collector/processes/mappings.h"

namespace gprofx::attach {

// What of the process an address may be in.
enum class Room {
  kNowhere,   // not executable memory
  kLocked,    // the C library, the loader, an allocator: locks may be held here
  kCLibrary,  // the C library, in particular (a part of kLocked)
  kProgram,
};

class LoadedObjects {
 public:
  LoadedObjects(pid_t pid, const RemoteMemory& memory);

  bool empty() const { return maps_.empty(); }
  // Address of a function of the first object whose file name begins with `object`; 0 = none.
  uint64_t Find(std::string_view object, const char* function) const;
  // Addresses of a variable, of each object that has one of this name.
  std::vector<uint64_t> FindData(const char* name) const;
  // Path of that object as the process sees it; "" = none.
  std::string PathOf(std::string_view object) const;
  bool Has(std::string_view object) const { return !PathOf(object).empty(); }
  Room RoomOf(uint64_t pc) const;
  // Code of an object that has a malloc of its own: neither the C library nor the loader.
  bool IsInAllocator(uint64_t pc) const;
  // End of the mapping that holds `address`; 0 = none.
  uint64_t EndOf(uint64_t address) const;
  // A `syscall` instruction in the C library; 0 = none.
  uint64_t SyscallInstruction() const;

 private:
  struct Object {
    uint64_t base = 0;
    std::string path;
  };
  struct Kind {  // of all objects of one path
    bool locked = false, of_c = false, allocator = false;
  };
  template <class T>
  bool Get(uint64_t address, T* to) const {
    return reads_left_-- > 0 && memory_.Get(address, to);
  }
  const Kind* KindOf(const Mapping& map) const;
  const Object* ObjectOf(std::string_view object) const;
  uint64_t FindIn(uint64_t base, const char* name, int type) const;
  const std::string& CLibrary() const;

  const RemoteMemory& memory_;
  std::vector<Mapping> maps_;
  std::vector<Object> objects_;
  std::unordered_map<std::string, Kind> kinds_;
  mutable int64_t reads_left_ = 1 << 20;
};

}  // namespace gprofx::attach
