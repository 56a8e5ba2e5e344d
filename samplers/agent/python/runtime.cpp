// Runs in signal handlers: no allocation, no locks, bounded loops.
#include "samplers/agent/python/runtime.h"

#include "samplers/agent/process/session.h"
#include "samplers/agent/signals/safe_load.h"
#include "samplers/agent/stacks/rows.h"

namespace gprofx::agent {

constinit PythonRuntime g_python;

namespace {

// Returns the minor version of a CPython 3 image; 0 if it is older than 3.8 or unknown. From 3.11
// on, the image contains the version (Py_Version). For older ones, the newest function that the
// image defines gives it.
int MinorVersion(const ElfImage& image) {
  if (ElfSymbol version = image.Find("Py_Version"); version.address != 0) {
    uint64_t hex = 0;
    if (!SafeLoad(version.address, &hex) || hex >> 24 != 3) return 0;
    return static_cast<int>(hex >> 16 & 0xff);
  }
  if (image.Find("Py_NewRef").address != 0) return 10;
  if (image.Find("PyThreadState_GetFrame").address != 0) return 9;
  if (image.Find("PyCode_NewWithPosOnlyArgs").address != 0) return 8;
  return 0;
}

}  // namespace

bool PythonRuntime::Detect(const ElfImage& image) {
  ElfSymbol runtime = image.Find("_PyRuntime");
  ElfSymbol eval = image.Find("_PyEval_EvalFrameDefault");
  if (runtime.address == 0 || eval.address == 0) return false;
  if (claimed_.exchange(true))
    return true;  // this interpreter again (a fork child's module table is new), or a second one
  base_ = image.base();
  int minor = MinorVersion(image);
  layout_ = minor >= 13 ? LayoutFromDebugOffsets(runtime.address) : LayoutOfVersion(minor);
  if (!layout_.valid()) g_session.Count(wire::kPythonUnknown);
  ElfSymbol code_type = image.Find("PyCode_Type");
  ElfSymbol bound = image.Find("PyGILState_GetThisThreadState");
  ElfSymbol current = image.Find("_PyThreadState_UncheckedGet");
  if (!layout_.valid() || code_type.address == 0 || bound.address == 0) return true;
  eval_begin_ = eval.address;
  eval_size_ = eval.size;
  code_type_ = code_type.address;
  cell_type_ = image.Find("PyCell_Type").address;
  bound_ = reinterpret_cast<uint64_t (*)()>(bound.address);
  current_ = minor <= 11 ? reinterpret_cast<uint64_t (*)()>(current.address) : nullptr;
  ready_.store(true, std::memory_order_release);
  return true;
}

void PythonRuntime::ForgetModule(uint64_t base) {
  if (!claimed_.load() || base_ != base) return;
  ready_.store(false);
  part_size_.store(0);
  candidate_.store(0);
  agreed_.store(0);
  learned_.store(false);
  claimed_.store(false);
}

void PythonRuntime::LearnEvalLoop(uint64_t pc) {
  CodeRange part;
  if (IsEvalLoop(pc) || learned_.load(std::memory_order_relaxed)) return;
  if (!g_rows.FindFunction(pc, base_, &part)) return;
  // Handlers of several threads may count at the same time. If the code range differs from the
  // candidate, it becomes the new candidate and the count starts again.
  if (candidate_.exchange(part.begin) != part.begin) agreed_.store(0);
  if (agreed_.fetch_add(1) + 1 < kAgree || learned_.exchange(true)) return;
  part_size_.store(part.end - part.begin, std::memory_order_relaxed);
  part_begin_.store(part.begin, std::memory_order_release);
}

bool PythonRuntime::IsOfSameThread(uint64_t other, uint64_t state) const {
  uint64_t a = 0, b = 0;
  return SafeLoad(other + layout_.ts_thread_id, &a) && SafeLoad(state + layout_.ts_thread_id, &b) &&
         a == b;
}

// True if the PyThreadState at `state` is still in its interpreter's list. The struct begins with
// the pointers prev, next and interp.
bool PythonRuntime::IsListed(uint64_t state) const {
  uint64_t before = 0, found = 0;
  if (!SafeLoad(state, &before)) return false;
  if (before != 0) return SafeLoad(before + 8, &found) && found == state;
  return SafeLoad(state + 16, &before) && SafeLoad(before + layout_.is_head, &found) &&
         found == state;
}

uint64_t PythonRuntime::CodeOf(uint64_t frame) const {
  uint64_t code = 0, type = 0;
  if (frame == 0 || !SafeLoad(frame + layout_.f_code, &code)) return 0;
  code = layout_.ObjectOf(code);
  return SafeLoad(code + layout_.ob_type, &type) && type == code_type_ ? code : 0;
}

}  // namespace gprofx::agent
