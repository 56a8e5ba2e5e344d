// Declares the records of the wire format: samples, stack nodes, modules, code objects. layout.h
// says where they are.
#pragma once

#include <atomic>
#include <cstdint>

namespace gprofx::wire {

// Kinds of frames. A frame has 64 bits: its kind, and below that its identity within the process.
enum class WireFrame : uint64_t {
  kNative = 1,    // module index (20 bits), offset from its load bias (40 bits)
  kAbsolute = 2,  // address outside all modules (48 bits)
  kPython =
      3,  // code id = arena offset / kArenaUnit (28 bits), byte offset of the instruction (32 bits)
  // The walk did not reach the outer frames of the stack. Contains the EndReason (8 bits) and, from
  // bit 40 on, the module in which the walk ended, or kNoWireModule.
  kTruncated = 4,
  // A leaf frame that names the PyTorch module for which the stack works. Contains the arena offset
  // of its LayerRecord / kArenaUnit (28 bits).
  kLayer = 5,
};

// Offset of the instruction in a Python frame that has not run an instruction yet.
constexpr uint64_t kNoInstruction = 0xffffffff;

constexpr uint64_t MakeNative(uint32_t module, uint64_t offset) {
  return uint64_t{1} << 60 | uint64_t{module & 0xfffff} << 40 | (offset & 0xffffffffff);
}
constexpr uint64_t MakeAbsolute(uint64_t address) {
  return uint64_t{2} << 60 | (address & 0xffffffffffff);
}
constexpr uint64_t MakePython(uint32_t code, uint32_t instruction) {
  return uint64_t{3} << 60 | uint64_t{code & 0xfffffff} << 32 | instruction;
}
constexpr uint32_t kTruncatedByDepth = 5;    // EndReason::kDepth of the agent
constexpr uint32_t kNoWireModule = 0xfffff;  // the code was generated at run time
constexpr uint64_t MakeTruncated(uint32_t reason, uint32_t module) {
  return uint64_t{4} << 60 | uint64_t{module & 0xfffff} << 40 | (reason & 0xff);
}
constexpr uint64_t MakeLayer(uint32_t layer) { return uint64_t{5} << 60 | (layer & 0xfffffff); }
constexpr uint32_t LayerOf(uint64_t frame) { return frame & 0xfffffff; }
constexpr WireFrame KindOf(uint64_t frame) { return static_cast<WireFrame>(frame >> 60); }
constexpr uint32_t NativeModule(uint64_t frame) { return frame >> 40 & 0xfffff; }
constexpr uint32_t TruncatedIn(uint64_t frame) { return frame >> 40 & 0xfffff; }
constexpr uint32_t TruncatedBy(uint64_t frame) { return frame & 0xff; }
constexpr uint64_t NativeOffset(uint64_t frame) { return frame & 0xffffffffff; }
constexpr uint64_t AbsoluteAddress(uint64_t frame) { return frame & 0xffffffffffff; }
constexpr uint32_t PythonCode(uint64_t frame) { return frame >> 32 & 0xfffffff; }
constexpr uint32_t PythonInstruction(uint64_t frame) { return static_cast<uint32_t>(frame); }

// Stack nodes. A node is a frame and its parent node; equal stacks share one chain of nodes. Index
// 0 is the empty stack. A node is written before its index is published (in the hash or a ring),
// and never changes. Some nodes may not be used by any sample.
struct NodeRecord {
  uint64_t frame;
  uint32_t parent;  // smaller than the node's own index
  uint32_t reserved;
};
static_assert(sizeof(NodeRecord) == 16);

// One sample. `when` = time (48 bits, ns since ControlPage::start_ns) << 16 | flags.
struct SampleRecord {
  uint64_t when;
  uint32_t node;
  // ns of the sampled clock since the thread's previous sample, at most UINT32_MAX.
  uint32_t weight;
};
static_assert(sizeof(SampleRecord) == 16);

enum SampleFlags : uint16_t {  // same bits as gprofx::SampleState
  kSampleNoPython = 0,
  kSampleGilHeld = 1,
  kSampleGilReleased = 2,
  kSampleStateMask = 3,
  kSampleIdle = 4,
  kSampleTruncated = 8,
  kSamplePythonTorn = 16,
  // CUDA calls of the thread, which are entries of its ring but no samples. Bits 8 to 15 are the
  // GpuCall (gpu.h).
  kRecordLaunch = 32,  // a call that puts work on a GPU begins; weight = its correlation id
  kRecordCall = 64,    // a call ended; weight = its duration in ns (longer ones are split)
  // The next sample has no stack. Bits 8 to 15 are the reason (Unseen). node and weight are the low
  // and the high half of the thread's instruction pointer; 0 = unknown.
  kRecordUnseen = 128,
};
constexpr uint8_t CallOf(uint16_t flags) { return static_cast<uint8_t>(flags >> 8); }
constexpr bool IsSample(uint16_t flags) {
  return (flags & (kRecordLaunch | kRecordCall | kRecordUnseen)) == 0;
}

// Why no stack of a thread was taken.
enum class Unseen : uint8_t {
  kNoRoom = 1,      // no room for the sample on its stacks
  kDispatched = 2,  // the program handles its system calls (PR_SET_SYSCALL_USER_DISPATCH)
};

constexpr uint64_t MakeWhen(int64_t time_ns, uint16_t flags) {
  return static_cast<uint64_t>(time_ns) << 16 | flags;
}
constexpr int64_t WhenTime(uint64_t when) { return static_cast<int64_t>(when >> 16); }
constexpr uint16_t WhenFlags(uint64_t when) { return static_cast<uint16_t>(when); }

enum WireModuleFlags : uint32_t {
  kWireModulePython = 1,
  kWireModuleProfiler = 2,
  kWireModuleVdso = 4,
  kWireModuleCuda = 8,          // libcuda or libcupti, which are called within a CUDA call
  kWireModuleStackSwitch = 16,  // greenlet: copies parts of several stacks to one place
};

struct ModuleRecord {
  std::atomic<uint32_t> ready;  // 1: the fields are valid
  uint32_t flags;               // WireModuleFlags
  uint64_t base;                // load bias
  uint64_t begin, end;          // mapped addresses [begin, end)
  uint64_t path;  // offset in the arena, in bytes, of the NUL-terminated path; 0 = none
  uint8_t build_id[32];
  uint32_t build_id_bytes;
  uint32_t reserved[5];
};
static_assert(sizeof(ModuleRecord) == 96);

// Forms in which CPython stores the map from instructions to lines. symbolize/dwarf/python_lines.h
// decodes them.
enum class LineFormat : uint8_t { kLnotab = 1, kPep626 = 2, kLocations = 3 };

// A code object. The signal handler copies it when it first finds it. Name, file name and line
// table follow the record, each padded to 8 bytes. Texts have CPython's own encoding: `width` bytes
// per character (1 = Latin-1 or ASCII, 2 = UCS-2, 4 = UCS-4).
struct CodeRecord {
  std::atomic<uint32_t> ready;
  uint32_t first_line;
  LineFormat line_format;
  uint8_t name_width, file_width;
  uint8_t reserved;
  uint32_t name_chars, file_chars;
  uint32_t table_bytes;
  uint32_t reserved2;
};
static_assert(sizeof(CodeRecord) == 28);
constexpr uint64_t kCodeHeaderBytes = 32;

// An instance of torch.nn.Module, as called from another one. Its class name follows and, if known,
// its name in the module around it ("layers.3"). Both are UTF-8 without a NUL.
struct LayerRecord {
  std::atomic<uint32_t> ready;
  uint32_t parent;  // record of the module around it, smaller than its own id; 0 = outermost
  // Number of modules without a name that were called in this one. Only the agent uses it.
  std::atomic<uint32_t> nameless;
  uint16_t type_bytes, name_bytes;
};
static_assert(sizeof(LayerRecord) == 16);
constexpr uint32_t kMaxTypeBytes = 128, kMaxLayerNameBytes = 512;

constexpr uint64_t Pad8(uint64_t bytes) { return (bytes + 7) & ~uint64_t{7}; }
constexpr uint64_t CodeNameOffset(const CodeRecord&) { return kCodeHeaderBytes; }
inline uint64_t CodeFileOffset(const CodeRecord& r) {
  return kCodeHeaderBytes + Pad8(uint64_t{r.name_chars} * r.name_width);
}
inline uint64_t CodeTableOffset(const CodeRecord& r) {
  return CodeFileOffset(r) + Pad8(uint64_t{r.file_chars} * r.file_width);
}
inline uint64_t CodeRecordBytes(const CodeRecord& r) {
  return CodeTableOffset(r) + Pad8(r.table_bytes);
}

}  // namespace gprofx::wire
