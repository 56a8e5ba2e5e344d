#include "symbolize/elf/plt_names.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "symbolize/names/demangle.h"

namespace gprofx {
namespace {

// Returns the address of the slot that the stub at `offset` uses. The code of a stub is: [endbr64]
// [bnd] jmp *displacement(%rip).
std::optional<uint64_t> SlotOfX86Stub(std::span<const std::byte> code, uint64_t section_address,
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

// Returns the address of the slot of the aarch64 stub that contains `offset`. The code of a stub
// is: [bti c] adrp x16; ldr x17, [x16, displacement]; add x16, ...; [autia1716] br x17. Searches
// for the end of the stub, so its size need not be known.
std::optional<uint64_t> SlotOfArmStub(std::span<const std::byte> code, uint64_t section_address,
                                      uint64_t offset) {
  constexpr uint64_t kMaxInstructions = 6, kInstruction = 4;
  constexpr uint32_t kBranch = 0xd61f0220;
  const auto at = [&code](uint64_t place) {
    uint32_t instruction = 0;
    if (place + kInstruction <= code.size())
      std::memcpy(&instruction, &code[place], sizeof(instruction));
    return instruction;
  };
  uint64_t end = offset / kInstruction * kInstruction;
  const uint64_t last = end + kMaxInstructions * kInstruction;
  while (end < last && at(end) != kBranch) end += kInstruction;
  if (at(end) != kBranch) return std::nullopt;
  std::optional<uint64_t> displacement;
  for (uint64_t i = 1; i < kMaxInstructions && i * kInstruction <= end; ++i) {
    const uint64_t place = end - i * kInstruction;
    const uint32_t instruction = at(place);
    if ((instruction & 0xffc003ff) == 0xf9400211) {  // ldr x17, [x16, #8 * n]
      displacement = uint64_t{instruction >> 10 & 0xfff} * 8;
    } else if ((instruction & 0x9f00001f) == 0x90000010 && displacement) {  // adrp x16
      const uint32_t pages = (instruction >> 5 & 0x7ffff) << 2 | (instruction >> 29 & 3);
      const int64_t signed_pages = static_cast<int32_t>(pages << 11) >> 11;
      const uint64_t page = (section_address + place) & ~uint64_t{0xfff};
      return page + static_cast<uint64_t>(signed_pages * 4096) + *displacement;
    }
  }
  return std::nullopt;
}

// Returns the size of a stub on x86-64: 16 bytes in .plt and .plt.sec, 8 or 16 in .plt.got. Linkers
// usually store it in sh_entsize.
uint64_t StubBytes(const ElfSection& section) {
  const uint64_t declared = section.header.sh_entsize;
  if (declared == 8 || declared == 16) return declared;
  return section.name == ".plt.got" ? 8 : 16;
}

bool IsPlt(const ElfSection& section) {
  return section.IsCode() &&
         (section.name == ".plt" || section.name == ".plt.sec" || section.name == ".plt.got");
}

using SlotUsers = std::multimap<uint64_t, uint64_t>;  // by slot: addresses in its stub

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
  const bool arm = file.machine() == EM_AARCH64;
  if (!arm && file.machine() != EM_X86_64) return names;
  SlotUsers users;
  for (const ElfSection& section : file.sections()) {
    if (!IsPlt(section)) continue;
    const std::span<const std::byte> code = file.Content(section);
    const uint64_t base = section.header.sh_addr;
    const uint64_t stub = arm ? 1 : StubBytes(section);
    auto address = std::lower_bound(addresses.begin(), addresses.end(), base);
    for (; address != addresses.end() && section.Holds(*address); ++address) {
      const uint64_t offset = (*address - base) / stub * stub;
      // The first entry of a lazy .plt calls the resolver. On x86-64 it pushes before it jumps, so
      // skip it. On aarch64, its slot has no name.
      if (!arm && section.name == ".plt" && offset == 0) continue;
      const std::optional<uint64_t> slot =
          arm ? SlotOfArmStub(code, base, offset) : SlotOfX86Stub(code, base, offset);
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
