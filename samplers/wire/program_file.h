// Decides from a program's ELF file whether the agent can run in it. The launcher uses this before
// it starts the program, and the agent uses it before an exec.
//
// Pure over `read(to, offset, bytes)`, which returns false at the end of the file. Takes bounded
// time, allocates nothing, and is async-signal-safe if `read` is. Little endian, because both sides
// run on the same processor. Sources: elf(5); ld.so preloads nothing into static programs and
// prints errors for files of another class.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>

#include "samplers/wire/machine/machine.h"

namespace gprofx::wire {

enum class Fitness : uint32_t {
  kFits,
  kUnknown,       // not an ELF file, or unreadable: the kernel and the loader decide
  kStatic,        // ignores LD_PRELOAD, because no loader runs; its children may be dynamic
  k32Bit,         // the program's loader prints an error for our file
  kOtherMachine,  // the program's loader prints an error for our file, too
  kOtherLibrary,  // neither glibc nor musl
  kNoLibrary,     // dynamic, but links no library (Go); uses the thread register for itself
  kSanitizer,     // ends if AddressSanitizer's library is not the first in the list
};

// True if our entry in LD_PRELOAD would make the loader print an error or the program end.
constexpr bool MustNotPreload(Fitness fitness) {
  return fitness == Fitness::k32Bit || fitness == Fitness::kOtherMachine ||
         fitness == Fitness::kOtherLibrary || fitness == Fitness::kSanitizer;
}

template <class Read>
class ProgramFile {
 public:
  explicit ProgramFile(Read read) : read_(read) {}

  Fitness Judge() {
    unsigned char ident[EI_NIDENT];
    if (!read_(ident, 0, sizeof ident) || std::memcmp(ident, ELFMAG, SELFMAG) != 0)
      return Fitness::kUnknown;
    if (ident[EI_CLASS] != ELFCLASS64) return Fitness::k32Bit;
    if (!read_(&header_, 0, sizeof header_)) return Fitness::kUnknown;
    if (header_.e_machine != kElfMachine) return Fitness::kOtherMachine;
    Elf64_Phdr loader, dynamic;
    if (!Find(PT_INTERP, &loader)) return Fitness::kStatic;
    char name[kMaxLoader + 1] = {};
    const uint64_t bytes = loader.p_filesz < kMaxLoader ? loader.p_filesz : kMaxLoader;
    if (!read_(name, loader.p_offset, bytes)) return Fitness::kUnknown;
    if (std::strstr(name, "ld-linux") == nullptr && std::strstr(name, "ld-musl") == nullptr)
      return Fitness::kOtherLibrary;
    musl_ = std::strstr(name, "ld-musl") != nullptr;
    if (!Find(PT_DYNAMIC, &dynamic)) return Fitness::kUnknown;
    return JudgeLibraries(dynamic);
  }
  bool musl() const { return musl_; }  // meaningful only if the program fits

 private:
  static constexpr uint64_t kMaxLoader = 255;
  // Maximum number of entries of the dynamic section that are read. Programs have about 30.
  static constexpr uint64_t kMaxEntries = 256;

  bool Find(uint32_t type, Elf64_Phdr* found) {
    for (uint16_t i = 0; i < header_.e_phnum; ++i) {
      if (!read_(found, header_.e_phoff + uint64_t{i} * header_.e_phentsize, sizeof *found))
        return false;
      if (found->p_type == type) return true;
    }
    return false;
  }

  // Returns the offset in the file of the byte that is mapped at `address`. Returns 0 if no part of
  // the file is mapped there.
  uint64_t OffsetOf(uint64_t address) {
    Elf64_Phdr segment;
    for (uint16_t i = 0; i < header_.e_phnum; ++i) {
      if (!read_(&segment, header_.e_phoff + uint64_t{i} * header_.e_phentsize, sizeof segment))
        return 0;
      if (segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_filesz)
        return address - segment.p_vaddr + segment.p_offset;
    }
    return 0;
  }

  // Judges the program by the libraries that it needs. kSanitizer if the first one is
  // AddressSanitizer's, which must stay the first.
  Fitness JudgeLibraries(const Elf64_Phdr& dynamic) {
    bool needs = false;
    uint64_t first = 0, strings = 0;
    for (uint64_t i = 0; i < kMaxEntries && i < dynamic.p_filesz / sizeof(Elf64_Dyn); ++i) {
      Elf64_Dyn entry;
      if (!read_(&entry, dynamic.p_offset + i * sizeof entry, sizeof entry))
        return Fitness::kUnknown;
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
      if (entry.d_tag == DT_NEEDED && !needs) {
        needs = true;
        first = entry.d_un.d_val;
      }
    }
    if (!needs) return Fitness::kNoLibrary;
    const uint64_t at = OffsetOf(strings);
    char name[24] = {};
    if (at == 0 || !read_(name, at + first, sizeof name - 1)) return Fitness::kFits;
    const bool sanitizer = std::strncmp(name, "libasan.so", 10) == 0 ||
                           std::strncmp(name, "libclang_rt.asan", 16) == 0;
    return sanitizer ? Fitness::kSanitizer : Fitness::kFits;
  }

  Read read_;
  Elf64_Ehdr header_{};
  bool musl_ = false;
};

template <class Read>
Fitness JudgeProgram(Read read) {
  return ProgramFile<Read>(read).Judge();
}

// Finds the interpreter in the "#!" line of a file whose first bytes are `text`. Its path is at
// [*begin, *end). Returns false if there is no such line.
inline bool FindInterpreter(const char* text, size_t bytes, size_t* begin, size_t* end) {
  if (bytes < 2 || text[0] != '#' || text[1] != '!') return false;
  size_t at = 2;
  while (at < bytes && (text[at] == ' ' || text[at] == '\t')) ++at;
  *begin = at;
  while (at < bytes && text[at] != ' ' && text[at] != '\t' && text[at] != '\n' && text[at] != 0)
    ++at;
  *end = at;
  return *end > *begin;
}

}  // namespace gprofx::wire
