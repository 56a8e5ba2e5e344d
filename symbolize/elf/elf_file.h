// Opens an ELF file for reading through libelf.
//
// An ElfFile is a move-only handle for one thread. The file is mapped, so only pages that are
// accessed cost memory. Data pointers are valid as long as the handle exists. The content is
// untrusted: every accessor returns an empty result for inconsistent data.
#pragma once

#include <gelf.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hex.h"
#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace gprofx {

struct ElfSection {
  Elf_Scn* handle = nullptr;
  GElf_Shdr header = {};
  std::string_view name;

  bool Holds(uint64_t address) const {
    return address >= header.sh_addr && address - header.sh_addr < header.sh_size;
  }
  bool IsCode() const { return (header.sh_flags & SHF_EXECINSTR) != 0; }
};

struct DebugLink {
  std::string file_name;  // without a directory
  uint32_t crc = 0;
};

class ElfFile {
 public:
  static Result<ElfFile> Open(const std::string& path);
  static Result<ElfFile> FromMemory(std::string bytes, const std::string& name);
  // Opens an ELF file in memory. `bytes` must outlive the handle.
  static Result<ElfFile> FromView(std::span<const std::byte> bytes, const std::string& name);

  Elf* get() const { return elf_.get(); }
  const std::string& path() const { return path_; }
  uint16_t machine() const { return machine_; }
  const std::vector<ElfSection>& sections() const { return sections_; }
  const ElfSection* FindSection(std::string_view name) const;
  const ElfSection* SectionAt(uint64_t address) const;  // considers loaded sections only
  // Returns the bytes of a section as stored, without decompression. Empty if it has no content in
  // the file.
  std::span<const std::byte> Content(const ElfSection& section) const;

  std::string BuildId() const;  // lower-case hex; empty if there is none
  std::optional<DebugLink> GnuDebugLink() const;
  bool HasDwarf() const;
  bool IsCompressedByZstd() const;  // true if its DWARF is compressed with zstd

 private:
  struct EndElf {
    void operator()(Elf* elf) const { elf_end(elf); }
  };
  ElfFile() = default;
  static Result<ElfFile> Finish(ElfFile file);

  // Members are destroyed in reverse order: first the ELF handle, then the data that it reads.
  UniqueFd fd_;
  std::unique_ptr<std::string> memory_;
  std::unique_ptr<Elf, EndElf> elf_;
  std::string path_;
  uint16_t machine_ = 0;
  std::vector<ElfSection> sections_;
};

}  // namespace gprofx
