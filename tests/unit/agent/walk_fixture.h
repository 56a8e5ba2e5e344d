// Stacks and rows made by hand, for walks on any processor: return addresses lie right below the
// CFA, where x86-64 has them and aarch64 may.
#pragma once

#include <map>

#include "recorded_memory.h"
#include "samplers/agent/unwind/walk.h"

namespace gprofx::agent {

constexpr uint64_t kStack = 0x7ffc00000000;
// One that functions keep and no rule knows by name: rbx, x19.
constexpr uint8_t kKept = machine::kHasLinkRegister ? 19 : 3;

struct TableRows {
  std::map<uint64_t, Row> rows;  // by exact pc
  int finds = 0;

  Row Find(uint64_t pc, bool) {
    ++finds;
    auto it = rows.find(pc);
    return it == rows.end() ? Row::Invalid(EndReason::kNoModule, kNoModuleIndex) : it->second;
  }
  bool InModule(uint64_t address) { return address >= 0x400000 && address < 0x500000; }
  int profiler = -1;  // module index
  bool IsProfiler(uint16_t module) const { return module == profiler; }
  bool Rules(uint64_t pc, uint8_t, CfiState* state) {
    *state = saved.count(pc) ? saved[pc] : CfiState{};
    return true;
  }
  std::map<uint64_t, CfiState> saved;
};

inline Row Make(CfaRule cfa, int offset, BpRule bp = BpRule::kSame, int bp_offset = 0,
                uint8_t reg = 0) {
  Row row;
  row.cfa = cfa;
  row.cfa_offset = offset;
  row.bp = bp;
  row.bp_offset = bp_offset;
  row.reg = reg;
  row.module = 1;
  if (machine::kHasLinkRegister)
    row.ra = bp == BpRule::kSame ? RaRule::kAtOffset : RaRule::kAboveBp;
  if (row.ra == RaRule::kAtOffset) row.bp_offset = -8;
  return row;
}

inline Registers At(uint64_t ip, uint64_t sp, uint64_t bp = 0) {
  Registers r{};
  r.r[machine::kInstructionPointer] = ip;
  r.r[kDwarfSp] = sp;
  r.r[kDwarfBp] = bp;
  return r;
}

struct Fixture {
  RecordedMemory memory;
  TableRows rows;
  NativeFrame buffer[256];

  WalkResult Walk(const Registers& start, const WalkResult& previous = {}) {
    Walker walker(memory, rows, buffer, 256);
    return walker.Walk(start, previous);
  }
  // Code that is no call before `ip`; or a call of a function by its name.
  void PutCode(uint64_t ip) {
    for (uint64_t i = 1; i <= 8; ++i) memory.Put<uint8_t>(ip - i, 0x90);
  }
  void PutCall(uint64_t ip) {
    PutCode(ip);
    if (machine::kHasLinkRegister) {
      memory.Put<uint32_t>(ip - 4, 0x94000000);
    } else {
      memory.Put<uint8_t>(ip - 5, 0xe8);
    }
  }
};

}  // namespace gprofx::agent
