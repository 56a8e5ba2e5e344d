// Runs in signal handlers. Walks the Python frames of a thread, from its PyThreadState, innermost
// first.
//
// The walk is a pure function over a Memory policy and a Codes policy. Every load may fail and
// every object's type is checked: CPython 3.11 and 3.12 store tstate->cframe some instructions
// before filling it, and a naive walker crashes within seconds. If a check fails, the walk ends
// there (`torn`); frames that were read before stay valid.
//   Memory: bool Read(uint64_t address, T* out) const
//   Codes:  uint32_t Known(uint64_t code)   wire id of a code object that was seen before,
//                                           0 = unknown without reading all of it
//           uint32_t Id(uint64_t code)      id of any code object, 0 = no room;
//                                           with kCallsModule if its first local is a module
//
// Frames come in groups, one group for each activation of the eval loop. Where the interpreter
// keeps a structure of that activation on the C stack (3.11: CFrame, 3.12+: the shim frame), its
// address is the group's `anchor`. merge.h uses the anchor to place the group in the native stack.
#pragma once

#include <cstdint>

#include "samplers/agent/python/layout.h"
#include "samplers/wire/records.h"

namespace gprofx::agent {

constexpr uint32_t kCallsModule = 1u << 31;

struct PyFrame {
  uint64_t frame;             // wire format, WireFrame::kPython
  uint64_t anchor;            // address on the C stack that delimits the group; 0 = unknown
  uint64_t address : 63;      // address of the interpreter's frame, without the top bit
  uint64_t calls_module : 1;  // the frame's code object calls a PyTorch module (layers.h)
};
static_assert(sizeof(PyFrame) == 24);

struct PyWalkResult {
  uint32_t count = 0;
  bool torn = false;
  bool cut = false;           // more frames than capacity
  uint32_t module_calls = 0;  // number of frames whose calls_module is set
};

template <class Memory, class Codes>
class PyWalker {
 public:
  PyWalker(const Memory& memory, Codes& codes, const PyLayout& layout, uint64_t code_type,
           PyFrame* frames, uint32_t capacity)
      : memory_(memory),
        codes_(codes),
        l_(layout),
        code_type_(code_type),
        frames_(frames),
        capacity_(capacity) {}

  PyWalkResult Walk(uint64_t thread_state) {
    if (l_.minor <= 10) {
      WalkFrameObjects(thread_state);
    } else if (l_.minor == 11) {
      WalkCFrames(thread_state);
    } else {
      WalkShims(thread_state);
    }
    result_.torn = torn_;
    return result_;
  }

 private:
  static constexpr uint64_t kAddressMask = ~uint64_t{0} >> 1;  // PyFrame::address has 63 bits
  static bool GoodPointer(uint64_t p) { return p >= 4096 && p % 8 == 0 && p >> 47 == 0; }

  bool Fail() {
    torn_ = true;
    return false;
  }
  bool Pointer(uint64_t address, uint64_t* out) { return memory_.Read(address, out) || Fail(); }

  // Walks the frames of CPython 3.8 to 3.10: a linked list of PyFrameObject, one for each
  // activation of the eval loop.
  void WalkFrameObjects(uint64_t thread_state) {
    uint64_t frame = 0;
    if (!Pointer(thread_state + l_.ts_frame, &frame)) return;
    while (frame != 0 && Add(frame, 0)) {
      if (!Pointer(frame + l_.f_back, &frame)) return;
    }
  }

  // Walks the frames of CPython 3.11. Each activation of the eval loop has a CFrame on the C stack.
  // The activation's frames end with the one whose is_entry is set.
  void WalkCFrames(uint64_t thread_state) {
    uint64_t cframe = 0, frame = 0;
    if (!Pointer(thread_state + l_.ts_frame, &cframe)) return;
    bool first = true;
    while (cframe != 0) {
      uint64_t top = 0;
      if (!GoodPointer(cframe) || !Pointer(cframe + l_.cf_current, &top)) {
        Fail();
        return;
      }
      if (first) {
        frame = top;
      } else if (frame != top) {
        Fail();
        return;
      }
      if (frame == 0) return;
      uint32_t begin = result_.count;
      if (!Group(&frame, cframe)) {
        // CPython 3.11 links a new CFrame before it fills it. If the walk fails at such a CFrame,
        // skip it: its frame has not started.
        if (!first || result_.count != begin || !Repair(&cframe)) return;
        continue;
      }
      first = false;
      if (!Pointer(cframe + l_.cf_previous, &cframe)) return;
    }
  }
  bool Group(uint64_t* frame, uint64_t cframe) {
    for (;;) {
      uint8_t is_entry = 0;
      if (!Add(*frame, cframe)) return false;
      if (!memory_.Read(*frame + l_.f_is_entry, &is_entry) || is_entry > 1) return Fail();
      if (!Pointer(*frame + l_.f_back, frame)) return false;
      if (is_entry != 0) return true;
      if (*frame == 0) return Fail();
    }
  }

  // Walks the frames of CPython 3.12 and newer. Each activation of the eval loop has a shim frame
  // (owner >= 3) on the C stack, which ends the activation's group.
  void WalkShims(uint64_t thread_state) {
    uint64_t frame = 0, cframe = 0;
    if (l_.minor == 12) {
      if (!Pointer(thread_state + l_.ts_frame, &cframe)) return;
      if (!Pointer(cframe + l_.cf_current, &frame)) return;
    } else if (!Pointer(thread_state + l_.ts_frame, &frame)) {
      return;
    }
    uint32_t group = 0;  // index of the first frame of the present group
    uint32_t shims = 0;
    while (frame != 0) {
      uint8_t owner = 0;
      bool readable = GoodPointer(frame) && memory_.Read(frame + l_.f_owner, &owner) && owner <= 4;
      if (readable && owner >= 3 && ++shims <= capacity_) {
        for (; group < result_.count; ++group) frames_[group].anchor = frame;
      } else if (!readable || !Add(frame, 0)) {
        Fail();
        // CPython 3.12 links a new CFrame before it fills it. Skip such a CFrame: its frame has not
        // started.
        if (l_.minor != 12 || result_.count != 0 || !Repair(&cframe)) return;
        if (!Pointer(cframe + l_.cf_current, &frame)) return;
        continue;
      }
      if (!Pointer(frame + l_.f_back, &frame)) return;
    }
  }

  // Skips a CFrame that is linked but not filled: sets *cframe to the one before it. Returns false
  // if that CFrame cannot be read, or if this walk has already skipped one.
  bool Repair(uint64_t* cframe) {
    if (repaired_) return false;
    repaired_ = true;
    uint64_t previous = 0;
    if (!memory_.Read(*cframe + l_.cf_previous, &previous) || !GoodPointer(previous)) return false;
    *cframe = previous;
    torn_ = false;
    return true;
  }

  // Verifies a frame and appends it to the result. Returns false if the walk must end.
  bool Add(uint64_t frame, uint64_t anchor) {
    if (result_.count >= capacity_) {
      result_.cut = true;
      return false;
    }
    uint64_t code = 0;
    if (!GoodPointer(frame) || !memory_.Read(frame + l_.f_code, &code)) return Fail();
    code = l_.ObjectOf(code);
    if (!GoodPointer(code)) return Fail();
    uint32_t id = codes_.Known(code), instruction = 0;
    // The innermost frame may be just being entered and may refer to freed objects, so its code
    // object is always verified.
    if ((id == 0 || result_.count == 0) && !IsCode(code)) return Fail();
    if (!Instruction(frame, code, &instruction)) return Fail();
    if (id == 0) id = codes_.Id(code);
    const uint64_t calls_module = (id & kCallsModule) != 0 ? 1 : 0;
    result_.module_calls += calls_module != 0 ? 1 : 0;
    frames_[result_.count++] = {wire::MakePython(id, instruction), anchor, frame & kAddressMask,
                                calls_module};
    return true;
  }

  bool IsCode(uint64_t object) {
    uint64_t type = 0;
    return memory_.Read(object + l_.ob_type, &type) && type == code_type_;
  }

  // Sets *out to the byte offset of the frame's current instruction. Returns false if it cannot be
  // read or is not plausible.
  bool Instruction(uint64_t frame, uint64_t code, uint32_t* out) {
    *out = wire::kNoInstruction;
    if (l_.minor <= 10) {
      int32_t last = 0;
      if (!memory_.Read(frame + l_.f_instruction, &last) || last < -1 || last > (1 << 28))
        return false;
      if (last >= 0) *out = static_cast<uint32_t>(last) * (l_.minor == 10 ? 2 : 1);
      return true;
    }
    uint64_t at = 0;
    if (!memory_.Read(frame + l_.f_instruction, &at)) return false;
    uint64_t begin = code + l_.co_bytecode;
    if (l_.co_tlbc != 0 && !ThreadBytecode(frame, code, &begin)) return false;
    auto offset = static_cast<int64_t>(at - begin);
    if (offset < -2 || offset > (1 << 28) || offset % 2 != 0) return false;
    if (offset >= 0) *out = static_cast<uint32_t>(offset);
    return true;
  }

  // Sets *begin to the start of the bytecode that the frame's thread runs. Used for free-threaded
  // CPython 3.14+, where each thread may run its own copy. Returns false if the address cannot be
  // read.
  bool ThreadBytecode(uint64_t frame, uint64_t code, uint64_t* begin) {
    int32_t index = 0;
    uint64_t table = 0;
    if (!memory_.Read(frame + l_.f_tlbc_index, &index) || !memory_.Read(code + l_.co_tlbc, &table))
      return false;
    if (index == 0 || table == 0) return true;
    return index > 0 && memory_.Read(table + 8 + static_cast<uint64_t>(index) * 8, begin);
  }

  const Memory& memory_;
  Codes& codes_;
  const PyLayout& l_;
  const uint64_t code_type_;
  PyFrame* const frames_;
  const uint32_t capacity_;
  PyWalkResult result_;
  bool torn_ = false;
  bool repaired_ = false;
};

}  // namespace gprofx::agent
