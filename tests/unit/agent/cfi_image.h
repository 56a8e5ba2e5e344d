// An .eh_frame with one CIE and one FDE for [kCode, kCode + 0x100), and its .eh_frame_hdr, built
// byte by byte.
#pragma once

#include <vector>

#include "recorded_memory.h"
#include "samplers/agent/unwind/cfi.h"

namespace gprofx::agent {

constexpr uint64_t kHeader = 0x10000, kFrames = 0x20000, kCode = 0x30000;

// Of the CIE: alignment of code and of data, return address; the first instructions.
struct CommonEntry {
  std::vector<uint8_t> numbers = {machine::kHasLinkRegister ? uint8_t{4} : uint8_t{1}, 0x78,
                                  kDwarfRa};
  std::vector<uint8_t> initial = machine::kHasLinkRegister
                                     ? std::vector<uint8_t>{0x0c, kDwarfSp, 0}
                                     : std::vector<uint8_t>{0x0c, kDwarfSp, 8, 0x90, 1};
};

struct Image {
  RecordedMemory memory;

  explicit Image(const std::vector<uint8_t>& instructions, const char* augmentation = "zR",
                 const CommonEntry& common = {}) {
    std::vector<uint8_t> cie = {1};
    for (const char* c = augmentation;; ++c) {
      cie.push_back(static_cast<uint8_t>(*c));
      if (*c == 0) break;
    }
    cie.insert(cie.end(), common.numbers.begin(), common.numbers.end());
    cie.insert(cie.end(), {1, 0x1b});  // 1 byte of augmentation: pcrel sdata4
    cie.insert(cie.end(), common.initial.begin(), common.initial.end());
    while ((cie.size() + 4) % 8 != 4) cie.push_back(0);
    uint64_t at = kFrames;
    memory.Put<uint32_t>(at, static_cast<uint32_t>(cie.size() + 4));
    memory.Put<uint32_t>(at + 4, 0);
    PutBytes(at + 8, cie);
    at += 8 + cie.size();
    const uint64_t fde = at;
    std::vector<uint8_t> body = instructions;
    while (body.size() % 8 != 7) body.push_back(0);
    memory.Put<uint32_t>(fde, static_cast<uint32_t>(4 + 8 + 1 + body.size()));
    memory.Put<uint32_t>(fde + 4, static_cast<uint32_t>(fde + 4 - kFrames));
    memory.Put<int32_t>(fde + 8, static_cast<int32_t>(kCode - (fde + 8)));
    memory.Put<uint32_t>(fde + 12, 0x100);
    memory.Put<uint8_t>(fde + 16, 0);
    PutBytes(fde + 17, body);
    memory.Put<uint32_t>(kHeader, 0x3b031b01);
    memory.Put<int32_t>(kHeader + 4, static_cast<int32_t>(kFrames - kHeader - 4));
    memory.Put<uint32_t>(kHeader + 8, 1);
    memory.Put<int32_t>(kHeader + 12, static_cast<int32_t>(kCode - kHeader));
    memory.Put<int32_t>(kHeader + 16, static_cast<int32_t>(fde - kHeader));
  }
  void PutBytes(uint64_t at, const std::vector<uint8_t>& bytes) {
    for (uint8_t b : bytes) memory.Put<uint8_t>(at++, b);
  }
  Row At(uint64_t offset) const {
    CodeRange range;
    return MakeRow(memory, kHeader, kCode + offset, 3, &range);
  }
};

}  // namespace gprofx::agent
