#include "symbolize/plt_names.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "symbolize/demangle.h"

namespace gprofx {
namespace {

// The slot that the stub at `offset` jumps through: [endbr64] [bnd] jmp *displacement(%rip).
std::optional<uint64_t> SlotOfStub(std::span<const std::byte> code, uint64_t section_address,
                                   uint64_t offset) {
  constexpr size_t kJumpBytes = 6, kMaxPrefixBytes = 5;
  for (size_t skip = 0; skip <= kMaxPrefixBytes; skip++) {
    const uint64_t at = offset + skip;
    if (at + kJumpBytes > code.size()) return std::nullopt;
    if (code[at] != std::byte{0xff} || code[at + 1] != std::byte{0x25}) continue;
    int32_t displacement = 0;
    std::memcpy(&displacement, &code[at + 2], sizeof(displacement));
    return section_address + at + kJumpBytes + static_cast<uint64_t>(int64_t{displacement});
  }
  return std::nullopt;
}

// Stubs are 16 bytes in .plt and .plt.sec, 8 or 16 in .plt.got; the linker says so in sh_entsize,
// but not always.
uint64_t StubBytes(const ElfSection& section) {
  const uint64_t declared = section.header.sh_entsize;
  if (declared == 8 || declared == 16) return declared;
  return section.name == ".plt.got" ? 8 : 16;
}

bool IsPlt(const ElfSection& section) {
  return section.IsCode() &&
         (section.name == ".plt" || section.name == ".plt.sec" || section.name == ".plt.got");
}

using SlotUsers = std::multimap<uint64_t, uint64_t>;  // slot -> addresses in its stub

void NameSlots(const ElfFile& file, const ElfSection& relocations, const SlotUsers& users,
               std::map<uint64_t, std::string>& names) {
  Elf_Data* data = elf_getdata(relocations.handle, nullptr);
  const size_t entry = gelf_fsize(file.get(), ELF_T_RELA, 1, EV_CURRENT);
  const uint32_t link = relocations.header.sh_link;
  if (data == nullptr || data->d_buf == nullptr || entry == 0) return;
  if (link == 0 || link > file.sections().size()) return;
  const ElfSection& symbols = file.sections()[link - 1];
  if (symbols.header.sh_type != SHT_DYNSYM && symbols.header.sh_type != SHT_SYMTAB) return;
  Elf_Data* symbol_data = elf_getdata(symbols.handle, nullptr);
  if (symbol_data == nullptr) return;

  const size_t count = std::min<size_t>(data->d_size / entry, INT32_MAX);
  for (size_t i = 0; i < count; i++) {
    GElf_Rela relocation;
    if (gelf_getrela(data, static_cast<int>(i), &relocation) == nullptr) return;
    const auto [first, last] = users.equal_range(relocation.r_offset);
    if (first == last) continue;
    GElf_Sym symbol;
    const uint64_t index = GELF_R_SYM(relocation.r_info);
    if (index == 0 || index > INT32_MAX) continue;
    if (gelf_getsym(symbol_data, static_cast<int>(index), &symbol) == nullptr) continue;
    const char* name = elf_strptr(file.get(), symbols.header.sh_link, symbol.st_name);
    if (name == nullptr || *name == '\0') continue;
    for (auto user = first; user != last; ++user) names[user->second] = Demangle(name) + "@plt";
  }
}

}  // namespace

std::map<uint64_t, std::string> PltNames(const ElfFile& file,
                                         const std::vector<uint64_t>& addresses) {
  std::map<uint64_t, std::string> names;
  if (file.machine() != EM_X86_64) return names;
  SlotUsers users;
  for (const ElfSection& section : file.sections()) {
    if (!IsPlt(section)) continue;
    const std::span<const std::byte> code = file.Content(section);
    const uint64_t base = section.header.sh_addr;
    const uint64_t stub = StubBytes(section);
    auto address = std::lower_bound(addresses.begin(), addresses.end(), base);
    for (; address != addresses.end() && section.Holds(*address); ++address) {
      const uint64_t offset = (*address - base) / stub * stub;
      // The first entry of a lazy .plt enters the resolver; it pushes before it jumps.
      if (section.name == ".plt" && offset == 0) continue;
      const std::optional<uint64_t> slot = SlotOfStub(code, base, offset);
      if (slot) users.emplace(*slot, *address);
    }
  }
  if (users.empty()) return names;
  for (const ElfSection& section : file.sections()) {
    if (section.header.sh_type == SHT_RELA) NameSlots(file, section, users, names);
  }
  return names;
}

}  // namespace gprofx
