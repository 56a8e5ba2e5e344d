// Implements symbol_names.h. If several symbols cover an address, these rules choose one, in order:
//   1. One with a size, before one without a size.
//   2. The one that starts last. It is the innermost, such as a label with a size inside a
//      function.
//   3. Global or weak before local, typed before untyped.
//   4. Fewer leading underscores (read before __read), counted after the _Z of C++ names.
//   5. Global before weak, then the shorter name, then alphabetical order.
// The answer does not depend on the order in the file.
#include "symbolize/names/symbol_names.h"

#include <algorithm>
#include <tuple>

namespace gprofx {
namespace {

size_t LeadingUnderscores(std::string_view name) {
  if (name.starts_with("_Z")) name.remove_prefix(2);
  return std::min(name.find_first_not_of('_'), name.size());
}

bool IsFunctionType(int type) { return type == STT_FUNC || type == STT_GNU_IFUNC; }

// True for local labels, and for the mapping symbols ($x, $d) of Arm and RISC-V. They are not names
// of functions.
bool IsLabel(std::string_view name) { return name.starts_with(".L") || name.starts_with('$'); }

}  // namespace

SymbolNames::SymbolNames(const std::vector<uint64_t>& addresses)
    : addresses_(addresses), buckets_(addresses.size()) {}

bool SymbolNames::Better(const Candidate& a, const Candidate& b) {
  const auto rank = [](const Candidate& c) {
    return std::tuple(~c.start, c.local, c.untyped, LeadingUnderscores(c.name), c.weak,
                      c.name.size(), c.name, c.end - c.start);
  };
  return rank(a) < rank(b);
}

void SymbolNames::AddTables(const ElfFile& file) {
  const ElfSection* dynamic = nullptr;
  const ElfSection* full = nullptr;
  for (const ElfSection& section : file.sections()) {
    if (section.header.sh_type == SHT_SYMTAB && full == nullptr) full = &section;
    if (section.header.sh_type == SHT_DYNSYM && dynamic == nullptr) dynamic = &section;
  }
  if (full != nullptr) {
    AddTable(file, *full);
  } else if (dynamic != nullptr) {
    AddTable(file, *dynamic);
  }
}

void SymbolNames::AddTable(const ElfFile& file, const ElfSection& table) {
  Elf_Data* data = elf_getdata(table.handle, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return;
  const size_t entry = gelf_fsize(file.get(), ELF_T_SYM, 1, EV_CURRENT);
  if (entry == 0) return;
  const size_t count = std::min<size_t>(data->d_size / entry, INT32_MAX);
  for (size_t i = 1; i < count; i++) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    const int type = GELF_ST_TYPE(symbol.st_info);
    if (!IsFunctionType(type) && type != STT_NOTYPE) continue;
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE) continue;
    // Section i of the file is element i - 1, because elf_nextscn skips the null section.
    if (symbol.st_shndx > file.sections().size()) continue;
    const ElfSection& section = file.sections()[symbol.st_shndx - 1];
    if (!section.IsCode() || !section.Holds(symbol.st_value)) continue;
    const auto text = [&] { return elf_strptr(file.get(), table.header.sh_link, symbol.st_name); };
    if (type == STT_NOTYPE) {  // labels within a function do not end it
      const char* label = text();
      if (label != nullptr && IsLabel(label)) continue;
    }

    const auto bucket = std::lower_bound(addresses_.begin(), addresses_.end(), symbol.st_value);
    if (bucket == addresses_.end()) continue;
    Bucket& into = buckets_[static_cast<size_t>(bucket - addresses_.begin())];
    if (!into.has_start || into.last_start < symbol.st_value) into.last_start = symbol.st_value;
    into.has_start = true;

    const uint64_t room = section.header.sh_addr + section.header.sh_size - symbol.st_value;
    const uint64_t size = std::min<uint64_t>(symbol.st_size, room);
    if (size != 0 && *bucket - symbol.st_value >= size) continue;  // the symbol covers no address
    const char* name = text();
    if (name == nullptr || *name == '\0' || IsLabel(name)) continue;
    Candidate candidate{name, symbol.st_value, symbol.st_value + size};
    const int binding = GELF_ST_BIND(symbol.st_info);
    candidate.local = binding == STB_LOCAL;
    candidate.weak = binding == STB_WEAK;
    candidate.untyped = !IsFunctionType(type);
    Add(candidate, section);
  }
}

void SymbolNames::Add(const Candidate& symbol, const ElfSection& section) {
  if (symbol.end != symbol.start) {
    sized_.push_back(symbol);
    return;
  }
  const auto at = std::lower_bound(addresses_.begin(), addresses_.end(), symbol.start);
  Bucket& bucket = buckets_[static_cast<size_t>(at - addresses_.begin())];
  if (bucket.sizeless != 0 && !Better(symbol, sizeless_[bucket.sizeless - 1])) return;
  sizeless_.push_back(symbol);
  sizeless_section_end_.push_back(section.header.sh_addr + section.header.sh_size);
  bucket.sizeless = static_cast<uint32_t>(sizeless_.size());
}

std::vector<SymbolMatch> SymbolNames::Finish() {
  // Among symbols with the same start, sort the best one last. It is then on top of the stack
  // `open`.
  std::sort(sized_.begin(), sized_.end(), [](const Candidate& a, const Candidate& b) {
    return a.start != b.start ? a.start < b.start : Better(b, a);
  });
  std::vector<SymbolMatch> matches(addresses_.size());
  std::vector<uint32_t> open;  // sorted by start; ended ones are never needed again
  size_t next = 0;
  uint64_t last_start = 0;
  uint32_t sizeless = 0;
  for (size_t i = 0; i < addresses_.size(); i++) {
    const uint64_t address = addresses_[i];
    while (next < sized_.size() && sized_[next].start <= address)
      open.push_back(static_cast<uint32_t>(next++));
    while (!open.empty() && sized_[open.back()].end <= address) open.pop_back();
    if (buckets_[i].has_start) last_start = std::max(last_start, buckets_[i].last_start);
    if (buckets_[i].sizeless != 0) sizeless = buckets_[i].sizeless;
    if (!open.empty()) {
      matches[i] = {sized_[open.back()].name, sized_[open.back()].start};
    } else if (sizeless != 0 && sizeless_[sizeless - 1].start == last_start &&
               address < sizeless_section_end_[sizeless - 1]) {
      matches[i] = {sizeless_[sizeless - 1].name, sizeless_[sizeless - 1].start};
    }
  }
  return matches;
}

}  // namespace gprofx
