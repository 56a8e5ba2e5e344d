#include "core/views/fold.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "core/base/path.h"
#include "core/model/address_name.h"
#include "core/redact/public_paths.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

// Removes the suffix that a compiler appends to clones of a function: call_function.constprop.0,
// _PyEval_EvalFrameDefault.cold, slot_tp_call.part.3.
std::string_view WithoutCloneSuffix(std::string_view name) {
  return name.substr(0, name.find('.'));
}

// Interpreter functions that only forward calls, of CPython 3.8 to 3.15. Sorted.
constexpr std::string_view kPlumbing[] = {
    "Py_BytesMain",
    "Py_Main",
    "Py_RunMain",
    "bounded_lru_cache_wrapper",
    "builtin___build_class__",
    "builtin___import__",
    "builtin___import___impl",
    "builtin_eval",
    "builtin_eval_impl",
    "builtin_exec",
    "builtin_exec_impl",
    "call_attribute",
    "call_function",
    "call_unbound",
    "call_unbound_noarg",
    "classmethod_descriptor_vectorcall",
    "context_run",
    "do_call_core",
    "eval_code",
    "eval_frame_default",
    "exec_builtin_or_dynamic",
    "exec_code_in_module",
    "exec_module",
    "function_code_fastcall",
    "import_ensure_initialized",
    "import_find_and_load",
    "import_name",
    "infinite_lru_cache_wrapper",
    "init_interp_main",
    "instancemethod_call",
    "lookup_maybe_method",
    "lookup_method",
    "main",
    "object_isinstance",
    "object_vacall",
    "py_trampoline_evaluator",
    "pyinit_main",
    "pymain_main",
    "pythread_wrapper",
    "run_code",
    "run_eval_code_obj",
    "run_mod",
    "start_thread",
    "t_bootstrap",
    "thread_run",
    "trampoline_call",
    "tstate_run",
    "type_call",
    "uncached_lru_cache_wrapper",
    "wrap_call",
    "wrapper_call",
};

constexpr std::string_view kPlumbingStarts[] = {
    "_PyCFunctionFast",
    "_PyEvalFrame",
    "_PyEval_",
    "_PyFrame_Clear",
    "_PyFunction_",
    "_PyGen_",
    "_PyMethodDef_Raw",
    "_PyMethodDescr_",
    "_PyRun_",
    "_PyVectorcall_",
    "_Py_RunMain",
    "_Py_call_instr",
    "_Py_slot_",
    "PyCFunction_Call",
    "PyEval_",
    "PyFunction_",
    "PyImport_",
    "PyObject_Vectorcall",
    "PyRun_",
    "PyVectorcall_",
    "_PyImport_",
    "_TAIL_CALL_",
    "_imp_",
    "async_gen_asend_",
    "cfunction_call",
    "cfunction_vectorcall",
    "coro_wrapper_",
    "descr_vectorcall",
    "gen_close",
    "gen_iternext",
    "gen_send_ex",
    "gen_throw",
    "method_call",
    "method_vectorcall",
    "methoddescr_call",
    "partial_call",
    "partial_vectorcall",
    "pymain_",
    "pyrun_",
    "slot_",
    "vectorcall_",
};

// True for functions of the C API that call an object ([_]PyObject_...Call...). False for
// PyObject_CheckCallable and the like.
bool IsObjectCall(std::string_view name) {
  if (name.starts_with("_")) name.remove_prefix(1);
  if (!name.starts_with("PyObject_")) return false;
  name.remove_prefix(9);
  return (name.find("Call") != std::string_view::npos && !name.starts_with("Check") &&
          !name.ends_with("Callable")) ||
         name.starts_with("Vectorcall") || name.starts_with("MakeTpCall");
}

constexpr std::string_view kStarts[] = {
    "__clone", "__clone3", "__libc_start_call_main", "__libc_start_main", "_start",
    "clone",   "clone3",   "generic_start_main",     "start_thread",
};

// True for helpers that the compiler inlined into interpreter functions. Only builds with debug
// information have names for them. They are folded, so the tree does not depend on debug
// information.
bool IsInlinedInInterpreter(const Profile& profile, const Frame& frame) {
  if (frame.kind != FrameKind::kInlined) return false;
  const StringId own = frame.function ? profile.function(frame.function).file : StringId{};
  return !InterpreterFolder(profile.Text(own ? own : frame.file)).empty();
}

// True for perf trampolines. `python -X perf` calls each Python function through a generated stub,
// "py::NAME:FILE", for profilers that do not support Python. The stub duplicates the Python frame
// that it calls.
bool IsPerfTrampoline(const Profile& profile, const Frame& frame, std::string_view name) {
  if (!frame.module || !name.starts_with("py::")) return false;
  const std::string_view path = profile.Text(profile.module(frame.module).path);
  return BaseName(path).starts_with("perf-") && path.ends_with(".map");
}

bool HasPython(const Profile& profile) {
  return std::any_of(profile.frames.begin(), profile.frames.end(),
                     [](const Frame& frame) { return frame.kind == FrameKind::kPython; });
}

bool IsCLibrary(const Profile& profile, ModuleId module) {
  if (!module) return false;
  const std::string_view path = profile.Text(profile.module(module).path);
  return BaseName(path).starts_with("libc.so");
}

}  // namespace

bool IsInterpreterPlumbing(std::string_view function) {
  const std::string_view name = WithoutCloneSuffix(function);
  if (std::binary_search(std::begin(kPlumbing), std::end(kPlumbing), name)) return true;
  for (const std::string_view start : kPlumbingStarts) {
    if (name.starts_with(start)) return true;
  }
  return IsObjectCall(name) || IsThreadStart(function);
}

bool IsThreadStart(std::string_view function) {
  // Remove symbol versions and suffixes of implementations: __libc_start_main@@GLIBC_2.34,
  // __libc_start_main_impl.
  const std::string_view name = function.substr(0, function.find_first_of(".@"));
  return std::binary_search(std::begin(kStarts), std::end(kStarts), name) ||
         name.starts_with("__libc_start_main");
}

namespace {

bool MayBeCode(FrameKind kind) {
  return kind == FrameKind::kNative || kind == FrameKind::kInlined || kind == FrameKind::kUnknown;
}

class Folder {
 public:
  Folder(const Profile& profile, CodeView code)
      : profile_(profile), code_(code), has_python_(HasPython(profile)) {
    for (const Module& module : profile.modules) {
      const bool python = (module.flags & kModuleIsPython) != 0;
      only_interpreter_.push_back(python && IsInterpreterFile(profile.Text(module.path)) ? 1 : 0);
    }
  }

  Folding Run() {
    const size_t frames = profile_.frames.size();
    folding_.code = code_;
    folding_.fold.assign(frames, Fold::kStays);
    folding_.family.assign(frames, Family::kNone);
    folding_.interpreter.assign(frames, 0);
    folding_.of_library.assign(profile_.modules.size(), FrameId{});
    for (size_t i = 0; i < frames; ++i) Judge(i);
    return std::move(folding_);
  }

 private:
  std::string_view NameOf(const Frame& frame) const {
    return frame.function ? profile_.Text(profile_.function(frame.function).name) : "";
  }

  void Judge(size_t i) {
    const Frame& frame = profile_.frames[i];
    Fold& fold = folding_.fold[i];
    if (frame.kind == FrameKind::kPython) {
      const bool native = code_ == CodeView::kNative;
      if (native || RunsImport(profile_, frame)) fold = Fold::kAlways;
    } else if (frame.kind == FrameKind::kLayer) {
      fold = Fold::kAlways;
    } else if (frame.kind == FrameKind::kTruncated) {
      if (code_ == CodeView::kPython) fold = Fold::kAlways;
    } else if (frame.kind == FrameKind::kIdle) {
      if (code_ == CodeView::kPython) fold = Fold::kLibrary;
    } else if (MayBeCode(frame.kind)) {
      JudgeCode(i, frame, fold);
    }
  }

  void JudgeCode(size_t i, const Frame& frame, Fold& fold) {
    const uint32_t module = frame.module ? profile_.module(frame.module).flags : 0;
    const std::string_view name = NameOf(frame);
    const bool nameless = name.empty() || IsAddressName(name);
    const bool python = (module & kModuleIsPython) != 0;
    folding_.interpreter[i] = python ? 1 : 0;
    if ((module & kModuleIsProfiler) != 0) {
      fold = Fold::kAlways;
    } else if (code_ != CodeView::kNative && has_python_ &&
               IsPerfTrampoline(profile_, frame, name)) {
      fold = Fold::kAlways;
    } else if (code_ != CodeView::kNative && python &&
               (nameless || IsInterpreterPlumbing(name) ||
                IsInlinedInInterpreter(profile_, frame))) {
      fold = Fold::kAlways;
    } else if (IsThreadStart(name) || (nameless && IsCLibrary(profile_, frame.module))) {
      fold = Fold::kAtStart;  // thread starts have no names in stripped C libraries
    } else if (code_ == CodeView::kMixed && python && frame.kind == FrameKind::kNative &&
               only_interpreter_[frame.module.index()] != 0) {
      SetFamily(i, FamilyOf(frame.function));
    }
    if (code_ != CodeView::kPython || fold == Fold::kAlways) return;
    if (fold == Fold::kStays) fold = Fold::kLibrary;
    if (!frame.module) return;
    FrameId& stands = folding_.of_library[frame.module.index()];
    if (!stands) stands = FrameId{static_cast<uint32_t>(i + 1)};
  }

  // Returns the family of a function. Each function is looked up once, because it has one frame per
  // line.
  Family FamilyOf(FunctionId function) {
    const auto [found, asked] = families_.try_emplace(function.value, Family::kNone);
    if (asked) found->second = InterpreterFamily(profile_.Text(profile_.function(function).name));
    return found->second;
  }

  void SetFamily(size_t i, Family family) {
    folding_.family[i] = family;
    FrameId& stands = folding_.of_family[static_cast<size_t>(family)];
    if (!stands) stands = FrameId{static_cast<uint32_t>(i + 1)};
  }

  const Profile& profile_;
  const CodeView code_;
  const bool has_python_;
  std::vector<uint8_t> only_interpreter_;          // by ModuleId::index()
  std::unordered_map<uint32_t, Family> families_;  // by function
  Folding folding_;
};

Folding FoldNothing(const Profile& profile) {
  Folding folding;
  folding.fold.assign(profile.frames.size(), Fold::kStays);
  folding.family.assign(profile.frames.size(), Family::kNone);
  folding.interpreter.assign(profile.frames.size(), 0);
  for (size_t i = 0; i < profile.frames.size(); ++i) {
    if (profile.frames[i].kind == FrameKind::kLayer) folding.fold[i] = Fold::kAlways;
  }
  return folding;
}

}  // namespace

Folding FoldFrames(const Profile& profile, CodeView code, bool all_frames) {
  if (all_frames && code == CodeView::kMixed) return FoldNothing(profile);
  Folding folding = Folder(profile, code).Run();
  if (!all_frames || code == CodeView::kPython) return folding;
  for (Fold& fold : folding.fold) {
    if (fold == Fold::kAtStart) fold = Fold::kStays;
  }
  return folding;
}

}  // namespace gprofx
