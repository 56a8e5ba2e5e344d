#include "symbolize/elf/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "core/base/file_io.h"

namespace gprofx {
namespace {

// Maximum number of sections. Real files have a few dozen; unlinked code built with
// -ffunction-sections has a few thousand.
constexpr size_t kMaxSections = 65536;

}  // namespace

Result<ElfFile> ElfFile::Open(const std::string& path) {
  ElfFile file;
  file.path_ = path;
  file.fd_ = OpenRegularFile(AT_FDCWD, path);
  if (!file.fd_ && errno == EINVAL) {
    return Error{ErrorId::kWrongFileType, path + ": is not a regular file"};
  }
  if (!file.fd_) return Error{ErrorId::kCannotRead, path + ": " + std::strerror(errno)};
  // Pseudo-files of the kernel are regular files of size 0. Do not read them, because reading some
  // of them consumes data that other readers wait for.
  struct stat info = {};
  if (fstat(file.fd_.get(), &info) != 0 || info.st_size <= 0) {
    return Error{ErrorId::kEmptyFile, path + ": is empty"};
  }
  elf_version(EV_CURRENT);
  file.elf_.reset(elf_begin(file.fd_.get(), ELF_C_READ_MMAP, nullptr));
  return Finish(std::move(file));
}

Result<ElfFile> ElfFile::FromMemory(std::string bytes, const std::string& name) {
  ElfFile file;
  file.path_ = name;
  file.memory_ = std::make_unique<std::string>(std::move(bytes));
  elf_version(EV_CURRENT);
  file.elf_.reset(elf_memory(file.memory_->data(), file.memory_->size()));
  return Finish(std::move(file));
}

Result<ElfFile> ElfFile::FromView(std::span<const std::byte> bytes, const std::string& name) {
  ElfFile file;
  file.path_ = name;
  elf_version(EV_CURRENT);
  // elf_memory takes a plain char*, but writes only when asked to update the file.
  char* data = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));  // NOLINT
  file.elf_.reset(elf_memory(data, bytes.size()));
  return Finish(std::move(file));
}

Result<ElfFile> ElfFile::Finish(ElfFile file) {
  GElf_Ehdr header = {};
  if (file.elf_ == nullptr || elf_kind(file.elf_.get()) != ELF_K_ELF ||
      gelf_getehdr(file.elf_.get(), &header) == nullptr) {
    return Error{ErrorId::kOtherFormat, file.path_ + ": is not a readable ELF file"};
  }
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
    return Error{ErrorId::kOtherFormat, file.path_ + ": is neither a program nor a shared library"};
  }
  file.machine_ = header.e_machine;
  size_t names = 0;
  if (elf_getshdrstrndx(file.elf_.get(), &names) != 0) return file;
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(file.elf_.get(), scn)) != nullptr &&
                               file.sections_.size() < kMaxSections;) {
    ElfSection section;
    section.handle = scn;
    // Keep a section with a damaged header, as an empty one: symbols refer to sections by index.
    if (gelf_getshdr(scn, &section.header) == nullptr) section.header = {};
    const char* name = elf_strptr(file.elf_.get(), names, section.header.sh_name);
    if (name != nullptr) section.name = name;
    file.sections_.push_back(section);
  }
  return file;
}

const ElfSection* ElfFile::FindSection(std::string_view name) const {
  for (const ElfSection& section : sections_) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

const ElfSection* ElfFile::SectionAt(uint64_t address) const {
  for (const ElfSection& section : sections_) {
    const bool loaded =
        (section.header.sh_flags & SHF_ALLOC) != 0 && (section.header.sh_flags & SHF_TLS) == 0;
    if (loaded && section.Holds(address)) return &section;
  }
  return nullptr;
}

std::span<const std::byte> ElfFile::Content(const ElfSection& section) const {
  if (section.header.sh_type == SHT_NOBITS) return {};
  const Elf_Data* data = elf_rawdata(section.handle, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const std::byte*>(data->d_buf), data->d_size};
}

std::string ElfFile::BuildId() const {
  const void* bytes = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(elf_.get(), &bytes);
  if (size <= 0 || bytes == nullptr) return {};
  return ToHex({static_cast<const std::byte*>(bytes), static_cast<size_t>(size)});
}

std::optional<DebugLink> ElfFile::GnuDebugLink() const {
  GElf_Word crc = 0;
  const char* name = dwelf_elf_gnu_debuglink(elf_.get(), &crc);
  // The name is untrusted and becomes part of a path, so it must not contain a slash.
  if (name == nullptr || *name == '\0' || std::strchr(name, '/') != nullptr) return std::nullopt;
  return DebugLink{name, crc};
}

bool ElfFile::HasDwarf() const {
  for (const ElfSection& section : sections_) {
    const bool is_info = section.name == ".debug_info" || section.name == ".zdebug_info";
    if (is_info && section.header.sh_type != SHT_NOBITS && section.header.sh_size != 0) return true;
  }
  return false;
}

bool ElfFile::IsCompressedByZstd() const {
  constexpr GElf_Word kZstd = 2;  // ELFCOMPRESS_ZSTD, which older <elf.h> do not have
  for (const ElfSection& section : sections_) {
    if (!section.name.starts_with(".debug_")) continue;
    GElf_Chdr header = {};
    if ((section.header.sh_flags & SHF_COMPRESSED) != 0 &&
        gelf_getchdr(section.handle, &header) != nullptr && header.ch_type == kZstd)
      return true;
  }
  return false;
}

}  // namespace gprofx
