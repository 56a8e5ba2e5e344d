// Runs in signal handlers. Computes the unwind row of an address: finds the FDE for the address
// through .eh_frame_hdr and interprets its instructions up to the address.
//
// Rows are computed on demand, one by one, and cached (rows.h). Nothing is built in advance, so a
// process with a million FDEs pays only for the code that it runs, and no thread of ours is needed
// to build tables. Interpreting one FDE costs 0.2 to 0.5 us, and 2 us on cold caches;
// kMaxInstructions bounds the work. Every load goes through the Memory policy and may fail, because
// a module can be unmapped meanwhile. Method: DWARF 5 section 6.4, LSB .eh_frame, plus the
// expressions listed at ParseCfaExpression.
#pragma once

#include <dwarf.h>

#include <cstdint>

#include "samplers/agent/unwind/eh_frame.h"
#include "samplers/agent/unwind/row.h"

namespace gprofx::agent {

constexpr int kMaxInstructions = 4096;  // per FDE; in real libraries at most some hundreds
constexpr int kMaxRemember = 16;
// In instructions whose code is in the two high bits, these bits hold an operand.
constexpr uint8_t kLowBits = 0x3f;

// State of the interpreter: the rules for the CFA, for the return address, for RBP, and for one
// more register, which RecoverRegister needs.
struct CfiState {
  int64_t cfa_offset = 0;
  int64_t bp_offset = 0;
  int64_t other_offset = 0;  // for the register that RecoverRegister asks for
  CfaRule cfa = CfaRule::kInvalid;
  BpRule bp = BpRule::kSame;
  BpRule other = BpRule::kSame;
  uint8_t cfa_reg = 0;
  bool ra_undefined = false;
  bool ra_strange = false;  // the return address is saved in a way that no RaRule describes
  int16_t ra_word = 0;  // aarch64: the return address is at CFA + 8 * ra_word; 0 = in its register
};
// Small, because many of them are on the signal handler's stack.
static_assert(sizeof(CfiState) == 32);

namespace internal {

// Parses the DWARF expression of a CFA into state->cfa. Knows the form breg<n> offset [deref]
// [plus_uconst k] and that of PLTs: breg7+8 breg16+0 lit15 and lit<n> ge lit3 shl plus. For any
// other expression the rule is kInvalid.
template <class Memory>
void ParseCfaExpression(const Memory& memory, uint64_t at, uint64_t bytes, CfiState* state) {
  CfiReader reader(memory, at, at + bytes);
  state->cfa = CfaRule::kInvalid;
  auto op = reader.template Fixed<uint8_t>();
  if (op < DW_OP_breg0 || op > DW_OP_breg31) return;
  const uint8_t reg = op - DW_OP_breg0;
  int64_t offset = reader.Sleb();
  if (!reader.ok()) return;
  state->cfa_reg = reg;
  state->cfa_offset = offset;
  if (reader.AtEnd()) {
    state->cfa = reg == kDwarfSp ? CfaRule::kSp : reg == kDwarfBp ? CfaRule::kBp : CfaRule::kReg;
    return;
  }
  op = reader.template Fixed<uint8_t>();
  if (op == DW_OP_deref && reader.AtEnd()) {
    state->cfa = CfaRule::kDeref;
    return;
  }
  if (reg != kDwarfSp || offset != 8 || op != DW_OP_breg16 || reader.Sleb() != 0) return;
  const uint8_t expected[] = {DW_OP_lit15, DW_OP_and, DW_OP_lit0, DW_OP_ge,
                              DW_OP_lit3,  DW_OP_shl, DW_OP_plus};
  uint8_t threshold = 0;
  for (int i = 0; i < 7; ++i) {
    auto byte = reader.template Fixed<uint8_t>();
    if (i == 2) {
      threshold = byte - DW_OP_lit0;
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

  // Executes instructions up to the row that contains `pc`. `location` is the address at which the
  // first row begins. Returns false if an instruction or a form is not supported.
  bool Run(uint64_t at, uint64_t end, uint64_t location, uint64_t pc) {
    CfiReader reader(memory_, at, end);
    for (int i = 0; i < kMaxInstructions && !reader.AtEnd(); ++i) {
      begin = location;
      auto op = reader.template Fixed<uint8_t>();
      const uint8_t low = op & kLowBits;
      switch (op & ~kLowBits) {
        case DW_CFA_advance_loc:
          location += low * cie_.code_align;
          break;
        case DW_CFA_offset:
          SetOffset(low, static_cast<int64_t>(reader.Uleb()) * cie_.data_align);
          break;
        case DW_CFA_restore:
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
  CfiState initial;  // state after the CIE's instructions, for DW_CFA_restore

 private:
  bool Extended(uint8_t op, CfiReader<Memory>* reader, uint64_t* location) {
    switch (op) {
      case DW_CFA_nop:
        break;
      case DW_CFA_set_loc:
        *location = reader->Encoded(cie_.fde_encoding);
        break;
      case DW_CFA_advance_loc1:
        *location += reader->template Fixed<uint8_t>() * cie_.code_align;
        break;
      case DW_CFA_advance_loc2:
        *location += reader->template Fixed<uint16_t>() * cie_.code_align;
        break;
      case DW_CFA_advance_loc4:
        *location += reader->template Fixed<uint32_t>() * cie_.code_align;
        break;
      case DW_CFA_offset_extended: {
        uint64_t reg = reader->Uleb();
        SetOffset(reg, static_cast<int64_t>(reader->Uleb()) * cie_.data_align);
        break;
      }
      case DW_CFA_restore_extended:
        Restore(reader->Uleb());
        break;
      case DW_CFA_undefined:
        SetUndefined(reader->Uleb());
        break;
      case DW_CFA_same_value:
        SetSame(reader->Uleb());
        break;
      case DW_CFA_register: {  // the value is in another register
        uint64_t reg = reader->Uleb();
        reader->Uleb();
        if (reg == kDwarfRa) state.ra_strange = true;
        break;
      }
      case DW_CFA_remember_state:
        if (depth_ >= kMaxRemember) return false;
        remembered_[depth_++] = state;
        break;
      case DW_CFA_restore_state:
        if (depth_ == 0) return false;
        state = remembered_[--depth_];
        break;
      case DW_CFA_def_cfa: {
        uint64_t reg = reader->Uleb();
        SetCfa(reg, static_cast<int64_t>(reader->Uleb()));
        break;
      }
      case DW_CFA_def_cfa_register:
        SetCfa(reader->Uleb(), state.cfa_offset);
        break;
      case DW_CFA_def_cfa_offset:
        state.cfa_offset = static_cast<int64_t>(reader->Uleb());
        break;
      case DW_CFA_def_cfa_expression: {
        uint64_t bytes = reader->Uleb();
        ParseCfaExpression(memory_, reader->at(), bytes, &state);
        reader->Skip(bytes);
        break;
      }
      case DW_CFA_expression: {
        uint64_t reg = reader->Uleb();
        uint64_t bytes = reader->Uleb();
        SetExpression(reg, reader->at(), bytes);
        reader->Skip(bytes);
        break;
      }
      case DW_CFA_offset_extended_sf: {
        uint64_t reg = reader->Uleb();
        SetOffset(reg, reader->Sleb() * cie_.data_align);
        break;
      }
      case DW_CFA_def_cfa_sf: {
        uint64_t reg = reader->Uleb();
        SetCfa(reg, reader->Sleb() * cie_.data_align);
        break;
      }
      case DW_CFA_def_cfa_offset_sf:
        state.cfa_offset = reader->Sleb() * cie_.data_align;
        break;
      case DW_CFA_val_offset:
      case DW_CFA_val_offset_sf: {  // only unusual registers use it
        uint64_t reg = reader->Uleb();
        reader->Uleb();
        if (reg == kDwarfRa) state.ra_strange = true;
        break;
      }
      case DW_CFA_val_expression: {
        uint64_t reg = reader->Uleb();
        uint64_t bytes = reader->Uleb();
        reader->Skip(bytes);
        if (reg == kDwarfRa) state.ra_strange = true;
        break;
      }
      case DW_CFA_AARCH64_negate_ra_state:  // signatures are always stripped
        if (!machine::kSignsReturnAddresses) return false;
        break;
      case DW_CFA_GNU_args_size:
        reader->Uleb();
        break;
      default:
        return false;
    }
    return reader->ok();
  }

  void SetCfa(uint64_t reg, int64_t offset) {
    state.cfa = reg == kDwarfSp ? CfaRule::kSp : reg == kDwarfBp ? CfaRule::kBp : CfaRule::kReg;
    state.cfa_reg = static_cast<uint8_t>(reg);
    state.cfa_offset = offset;
    if (reg > machine::kLastBase) state.cfa = CfaRule::kInvalid;
  }
  void SetOffset(uint64_t reg, int64_t offset) {
    if (reg == kDwarfBp) {
      state.bp = BpRule::kAtCfa;
      state.bp_offset = offset;
    } else if (reg == kDwarfRa) {
      state.ra_undefined = false;
      SetPlaceOfRa(offset);
    }
    if (reg == other_reg_) {
      state.other = BpRule::kAtCfa;
      state.other_offset = offset;
    }
  }
  void SetPlaceOfRa(int64_t offset) {
    if constexpr (machine::kHasLinkRegister) {
      state.ra_word = static_cast<int16_t>(offset / 8);
      state.ra_strange = offset == 0 || state.ra_word * int64_t{8} != offset;
    } else {
      state.ra_strange = offset != -8;
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
    if (machine::kHasLinkRegister && reg == kDwarfRa) {
      state.ra_word = 0;
      state.ra_strange = false;
    }
    if (reg == other_reg_) state.other = BpRule::kSame;
  }
  void Restore(uint64_t reg) {
    if (reg == kDwarfBp) {
      state.bp = initial.bp;
      state.bp_offset = initial.bp_offset;
    } else if (reg == kDwarfRa) {
      state.ra_undefined = initial.ra_undefined;
      state.ra_strange = initial.ra_strange;
      state.ra_word = initial.ra_word;
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

// Evaluates the FDE at `fde_address` up to `pc`. `other_reg` is the DWARF number of a register to
// track besides RBP (255 = none). Sets *range to the addresses around `pc` where the same rules
// hold.
template <class Memory>
CfiAnswer EvaluateCfi(const Memory& memory, uint64_t fde_address, uint64_t pc, uint8_t other_reg,
                      CfiState* out, bool* signal_frame, CodeRange* range) {
  Fde fde;
  if (fde_address == 0 || !ParseFde(memory, fde_address, &fde)) return CfiAnswer::kNoRow;
  if (pc < fde.begin || pc - fde.begin >= fde.size) return CfiAnswer::kNoRow;
  *signal_frame = fde.cie.signal_frame;
  internal::CfiMachine<Memory> machine(memory, fde.cie, other_reg);
  // Until the CIE says that the return address is saved at CFA-8, no supported rule applies to it.
  machine.initial.ra_strange = machine.state.ra_strange = !gprofx::agent::machine::kHasLinkRegister;
  if (!machine.Run(fde.cie.instructions, fde.cie.end, 0, ~uint64_t{0})) return CfiAnswer::kBadRule;
  machine.initial = machine.state;
  if (!machine.Run(fde.instructions, fde.end, fde.begin, pc)) return CfiAnswer::kBadRule;
  *out = machine.state;
  uint64_t end = fde.begin + fde.size;
  *range = {machine.begin, machine.next < end ? machine.next : end};
  return CfiAnswer::kFound;
}

namespace internal {

// Sets the row's rule for the return address. Returns false if no rule describes where the address
// is saved.
inline bool SetRa(const CfiState& state, Row* row) {
  if constexpr (machine::kHasLinkRegister) {
    const int64_t ra = state.ra_word * int64_t{8};
    if (state.ra_word == 0) {
      row->ra = RaRule::kInRegister;
    } else if (row->bp == BpRule::kSame) {
      row->ra = RaRule::kAtOffset;
      row->bp_offset = static_cast<int32_t>(ra);
    } else if (row->bp == BpRule::kAtCfa && ra == state.bp_offset + 8) {
      row->ra = RaRule::kAboveBp;
    } else {
      return false;
    }
  }
  return !state.ra_strange;
}

}  // namespace internal

// Returns the unwind row for `pc`. (For callers, `pc` must be the return address - 1.) Copies
// `module` into the row. Sets *range to addresses around `pc` that have the same row. `known` is
// passed on to FindFde.
template <class Memory>
Row MakeRow(const Memory& memory, uint64_t eh_frame_hdr, uint64_t pc, uint16_t module,
            CodeRange* range, FdeRange* known = nullptr) {
  *range = {pc, pc + 1};
  if (eh_frame_hdr == 0) return Row::Invalid(EndReason::kNoRow, module);
  CfiState state;
  bool signal_frame = false;
  const uint64_t fde = FindFde(memory, eh_frame_hdr, pc, known);
  CfiAnswer answer = EvaluateCfi(memory, fde, pc, 255, &state, &signal_frame, range);
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
  const bool fits = state.cfa_offset == row.cfa_offset && state.bp_offset == row.bp_offset;
  const bool ra = internal::SetRa(state, &row);
  if (answer != CfiAnswer::kFound || !ra || !fits || !row.Packable() ||
      row.cfa == CfaRule::kInvalid) {
    return Row::Invalid(EndReason::kBadRule, module);
  }
  return row;
}

}  // namespace gprofx::agent
