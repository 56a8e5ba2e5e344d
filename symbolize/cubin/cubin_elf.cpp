#include "symbolize/cubin/cubin_elf.h"

#include <algorithm>
#include <string>

namespace gprofx {
namespace {

constexpr uint16_t kMachineCuda = 190;  // EM_CUDA; missing in older elf.h

// Maximum total length of names, in bytes per byte of the file. Names may share text, but compilers
// never share so much that the names are larger than this. Without the limit, a million symbols of
// a small file could all have one long name.
constexpr uint64_t kMaxNameBytes = 2;  // bytes per byte of the file

Error Broken(const char* what) {
  return {ErrorId::kDamaged, std::string("not a usable cubin: ") + what};
}

Bytes Part(Bytes bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return {};
  return bytes.subspan(offset, size);
}

}  // namespace

std::string_view TextAt(Bytes table, uint64_t offset) {
  if (offset >= table.size()) return {};
  const auto* begin = reinterpret_cast<const char*>(table.data()) + offset;
  const size_t room = std::min<uint64_t>(table.size() - offset, kLongestName);
  const void* end = std::memchr(begin, 0, room);
  return {begin,
          end == nullptr ? room : static_cast<size_t>(static_cast<const char*>(end) - begin)};
}

Result<CubinElf> CubinElf::Open(Bytes bytes) {
  CubinElf elf;
  const auto header = LoadAt<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return Broken("no ELF file");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_machine != kMachineCuda) {
    return Broken("no 64-bit ELF file for CUDA");
  }
  elf.header_ = *header;
  elf.file_size_ = bytes.size();
  if (Status status = elf.ReadSections(bytes); !status) return status.error();
  if (Status status = elf.ReadSymbols(); !status) return status.error();
  elf.FindRelocations();
  return elf;
}

// Returns the name at `offset`. Returns "" once the total length of names exceeds the limit, for
// which callers check.
std::string_view CubinElf::Name(Bytes table, uint64_t offset) {
  if (name_bytes_ > kMaxNameBytes * file_size_) return {};
  const std::string_view name = TextAt(table, offset);
  name_bytes_ += name.size();
  return name;
}

Status CubinElf::ReadSections(Bytes bytes) {
  if (header_.e_shoff == 0) return Broken("no sections");
  if (header_.e_shentsize != sizeof(Elf64_Shdr)) return Broken("unknown size of section headers");
  const auto first = LoadAt<Elf64_Shdr>(bytes, header_.e_shoff);
  if (!first) return Broken("section headers outside of the file");
  // The header has no room for very large counts; the first section header then contains them.
  const uint64_t count = header_.e_shnum != 0 ? header_.e_shnum : first->sh_size;
  const uint32_t names = header_.e_shstrndx != SHN_XINDEX ? header_.e_shstrndx : first->sh_link;
  if (count > (bytes.size() - header_.e_shoff) / sizeof(Elf64_Shdr)) {
    return Broken("section headers outside of the file");
  }
  sections_.resize(count);
  for (uint64_t i = 0; i < count; ++i) {
    CubinSection& section = sections_[i];
    section.header = *LoadAt<Elf64_Shdr>(bytes, header_.e_shoff + i * sizeof(Elf64_Shdr));
    const bool in_file = section.header.sh_type != SHT_NOBITS && section.header.sh_type != SHT_NULL;
    if (in_file) section.data = Part(bytes, section.header.sh_offset, section.header.sh_size);
  }
  if (names >= count) return Broken("no names of sections");
  for (CubinSection& section : sections_) {
    section.name = Name(sections_[names].data, section.header.sh_name);
  }
  return Ok();
}

Status CubinElf::ReadSymbols() {
  uint32_t extended = 0;  // SHT_SYMTAB_SHNDX
  for (uint32_t i = 1; i < sections_.size(); ++i) {
    if (sections_[i].header.sh_type == SHT_SYMTAB && symtab_ == 0) symtab_ = i;
    if (sections_[i].header.sh_type == SHT_SYMTAB_SHNDX && extended == 0) extended = i;
  }
  if (symtab_ == 0) return Ok();
  const CubinSection& table = sections_[symtab_];
  if (table.header.sh_entsize != sizeof(Elf64_Sym)) return Broken("unknown size of symbols");
  const uint32_t texts = table.header.sh_link;
  if (texts >= sections_.size()) return Broken("no names of symbols");
  symbols_.resize(table.data.size() / sizeof(Elf64_Sym));
  for (size_t i = 0; i < symbols_.size(); ++i) {
    CubinSymbol& symbol = symbols_[i];
    symbol.raw = *LoadAt<Elf64_Sym>(table.data, i * sizeof(Elf64_Sym));
    symbol.name = Name(sections_[texts].data, symbol.raw.st_name);
    uint32_t section = symbol.raw.st_shndx;
    if (section == SHN_XINDEX) {
      section = extended == 0
                    ? 0
                    : LoadAt<uint32_t>(sections_[extended].data, i * sizeof(uint32_t)).value_or(0);
    } else if (section >= SHN_LORESERVE) {
      section = 0;
    }
    symbol.section = section < sections_.size() ? section : 0;
  }
  if (name_bytes_ > kMaxNameBytes * file_size_) return Broken("names overlap");
  return Ok();
}

void CubinElf::FindRelocations() {
  relocations_.resize(sections_.size());
  for (uint32_t i = 1; i < sections_.size(); ++i) {
    const Elf64_Shdr& header = sections_[i].header;
    const bool known = (header.sh_type == SHT_RELA && header.sh_entsize == sizeof(Elf64_Rela)) ||
                       (header.sh_type == SHT_REL && header.sh_entsize == sizeof(Elf64_Rel));
    if (!known || header.sh_info >= sections_.size()) continue;
    if (uint32_t& first = relocations_[header.sh_info]; first == 0) first = i;
  }
}

uint32_t CubinElf::Find(std::string_view name) const {
  for (uint32_t i = 1; i < sections_.size(); ++i) {
    if (sections_[i].name == name) return i;
  }
  return 0;
}

std::vector<CubinRelocation> CubinElf::Relocations(uint32_t section) const {
  std::vector<CubinRelocation> out;
  const CubinSection& table = sections_[section];
  const bool with_addend = table.header.sh_type == SHT_RELA;
  const size_t size = with_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  out.reserve(table.data.size() / size);
  for (size_t at = 0; at + size <= table.data.size(); at += size) {
    CubinRelocation relocation;
    const Elf64_Rel rel = *LoadAt<Elf64_Rel>(table.data, at);
    relocation.offset = rel.r_offset;
    relocation.symbol = static_cast<uint32_t>(ELF64_R_SYM(rel.r_info));
    relocation.type = static_cast<uint32_t>(ELF64_R_TYPE(rel.r_info));
    if (with_addend) relocation.addend = LoadAt<Elf64_Rela>(table.data, at)->r_addend;
    out.push_back(relocation);
  }
  return out;
}

}  // namespace gprofx
