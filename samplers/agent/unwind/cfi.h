// Signal path. From an address to its unwind row: finds the FDE through .eh_frame_hdr and
// interprets it up to the address.
//
// Rows are made one by one when first needed and cached (row_cache.h): nothing is built ahead, so a
// process with a million FDEs pays only for the code that it runs, and no thread of ours is needed
// to build tables. Interpreting one FDE costs 0.2 to 0.5 us; the work is bounded by
// kMaxInstructions. Every load goes through the Memory policy and may fail (a module can be
// unmapped meanwhile). Method: DWARF 5 section 6.4, LSB .eh_frame, plus the expressions listed at
// ParseCfaExpression.
#pragma once

#include <cstdint>

#include "samplers/agent/unwind/row.h"

namespace gprofx::agent {

constexpr int kMaxInstructions = 4096;  // per FDE; libraries reach some hundreds
constexpr int kMaxRemember = 16;

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
    T value{};
    if (end_ - at_ < sizeof(T) || at_ > end_ || !memory_.Read(at_, &value)) {
      ok_ = false;
      return T{};
    }
    at_ += sizeof(T);
    return value;
  }
  uint64_t Uleb() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      auto byte = Fixed<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      if (!ok_ || byte < 0x80) break;
    }
    return value;
  }
  int64_t Sleb() {
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
  // A pointer in a DW_EH_PE encoding; 0 and !ok() for encodings that GCC and Clang do not emit in
  // .eh_frame.
  uint64_t Encoded(uint8_t encoding) {
    uint64_t place = at_;
    uint64_t value = 0;
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c:
        value = Fixed<uint64_t>();
        break;
      case 0x01:
        value = Uleb();
        break;
      case 0x09:
        value = static_cast<uint64_t>(Sleb());
        break;
      case 0x02:
        value = Fixed<uint16_t>();
        break;
      case 0x0a:
        value = static_cast<uint64_t>(int64_t{Fixed<int16_t>()});
        break;
      case 0x03:
        value = Fixed<uint32_t>();
        break;
      case 0x0b:
        value = static_cast<uint64_t>(int64_t{Fixed<int32_t>()});
        break;
      default:
        ok_ = false;
    }
    if ((encoding & 0x70) == 0x10) value += place;
    return value;
  }

 private:
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

// Finds the FDE for `pc` in the sorted table of .eh_frame_hdr. 0 = none, or a table of another form
// than compilers make.
template <class Memory>
uint64_t FindFde(const Memory& memory, uint64_t eh_frame_hdr, uint64_t pc) {
  uint32_t header = 0;
  if (!memory.Read(eh_frame_hdr, &header)) return 0;
  if ((header & 0xff) != 1 || header >> 24 != 0x3b) return 0;  // version 1, table datarel|sdata4
  CfiReader reader(memory, eh_frame_hdr + 4, eh_frame_hdr + 64);
  reader.Encoded(header >> 8 & 0xff);  // .eh_frame itself: not needed
  uint64_t count = reader.Encoded(header >> 16 & 0xff);
  if (!reader.ok() || count == 0 || count > (1u << 26)) return 0;
  uint64_t table = reader.at();
  uint64_t low = 0, high = count;  // first entry whose start is above pc
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    int32_t start = 0;
    if (!memory.Read(table + middle * 8, &start)) return 0;
    if (eh_frame_hdr + static_cast<uint64_t>(int64_t{start}) <= pc) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
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
  fde->size = reader.Encoded(fde->cie.fde_encoding & 0x0f);
  if (fde->cie.has_augmentation) {
    uint64_t bytes = reader.Uleb();
    reader.Skip(bytes);
  }
  fde->instructions = reader.at();
  fde->end = address + 4 + length;
  return reader.ok();
}

// What the interpreter tracks: the CFA, two registers (RBP and one more for RecoverRegister) and
// the return address.
struct CfiState {
  CfaRule cfa = CfaRule::kInvalid;
  uint8_t cfa_reg = 0;
  int64_t cfa_offset = 0;
  BpRule bp = BpRule::kSame;
  int64_t bp_offset = 0;
  BpRule other = BpRule::kSame;  // of `other_reg`
  int64_t other_offset = 0;
  bool ra_undefined = false;
  bool ra_strange = false;  // not at CFA-8
};

namespace internal {

// breg<n> offset [deref] [plus_uconst k]; and the PLT form: breg7+8 breg16+0 lit15 and lit<n> ge
// lit3 shl plus.
template <class Memory>
void ParseCfaExpression(const Memory& memory, uint64_t at, uint64_t bytes, CfiState* state) {
  CfiReader reader(memory, at, at + bytes);
  state->cfa = CfaRule::kInvalid;
  auto op = reader.template Fixed<uint8_t>();
  if (op < 0x70 || op > 0x8f) return;
  uint8_t reg = op - 0x70;
  int64_t offset = reader.Sleb();
  if (!reader.ok()) return;
  state->cfa_reg = reg;
  state->cfa_offset = offset;
  if (reader.AtEnd()) {
    state->cfa = reg == kDwarfSp ? CfaRule::kSp : reg == kDwarfBp ? CfaRule::kBp : CfaRule::kReg;
    return;
  }
  op = reader.template Fixed<uint8_t>();
  if (op == 0x06 && reader.AtEnd()) {
    state->cfa = CfaRule::kDeref;
    return;
  }
  if (reg != kDwarfSp || offset != 8 || op != 0x80 || reader.Sleb() != 0) return;
  const uint8_t expected[] = {0x3f, 0x1a, 0, 0x2a, 0x33, 0x24, 0x22};
  uint8_t threshold = 0;
  for (int i = 0; i < 7; ++i) {
    auto byte = reader.template Fixed<uint8_t>();
    if (i == 2) {
      threshold = byte - 0x30;
    } else if (byte != expected[i]) {
      return;
    }
  }
  if (!reader.ok() || threshold > 15) return;
  state->cfa = CfaRule::kPlt;
  state->cfa_offset = threshold;
}

template <class Memory>
class CfiMachine {
 public:
  CfiMachine(const Memory& memory, const Cie& cie, uint8_t other_reg)
      : memory_(memory), cie_(cie), other_reg_(other_reg) {}

  // Runs instructions until `location` would pass `pc`. False on a form that is not understood.
  bool Run(uint64_t at, uint64_t end, uint64_t location, uint64_t pc) {
    CfiReader reader(memory_, at, end);
    for (int i = 0; i < kMaxInstructions && !reader.AtEnd(); ++i) {
      begin = location;
      auto op = reader.template Fixed<uint8_t>();
      uint8_t low = op & 0x3f;
      switch (op >> 6) {
        case 1:
          location += low * cie_.code_align;
          break;
        case 2:
          SetOffset(low, static_cast<int64_t>(reader.Uleb()) * cie_.data_align);
          break;
        case 3:
          Restore(low);
          break;
        default:
          if (!Extended(low, &reader, &location)) return false;
      }
      if (location > pc) {
        next = location;
        return true;
      }
    }
    begin = location;
    return reader.ok();
  }

  uint64_t begin = 0, next = ~uint64_t{0};  // the rules hold for [begin, next)
  CfiState state;
  CfiState initial;  // after the CIE's instructions

 private:
  bool Extended(uint8_t op, CfiReader<Memory>* reader, uint64_t* location) {
    switch (op) {
      case 0x00:
        break;  // nop
      case 0x01:
        *location = reader->Encoded(cie_.fde_encoding);
        break;
      case 0x02:
        *location += reader->template Fixed<uint8_t>() * cie_.code_align;
        break;
      case 0x03:
        *location += reader->template Fixed<uint16_t>() * cie_.code_align;
        break;
      case 0x04:
        *location += reader->template Fixed<uint32_t>() * cie_.code_align;
        break;
      case 0x05: {
        uint64_t reg = reader->Uleb();
        SetOffset(reg, static_cast<int64_t>(reader->Uleb()) * cie_.data_align);
        break;
      }
      case 0x06:
        Restore(reader->Uleb());
        break;
      case 0x07:
        SetUndefined(reader->Uleb());
        break;
      case 0x08:
        SetSame(reader->Uleb());
        break;
      case 0x09: {  // register: the value of one in another
        uint64_t reg = reader->Uleb();
        reader->Uleb();
        if (reg == kDwarfRa) state.ra_strange = true;
        break;
      }
      case 0x0a:
        if (depth_ >= kMaxRemember) return false;
        remembered_[depth_++] = state;
        break;
      case 0x0b:
        if (depth_ == 0) return false;
        state = remembered_[--depth_];
        break;
      case 0x0c: {
        uint64_t reg = reader->Uleb();
        SetCfa(reg, static_cast<int64_t>(reader->Uleb()));
        break;
      }
      case 0x0d:
        SetCfa(reader->Uleb(), state.cfa_offset);
        break;
      case 0x0e:
        state.cfa_offset = static_cast<int64_t>(reader->Uleb());
        break;
      case 0x0f: {
        uint64_t bytes = reader->Uleb();
        ParseCfaExpression(memory_, reader->at(), bytes, &state);
        reader->Skip(bytes);
        break;
      }
      case 0x10: {
        uint64_t reg = reader->Uleb();
        uint64_t bytes = reader->Uleb();
        SetExpression(reg, reader->at(), bytes);
        reader->Skip(bytes);
        break;
      }
      case 0x11: {
        uint64_t reg = reader->Uleb();
        SetOffset(reg, reader->Sleb() * cie_.data_align);
        break;
      }
      case 0x12: {
        uint64_t reg = reader->Uleb();
        SetCfa(reg, reader->Sleb() * cie_.data_align);
        break;
      }
      case 0x13:
        state.cfa_offset = reader->Sleb() * cie_.data_align;
        break;
      case 0x14:
      case 0x15: {  // val_offset: only strange registers use it
        uint64_t reg = reader->Uleb();
        reader->Uleb();
        if (reg == kDwarfRa) state.ra_strange = true;
        break;
      }
      case 0x16: {
        uint64_t reg = reader->Uleb();
        uint64_t bytes = reader->Uleb();
        reader->Skip(bytes);
        if (reg == kDwarfRa) state.ra_strange = true;
        break;
      }
      case 0x2e:
        reader->Uleb();
        break;  // GNU_args_size
      default:
        return false;
    }
    return reader->ok();
  }

  void SetCfa(uint64_t reg, int64_t offset) {
    state.cfa = reg == kDwarfSp ? CfaRule::kSp : reg == kDwarfBp ? CfaRule::kBp : CfaRule::kReg;
    state.cfa_reg = static_cast<uint8_t>(reg);
    state.cfa_offset = offset;
    if (reg > 15) state.cfa = CfaRule::kInvalid;
  }
  void SetOffset(uint64_t reg, int64_t offset) {
    if (reg == kDwarfBp) {
      state.bp = BpRule::kAtCfa;
      state.bp_offset = offset;
    } else if (reg == kDwarfRa) {
      state.ra_undefined = false;
      state.ra_strange = offset != -8;
    }
    if (reg == other_reg_) {
      state.other = BpRule::kAtCfa;
      state.other_offset = offset;
    }
  }
  void SetExpression(uint64_t reg, uint64_t at, uint64_t bytes) {
    CfiState probe;
    ParseCfaExpression(memory_, at, bytes, &probe);
    bool at_bp = probe.cfa == CfaRule::kBp;
    if (reg == kDwarfBp) {
      state.bp = BpRule::kAtBp;
      state.bp_offset = probe.cfa_offset;
      if (!at_bp) state.cfa = CfaRule::kInvalid;
    } else if (reg == kDwarfRa) {
      state.ra_strange = true;
    }
    if (reg == other_reg_ && at_bp) {
      state.other = BpRule::kAtBp;
      state.other_offset = probe.cfa_offset;
    }
  }
  void SetUndefined(uint64_t reg) {
    if (reg == kDwarfRa) state.ra_undefined = true;
    SetSame(reg);
  }
  void SetSame(uint64_t reg) {
    if (reg == kDwarfBp) state.bp = BpRule::kSame;
    if (reg == other_reg_) state.other = BpRule::kSame;
  }
  void Restore(uint64_t reg) {
    if (reg == kDwarfBp) {
      state.bp = initial.bp;
      state.bp_offset = initial.bp_offset;
    } else if (reg == kDwarfRa) {
      state.ra_undefined = initial.ra_undefined;
      state.ra_strange = initial.ra_strange;
    }
    if (reg == other_reg_) {
      state.other = initial.other;
      state.other_offset = initial.other_offset;
    }
  }

  const Memory& memory_;
  const Cie& cie_;
  const uint8_t other_reg_;
  CfiState remembered_[kMaxRemember];
  int depth_ = 0;
};

}  // namespace internal

enum class CfiAnswer { kFound, kNoRow, kBadRule };

struct CodeRange {  // [begin, end)
  uint64_t begin = 0, end = 0;
};

// The rules at `pc` of the FDE at `fde_address`. `other_reg`: a DWARF register to track besides RBP
// (255 = none). *range: where the same rules hold.
template <class Memory>
CfiAnswer EvaluateCfi(const Memory& memory, uint64_t fde_address, uint64_t pc, uint8_t other_reg,
                      CfiState* out, bool* signal_frame, CodeRange* range) {
  Fde fde;
  if (fde_address == 0 || !ParseFde(memory, fde_address, &fde)) return CfiAnswer::kNoRow;
  if (pc < fde.begin || pc - fde.begin >= fde.size) return CfiAnswer::kNoRow;
  *signal_frame = fde.cie.signal_frame;
  internal::CfiMachine<Memory> machine(memory, fde.cie, other_reg);
  machine.initial.ra_strange = true;  // until the CIE says CFA-8
  machine.state.ra_strange = true;
  if (!machine.Run(fde.cie.instructions, fde.cie.end, 0, ~uint64_t{0})) return CfiAnswer::kBadRule;
  machine.initial = machine.state;
  if (!machine.Run(fde.instructions, fde.end, fde.begin, pc)) return CfiAnswer::kBadRule;
  *out = machine.state;
  uint64_t end = fde.begin + fde.size;
  *range = {machine.begin, machine.next < end ? machine.next : end};
  return CfiAnswer::kFound;
}

// Makes the row for `pc` (already return address - 1 for callers). `module` is only carried along.
// *range: the addresses that have the same row, at least `pc`.
template <class Memory>
Row MakeRow(const Memory& memory, uint64_t eh_frame_hdr, uint64_t pc, uint16_t module,
            CodeRange* range) {
  *range = {pc, pc + 1};
  if (eh_frame_hdr == 0) return Row::Invalid(EndReason::kNoRow, module);
  CfiState state;
  bool signal_frame = false;
  CfiAnswer answer =
      EvaluateCfi(memory, FindFde(memory, eh_frame_hdr, pc), pc, 255, &state, &signal_frame, range);
  if (answer == CfiAnswer::kNoRow) return Row::Invalid(EndReason::kNoRow, module);
  Row row;
  row.module = module;
  if (answer == CfiAnswer::kFound && signal_frame) {
    row.cfa = CfaRule::kSignal;
    return row;
  }
  if (answer == CfiAnswer::kFound && state.ra_undefined) {
    row.cfa = CfaRule::kEnd;
    return row;
  }
  row.cfa = state.cfa;
  row.bp = state.bp;
  row.reg = state.cfa_reg;
  row.cfa_offset = static_cast<int32_t>(state.cfa_offset);
  row.bp_offset = static_cast<int32_t>(state.bp_offset);
  bool fits =
      state.cfa_offset == row.cfa_offset && state.bp_offset == row.bp_offset && row.Packable();
  if (answer != CfiAnswer::kFound || state.ra_strange || !fits || row.cfa == CfaRule::kInvalid) {
    return Row::Invalid(EndReason::kBadRule, module);
  }
  return row;
}

}  // namespace gprofx::agent
