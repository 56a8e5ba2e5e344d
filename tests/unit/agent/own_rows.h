// Rows of this very process, straight from its files' tables: no cache, no agent.
#pragma once

#include <link.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "samplers/agent/unwind/cfi.h"

namespace gprofx::agent {

struct OwnModule {
  uint64_t begin, end, eh_frame_hdr;
};

struct OwnModules {
  OwnModule list[256];
  uint32_t count = 0;

  void Read() {
    count = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* to) {
          static_cast<OwnModules*>(to)->Add(*info);
          return 0;
        },
        this);
  }
  const OwnModule* At(uint64_t pc) const {
    for (uint32_t i = 0; i < count; ++i) {
      if (pc >= list[i].begin && pc < list[i].end) return &list[i];
    }
    return nullptr;
  }

 private:
  void Add(const dl_phdr_info& info) {
    OwnModule module{~uint64_t{0}, 0, 0};
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const auto& header = info.dlpi_phdr[i];
      const uint64_t begin = info.dlpi_addr + header.p_vaddr;
      if (header.p_type == PT_GNU_EH_FRAME) module.eh_frame_hdr = begin;
      if (header.p_type != PT_LOAD) continue;
      module.begin = std::min(module.begin, begin);
      module.end = std::max(module.end, begin + header.p_memsz);
    }
    if (count < std::size(list)) list[count++] = module;
  }
};

template <class Memory>
struct OwnRows {
  const OwnModules& modules;
  const Memory& memory;

  Row Find(uint64_t pc, bool) const {
    CodeRange range;
    Row row = Row::Invalid(EndReason::kNoModule, kNoModuleIndex);
    if (const OwnModule* module = modules.At(pc); module != nullptr) {
      const auto index = static_cast<uint16_t>(module - modules.list);
      row = MakeRow(memory, module->eh_frame_hdr, pc, index, &range);
    }
    if (row.cfa == CfaRule::kInvalid && machine::IsSignalTrampoline(memory, pc + 1))
      row.cfa = CfaRule::kSignal;
    return Row::Unpack(row.Pack());  // as from the cache
  }
  bool InModule(uint64_t address) const { return modules.At(address) != nullptr; }
  bool IsProfiler(uint16_t) const { return false; }
  bool Rules(uint64_t pc, uint8_t reg, CfiState* state) const {
    const OwnModule* module = modules.At(pc);
    bool signal_frame = false;
    CodeRange range;
    if (module == nullptr) return false;
    return EvaluateCfi(memory, FindFde(memory, module->eh_frame_hdr, pc), pc, reg, state,
                       &signal_frame, &range) == CfiAnswer::kFound;
  }
};

}  // namespace gprofx::agent
