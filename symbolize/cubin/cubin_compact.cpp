// Builds a new ELF file from parts of an old one. The code and relocations of kept sections are
// copied. .debug_line keeps the headers of its units and the whole sequences of kept sections. Row
// numbers are relative to their sequence, so the bytes of a sequence do not change; only its
// relocations move. .debug_str keeps its layout, because line programs store offsets in it as
// variable-length numbers. Unused names become zeros, which compress well.
#include "symbolize/cubin/cubin_compact.h"

#include <algorithm>
#include <bit>
#include <string>

namespace gprofx {
namespace {

using Buffer = std::vector<std::byte>;

constexpr uint64_t kLargestAlignment = 128;
constexpr size_t kMaxSections = 60'000;  // more would need ELF's extended numbering
constexpr uint32_t kStrings = 2, kSymbols = 3, kFirstFree = 4;
// In the field sh_info of a code section, these bits are the index of its symbol. The bits above
// are the number of registers.
constexpr uint32_t kInfoSymbolBits = 0xffffff;

template <class T>
void Put(Buffer& out, const T& value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof(T));
}

void Put(Buffer& out, Bytes bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

uint32_t PutName(Buffer& table, std::string_view name) {
  const auto offset = static_cast<uint32_t>(table.size());
  Put(table, std::as_bytes(std::span(name)));
  table.push_back(std::byte{0});
  return offset;
}

// A sequence of a line program. It is kept as a whole.
struct Sequence {
  size_t begin = 0, end = 0;  // offsets in .debug_line
  uint32_t unit = 0;
  uint32_t first_row = 0, end_row = 0;
  size_t moved_to = 0;
};

std::vector<Sequence> KeptSequences(const LineTable& lines, const std::vector<bool>& keep) {
  std::vector<Sequence> all;
  for (const LineRun& run : lines.runs()) {
    if (!keep[run.section]) continue;
    all.push_back({run.bytes_begin, run.bytes_end, run.unit, run.sequence_row, run.end, 0});
  }
  std::sort(all.begin(), all.end(), [](const Sequence& a, const Sequence& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end_row > b.end_row;
  });
  all.erase(std::unique(all.begin(), all.end(),
                        [](const Sequence& a, const Sequence& b) { return a.begin == b.begin; }),
            all.end());
  return all;
}

// Returns the new .debug_line, and sets moved_to of each sequence to the sequence's new offset.
Buffer CopyLines(Bytes data, const LineTable& lines, std::vector<Sequence>& sequences) {
  Buffer out;
  for (size_t i = 0; i < sequences.size();) {
    const uint32_t unit = sequences[i].unit;
    const LineUnit& header = lines.units()[unit];
    const size_t begin = out.size();
    Put(out, data.subspan(header.begin, header.program - header.begin));
    for (; i < sequences.size() && sequences[i].unit == unit; ++i) {
      sequences[i].moved_to = out.size();
      Put(out, data.subspan(sequences[i].begin, sequences[i].end - sequences[i].begin));
    }
    const auto length = static_cast<uint32_t>(out.size() - begin - sizeof(uint32_t));
    std::memcpy(out.data() + begin, &length, sizeof(length));
  }
  return out;
}

// Returns a copy of .debug_str that contains only the names used by the rows of `sequences`.
Buffer CopyNames(const LineTable& lines, const std::vector<Sequence>& sequences) {
  const Bytes names = lines.names();
  std::vector<bool> used(names.size());
  size_t end = 0;
  for (const Sequence& sequence : sequences) {
    for (uint32_t row = sequence.first_row; row < sequence.end_row; ++row) {
      // Mark the bytes up to the end of the name. If one is marked already, the rest is, too.
      for (size_t at = lines.rows()[row].name; at < names.size() && !used[at]; ++at) {
        used[at] = true;
        end = std::max(end, at + 1);
        if (names[at] == std::byte{0}) break;
      }
    }
  }
  Buffer out(end);
  for (size_t at = 0; at < end; ++at) {
    if (used[at]) out[at] = names[at];
  }
  return out;
}

class Writer {
 public:
  explicit Writer(const CubinElf& elf)
      : elf_(elf),
        new_section_(elf.sections().size()),
        symbol_used_(elf.symbols().size()),
        new_symbol_(elf.symbols().size()) {}

  // Adds a section with the content `data` in place of the old section `old`. Does nothing if there
  // are too many sections, or if the data of all sections would exceed the size of the old file, as
  // with overlapping sections.
  void Add(uint32_t old, Buffer data) {
    if (data.size() > elf_.file_size() - data_bytes_ || sections_.size() >= kMaxSections) return;
    data_bytes_ += data.size();
    new_section_[old] = kFirstFree + static_cast<uint32_t>(sections_.size());
    sections_.push_back({old, std::move(data)});
  }

  bool Has(uint32_t old) const { return new_section_[old] != 0; }

  void AddRelocations(uint32_t old, std::vector<CubinRelocation> relocations) {
    std::erase_if(relocations, [this](const CubinRelocation& relocation) {
      return relocation.symbol >= symbol_used_.size();
    });
    for (const CubinRelocation& relocation : relocations) symbol_used_[relocation.symbol] = true;
    if (sections_.size() < kMaxSections) pending_.push_back({old, std::move(relocations)});
  }

  Buffer Finish() {
    const Buffer symbols = Symbols();
    for (auto& [old, relocations] : pending_) Add(old, Encode(relocations));
    Buffer out(sizeof(Elf64_Ehdr));
    std::vector<Elf64_Shdr> headers(kFirstFree);
    Buffer section_names(1);
    for (const auto& [old, data] : sections_) {
      headers.push_back(HeaderOf(old, PutName(section_names, elf_.sections()[old].name)));
    }
    headers[1].sh_name = PutName(section_names, ".shstrtab");
    headers[kStrings].sh_name = PutName(section_names, ".strtab");
    headers[kSymbols].sh_name = PutName(section_names, ".symtab");
    headers[1].sh_type = headers[kStrings].sh_type = SHT_STRTAB;
    headers[1].sh_addralign = headers[kStrings].sh_addralign = 1;
    headers[kSymbols].sh_type = SHT_SYMTAB;
    headers[kSymbols].sh_link = kStrings;
    headers[kSymbols].sh_info = static_cast<uint32_t>(symbols.size() / sizeof(Elf64_Sym));
    headers[kSymbols].sh_entsize = sizeof(Elf64_Sym);
    headers[kSymbols].sh_addralign = sizeof(uint64_t);
    Place(out, headers[1], section_names);
    Place(out, headers[kStrings], strings_);
    Place(out, headers[kSymbols], symbols);
    for (size_t i = 0; i < sections_.size(); ++i) {
      Place(out, headers[kFirstFree + i], sections_[i].data);
    }
    out.resize((out.size() + 7) / 8 * 8);
    Elf64_Ehdr header = elf_.header();
    header.e_shoff = out.size();
    header.e_shnum = static_cast<uint16_t>(headers.size());
    header.e_shstrndx = 1;
    header.e_phoff = 0;
    header.e_phnum = 0;
    for (const Elf64_Shdr& section : headers) Put(out, section);
    std::memcpy(out.data(), &header, sizeof(header));
    return out;
  }

 private:
  struct Section {
    uint32_t old = 0;
    Buffer data;
  };
  struct Pending {
    uint32_t old = 0;
    std::vector<CubinRelocation> relocations;
  };

  // Returns the new symbol table: the functions of kept code and the symbols that relocations use,
  // in their old order.
  Buffer Symbols() {
    Buffer out;
    Put(out, Elf64_Sym{});
    for (uint32_t i = 1; i < elf_.symbols().size(); ++i) {
      const CubinSymbol& symbol = elf_.symbols()[i];
      const bool function = symbol.type() == STT_FUNC && Has(symbol.section);
      if (!symbol_used_[i] && !function) continue;
      new_symbol_[i] = static_cast<uint32_t>(out.size() / sizeof(Elf64_Sym));
      Elf64_Sym raw = symbol.raw;
      raw.st_name = symbol.name.empty() ? 0 : PutName(strings_, symbol.name);
      raw.st_shndx = static_cast<uint16_t>(new_section_[symbol.section]);
      Put(out, raw);
    }
    return out;
  }

  Buffer Encode(const std::vector<CubinRelocation>& relocations) const {
    Buffer out;
    for (const CubinRelocation& relocation : relocations) {
      const uint64_t info = ELF64_R_INFO(uint64_t{new_symbol_[relocation.symbol]}, relocation.type);
      if (relocation.addend) {
        Put(out, Elf64_Rela{relocation.offset, info, *relocation.addend});
      } else {
        Put(out, Elf64_Rel{relocation.offset, info});
      }
    }
    return out;
  }

  Elf64_Shdr HeaderOf(uint32_t old, uint32_t name) const {
    Elf64_Shdr header = elf_.sections()[old].header;
    header.sh_name = name;
    header.sh_link = kSymbols;
    const bool code = (header.sh_flags & SHF_EXECINSTR) != 0;
    if (header.sh_type == SHT_RELA || header.sh_type == SHT_REL) {
      header.sh_info = header.sh_info < new_section_.size() ? new_section_[header.sh_info] : 0;
    } else if (code) {
      const uint32_t symbol = header.sh_info & kInfoSymbolBits;
      const uint32_t moved = symbol < new_symbol_.size() ? new_symbol_[symbol] : 0;
      header.sh_info = (header.sh_info & ~kInfoSymbolBits) | moved;
    } else {
      header.sh_link = header.sh_info = 0;
    }
    return header;
  }

  static void Place(Buffer& out, Elf64_Shdr& header, const Buffer& data) {
    const uint64_t wanted = std::has_single_bit(header.sh_addralign) ? header.sh_addralign : 1;
    const uint64_t alignment = std::min(wanted, kLargestAlignment);
    out.resize((out.size() + alignment - 1) / alignment * alignment);
    header.sh_addralign = alignment;
    header.sh_offset = out.size();
    header.sh_size = data.size();
    Put(out, Bytes(data));
  }

  const CubinElf& elf_;
  std::vector<uint32_t> new_section_;  // by old index: the new index; 0 = dropped
  std::vector<bool> symbol_used_;
  std::vector<uint32_t> new_symbol_;
  std::vector<Section> sections_;
  std::vector<Pending> pending_;
  Buffer strings_ = Buffer(1);
  size_t data_bytes_ = 0;
};

void AddLines(Writer& writer, const CubinElf& elf, const LineTable& lines,
              const std::vector<bool>& keep) {
  std::vector<Sequence> sequences = KeptSequences(lines, keep);
  if (sequences.empty()) return;
  writer.Add(lines.section(), CopyLines(elf.sections()[lines.section()].data, lines, sequences));
  if (const uint32_t names = elf.Find(".debug_str")) writer.Add(names, CopyNames(lines, sequences));
  const uint32_t section = elf.RelocationsOf(lines.section());
  if (!writer.Has(lines.section()) || section == 0) return;
  std::vector<CubinRelocation> moved;
  for (CubinRelocation relocation : elf.Relocations(section)) {
    auto sequence =
        std::upper_bound(sequences.begin(), sequences.end(), relocation.offset,
                         [](uint64_t offset, const Sequence& s) { return offset < s.begin; });
    if (sequence == sequences.begin() || relocation.offset >= (--sequence)->end) continue;
    relocation.offset = relocation.offset - sequence->begin + sequence->moved_to;
    moved.push_back(relocation);
  }
  writer.AddRelocations(section, std::move(moved));
}

}  // namespace

std::vector<std::byte> CompactCubin(const CubinElf& elf, const LineTable& lines,
                                    const std::vector<bool>& keep) {
  Writer writer(elf);
  const auto& sections = elf.sections();
  size_t relocation_bytes = 0;
  for (uint32_t i = 1; i < sections.size(); ++i) {
    if (!keep[i]) continue;
    writer.Add(i, Buffer(sections[i].data.begin(), sections[i].data.end()));
    const uint32_t relocations = elf.RelocationsOf(i);
    if (!writer.Has(i) || relocations == 0) continue;
    relocation_bytes += sections[relocations].data.size();
    // Overlapping sections would make the result too large.
    if (relocation_bytes > elf.file_size()) continue;
    writer.AddRelocations(relocations, elf.Relocations(relocations));
  }
  AddLines(writer, elf, lines, keep);
  return writer.Finish();
}

}  // namespace gprofx
