// Runs in signal handlers. Reads .eh_frame: a cursor with checked loads, the search table, CIEs and
// FDEs.
//
// Every load goes through the Memory policy and may fail, because a module can be unmapped
// meanwhile. A failure leads to a missing row, never to a fault. Functions that read a number are
// not inlined: rows are computed only now and then, with code that is in no cache, so the cost is
// the number of cache lines of code. The lengths in the section bound all loops. Source: LSB Core,
// exception frames; DWARF 5 section 6.4.
#pragma once

#include <dwarf.h>

#include <cstdint>

#include "samplers/agent/unwind/row.h"

namespace gprofx::agent {

// The two parts of a DW_EH_PE encoding: the size and sign of the value, and what it is relative to.
constexpr uint8_t kFormatBits = 0x0f, kBaseBits = 0x70;

template <class Memory>
class CfiReader {
 public:
  CfiReader(const Memory& memory, uint64_t at, uint64_t end)
      : memory_(memory), at_(at), end_(end) {}

  bool ok() const { return ok_; }
  uint64_t at() const { return at_; }
  bool AtEnd() const { return !ok_ || at_ >= end_; }
  void Skip(uint64_t bytes) { at_ += bytes; }

  template <class T>
  T Fixed() {
    return static_cast<T>(Load(sizeof(T)));
  }
  [[gnu::noinline]] uint64_t Uleb() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      auto byte = Fixed<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      if (!ok_ || byte < 0x80) break;
    }
    return value;
  }
  [[gnu::noinline]] int64_t Sleb() {
    uint64_t value = 0;
    int shift = 0;
    uint8_t byte = 0;
    do {
      byte = Fixed<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      shift += 7;
    } while (ok_ && byte >= 0x80 && shift < 63);
    if (shift < 64 && (byte & 0x40)) value |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(value);
  }
  // Reads a pointer in a DW_EH_PE encoding. Returns 0 and clears ok() for encodings that GCC and
  // Clang do not emit in .eh_frame.
  uint64_t Encoded(uint8_t encoding) {
    uint64_t place = at_;
    uint64_t value = 0;
    switch (encoding & kFormatBits) {
      case DW_EH_PE_absptr:
      case DW_EH_PE_udata8:
      case DW_EH_PE_sdata8:
        value = Fixed<uint64_t>();
        break;
      case DW_EH_PE_uleb128:
        value = Uleb();
        break;
      case DW_EH_PE_sleb128:
        value = static_cast<uint64_t>(Sleb());
        break;
      case DW_EH_PE_udata2:
        value = Fixed<uint16_t>();
        break;
      case DW_EH_PE_sdata2:
        value = static_cast<uint64_t>(int64_t{Fixed<int16_t>()});
        break;
      case DW_EH_PE_udata4:
        value = Fixed<uint32_t>();
        break;
      case DW_EH_PE_sdata4:
        value = static_cast<uint64_t>(int64_t{Fixed<int32_t>()});
        break;
      default:
        ok_ = false;
    }
    if ((encoding & kBaseBits) == DW_EH_PE_pcrel) value += place;
    return value;
  }

 private:
  // Reads a number of 1, 2, 4 or 8 bytes.
  [[gnu::noinline]] uint64_t Load(uint32_t bytes) {
    uint64_t value = 0;
    uint8_t byte = 0;
    uint16_t half = 0;
    uint32_t word = 0;
    if (end_ - at_ < bytes || at_ > end_) {
      ok_ = false;
    } else if (bytes == 1) {
      ok_ = memory_.Read(at_, &byte) && ok_;
    } else if (bytes == 2) {
      ok_ = memory_.Read(at_, &half) && ok_;
    } else if (bytes == 4) {
      ok_ = memory_.Read(at_, &word) && ok_;
    } else {
      ok_ = memory_.Read(at_, &value) && ok_;
    }
    if (!ok_) return 0;
    at_ += bytes;
    return value | byte | half | word;
  }

  const Memory& memory_;
  uint64_t at_, end_;
  bool ok_ = true;
};

struct Cie {
  uint64_t code_align = 1;
  int64_t data_align = 1;
  uint8_t fde_encoding = 0;
  bool has_augmentation = false;
  bool signal_frame = false;
  uint64_t instructions = 0, end = 0;
};

struct Fde {
  Cie cie;
  uint64_t begin = 0, size = 0;  // code addresses
  uint64_t instructions = 0, end = 0;
};

// Prefetches the memory at `address`, if the Memory policy supports that.
template <class Memory>
void Fetch(const Memory& memory, uint64_t address) {
  if constexpr (requires { memory.Fetch(address); }) memory.Fetch(address);
}

// A range of entries of the search table of .eh_frame_hdr. For an address that belongs to it, the
// first entry above the address is in [low, high].
struct FdeRange {
  uint32_t low = 0, high = 0;
  uint32_t table = 0;  // offset of the table from .eh_frame_hdr; 0 = unknown
};

// Returns the range of the whole search table. Returns an empty range if the table cannot be read
// or has a form that compilers do not emit.
template <class Memory>
FdeRange WholeTable(const Memory& memory, uint64_t eh_frame_hdr) {
  uint32_t header = 0;
  if (!memory.Read(eh_frame_hdr, &header)) return {};
  constexpr uint32_t kVersion = 1, kTableEncoding = DW_EH_PE_datarel | DW_EH_PE_sdata4;
  if ((header & 0xff) != kVersion || header >> 24 != kTableEncoding) return {};
  CfiReader reader(memory, eh_frame_hdr + 4, eh_frame_hdr + 64);
  reader.Encoded(header >> 8 & 0xff);  // pointer to .eh_frame: not needed
  const uint64_t count = reader.Encoded(header >> 16 & 0xff);
  if (!reader.ok() || count == 0 || count > (1u << 26)) return {};
  return {0, static_cast<uint32_t>(count), static_cast<uint32_t>(reader.at() - eh_frame_hdr)};
}

// Returns the address of the FDE for `pc`, found in the sorted search table of .eh_frame_hdr.
// Returns 0 if there is none. `known` is the range of the table for the page (kCodePage) around
// `pc`; if it is empty, the function fills it in.
constexpr uint64_t kCodePage = 4096;
template <class Memory>
uint64_t FindFde(const Memory& memory, uint64_t eh_frame_hdr, uint64_t pc,
                 FdeRange* known = nullptr) {
  const bool learn = known != nullptr && known->table == 0;
  FdeRange page = known != nullptr && !learn ? *known : WholeTable(memory, eh_frame_hdr);
  if (page.table == 0) return 0;
  const uint64_t table = eh_frame_hdr + page.table;
  const uint64_t first = pc & ~(kCodePage - 1), last = first + (kCodePage - 1);
  uint64_t low = page.low, high = page.high;  // first entry whose start is above pc
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    int32_t start = 0;
    // The table may have megabytes, and each probe would wait for memory. Before the comparison,
    // prefetch both entries that the next probe may read.
    Fetch(memory, table + (low + middle) / 2 * 8);
    Fetch(memory, table + (middle + 1 + high) / 2 * 8);
    if (!memory.Read(table + middle * 8, &start)) return 0;
    const uint64_t begin = eh_frame_hdr + static_cast<uint64_t>(int64_t{start});
    if (begin <= pc) {
      low = middle + 1;
      if (begin <= first) page.low = static_cast<uint32_t>(low);
    } else {
      high = middle;
      if (begin > last) page.high = static_cast<uint32_t>(high);
    }
  }
  if (learn) *known = page;
  int32_t offset = 0;
  if (low == 0 || !memory.Read(table + (low - 1) * 8 + 4, &offset)) return 0;
  return eh_frame_hdr + static_cast<uint64_t>(int64_t{offset});
}

template <class Memory>
bool ParseCie(const Memory& memory, uint64_t address, Cie* cie) {
  uint32_t length = 0;
  if (!memory.Read(address, &length) || length < 8 || length >= 0xfffffff0) return false;
  CfiReader reader(memory, address + 4, address + 4 + length);
  if (reader.template Fixed<uint32_t>() != 0) return false;  // a CIE has id 0 in .eh_frame
  auto version = reader.template Fixed<uint8_t>();
  if (version != 1 && version != 3) return false;
  char augmentation[8] = {};
  for (int i = 0; i < 8; ++i) {
    augmentation[i] = static_cast<char>(reader.template Fixed<uint8_t>());
    if (augmentation[i] == 0) break;
    if (i == 7) return false;
  }
  cie->code_align = reader.Uleb();
  cie->data_align = reader.Sleb();
  uint64_t ra = version == 1 ? reader.template Fixed<uint8_t>() : reader.Uleb();
  if (ra != kDwarfRa) return false;
  uint64_t after = 0;
  for (int i = 0; augmentation[i] != 0; ++i) {
    switch (augmentation[i]) {
      case 'z': {
        cie->has_augmentation = true;
        uint64_t bytes = reader.Uleb();
        after = reader.at() + bytes;
        break;
      }
      case 'R':
        cie->fde_encoding = reader.template Fixed<uint8_t>();
        break;
      case 'P': {
        auto encoding = reader.template Fixed<uint8_t>();
        reader.Encoded(encoding);
        break;
      }
      case 'L':
        reader.template Fixed<uint8_t>();
        break;
      case 'S':
        cie->signal_frame = true;
        break;
      case 'B':
        break;
      default:
        return false;
    }
  }
  if (!reader.ok()) return false;
  cie->instructions = after != 0 ? after : reader.at();
  cie->end = address + 4 + length;
  return true;
}

template <class Memory>
bool ParseFde(const Memory& memory, uint64_t address, Fde* fde) {
  uint32_t length = 0, cie_offset = 0;
  if (!memory.Read(address, &length) || length < 8 || length >= 0xfffffff0) return false;
  if (!memory.Read(address + 4, &cie_offset) || cie_offset == 0) return false;
  if (!ParseCie(memory, address + 4 - cie_offset, &fde->cie)) return false;
  CfiReader reader(memory, address + 8, address + 4 + length);
  fde->begin = reader.Encoded(fde->cie.fde_encoding);
  fde->size = reader.Encoded(fde->cie.fde_encoding & kFormatBits);
  if (fde->cie.has_augmentation) {
    uint64_t bytes = reader.Uleb();
    reader.Skip(bytes);
  }
  fde->instructions = reader.at();
  fde->end = address + 4 + length;
  return reader.ok();
}

}  // namespace gprofx::agent
