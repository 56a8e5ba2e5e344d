// Declares the part of the NVTX 3 interface that an injection library uses. Every copy of the NVTX
// headers since 3.0 has compiled this interface into programs. It is declared here because gprof-x
// builds without CUDA. Where the headers are installed, tests/unit/nvtx compares these declarations
// with them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gprofx::nvtx {

constexpr uint32_t kTableOfCallbacks = 1;  // NVTX_ETID_CALLBACKS
enum Module : int { kCore = 1, kCore2 = 5 };

using Function = void (*)();
using ExportTable = const void* (*)(uint32_t table);
struct Callbacks {  // NvtxExportTableCallbacks
  size_t struct_size;
  // Sets *table to an array of pointers to function pointers, indexed by callback id, and *size to
  // the number of its entries. Returns 0 if there is no such module.
  int (*module)(int module, Function*** table, unsigned int* size);
};

enum CoreCall : unsigned {
  kMarkEx = 1,
  kMarkA,
  kMarkW,
  kRangeStartEx,
  kRangeStartA,
  kRangeStartW,
  kRangeEnd,
  kRangePushEx,
  kRangePushA,
  kRangePushW,
  kRangePop,
};
enum Core2Call : unsigned {
  kDomainMarkEx = 1,
  kDomainRangeStartEx,
  kDomainRangeEnd,
  kDomainRangePushEx,
  kDomainRangePop,
  kDomainRegisterStringA = 10,
  kDomainRegisterStringW,
  kDomainCreateA,
  kDomainCreateW,
};

enum MessageType : int32_t { kMessageAscii = 1, kMessageWide = 2, kMessageRegistered = 3 };

struct Attributes {  // nvtxEventAttributes_t of versions 2 and 3
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type;
  int32_t reserved;
  uint64_t payload;
  int32_t message_type;
  union {
    const char* ascii;
    const wchar_t* wide;
    const void* registered;
  } message;
};
static_assert(sizeof(Attributes) == 48);

// Result of push and pop when no tool is present (NVTX_NO_PUSH_POP_TRACKING). We return it too, so
// programs notice no difference.
constexpr int kNoTracking = -2;

}  // namespace gprofx::nvtx
