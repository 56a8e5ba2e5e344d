// Lists what a process has mapped, and finds functions in its libraries.
//
// Symbols are read from the process's memory and not from files, because a library may have been
// replaced on disk since. A LoadedObjects reads the memory at most a million times, which takes a
// second, whatever the process has mapped and written. After that, no function finds anything. One
// thread. Source: elf(5); GNU hash tables as ld.so reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "samplers/attach/remote_memory.h"
#include "samplers/collector/processes/mappings.h"

namespace gprofx::attach {

// The kind of code that an address belongs to.
enum class Room {
  kNowhere,   // not executable memory
  kLocked,    // the C library, the loader or an allocator: code that may hold locks
  kCLibrary,  // the C library, where locks may be held as well
  kProgram,
};

class LoadedObjects {
 public:
  LoadedObjects(pid_t pid, const RemoteMemory& memory);

  bool empty() const { return maps_.empty(); }
  // Returns the address of function `function` in the first object whose file name begins with
  // `object`; 0 = not found.
  uint64_t Find(std::string_view object, const char* function) const;
  // Returns the addresses of a variable. There is one for each object that defines the variable.
  std::vector<uint64_t> FindData(const char* name) const;
  // Returns the path of the first object whose file name begins with `object`, as the process sees
  // it; "" = none.
  std::string PathOf(std::string_view object) const;
  bool Has(std::string_view object) const { return !PathOf(object).empty(); }
  Room RoomOf(uint64_t pc) const;
  // True if the code at `pc` belongs to an object that defines malloc and is neither the C library
  // nor the loader.
  bool IsInAllocator(uint64_t pc) const;
  // Returns the end of the mapping that contains `address`; 0 = none.
  uint64_t EndOf(uint64_t address) const;
  // Returns the address of a `syscall` instruction in the C library; 0 = none.
  uint64_t SyscallInstruction() const;

 private:
  struct Object {
    uint64_t base = 0;
    std::string path;
  };
  struct Kind {  // of all objects with the same path
    bool locked = false, of_c = false, allocator = false;
  };
  template <class T>
  bool Get(uint64_t address, T* to) const {
    return reads_left_-- > 0 && memory_.Get(address, to);
  }
  // Reads the memory of the process. Used by wire::ElfSymbols.
  struct Reader {
    template <class T>
    bool Load(uint64_t at, T* to) const {
      return objects.Get(at, to);
    }
    bool IsText(uint64_t at, const char* text) const;
    const LoadedObjects& objects;
  };
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
