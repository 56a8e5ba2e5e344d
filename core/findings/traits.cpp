#include "core/findings/traits.h"

#include <string_view>
#include <unordered_map>

#include "core/base/path.h"
#include "core/base/text.h"
#include "core/cost/profiling_time.h"
#include "core/levels/level_names.h"
#include "core/model/inherit.h"
#include "core/views/naming/names.h"

namespace gprofx::findings {
namespace {

bool CopiesMemory(std::string_view name) {
  return name.starts_with("memcpy") || name.starts_with("memmove") ||
         name.starts_with("__memcpy") || name.starts_with("__memmove") ||
         Contains(name, "memmove_avx") || Contains(name, "memcpy_avx") ||
         Contains(name, "memmove_evex") || Contains(name, "memcpy_evex") ||
         name.starts_with("__memset") || Contains(name, "_aligned_strided_to_") ||
         Contains(name, "_contig_to_contig");
}

// True for functions that copy arrays. The C library functions that they call often have no names,
// so copies are recognized by their callers.
bool CopiesArrays(std::string_view name) {
  return name.starts_with("PyArray_Concatenate") || name.starts_with("PyArray_AssignArray") ||
         name.starts_with("PyArray_AssignRawScalar") || name.starts_with("PyArray_CopyInto") ||
         name.starts_with("PyArray_NewCopy") || name.starts_with("raw_array_assign") ||
         name == "array_copy" || name == "array_concatenate" || name == "bytes_join" ||
         Contains(name, "at::native::direct_copy_kernel") || Contains(name, "cat_serial_kernel");
}

// True for modules whose code runs operators or CUDA calls.
bool IsRunTime(std::string_view path) {
  const std::string_view name = BaseName(path);
  return name.starts_with("libtorch_cpu") || name.starts_with("libtorch_cuda") ||
         name.starts_with("libc10") || name.starts_with("libcuda") ||
         name.starts_with("libcublas") || name.starts_with("libcudnn") ||
         name.starts_with("libnccl");
}
bool TakesElement(std::string_view name) {
  return Contains(name, "THPVariable_getitem") || Contains(name, "THPVariable_item") ||
         Contains(name, "THPVariable_float_scalar") ||
         Contains(name, "THPVariable_integral_scalar") || Contains(name, "THPVariable_setitem") ||
         IsOneOf(name, {"array_subscript", "array_item", "array_assign_subscript", "gentype_float",
                        "float_arrtype_new", "array_subscript_asarray"});
}

// Properties that a frame adds to those of its parent, as bits. Computed once per function.
struct Trait {
  enum : uint32_t {
    kLoading = 1,
    kCheckpoint = 2,  // torch.utils.checkpoint
    kEngine = 4,
    kCopiesTensor = 8,
    kElement = 16,
    kEmptiesCache = 32,
    kLock = 64,
    kCopiesMemory = 128,
    kBackward = 512,
    kForward = 1024,
    kIdle = 2048,
    kOperator = 4096,
    kModuleCall = 8192,
    kCopiesArrays = 16384,
    kWait = 32768,
    kHook = 65536,
  };
};

class Reader {
 public:
  explicit Reader(const Profile& profile) : profile_(profile), seen_(profile) {
    for (const Module& module : profile.modules) {
      const std::string_view path = profile.Text(module.path);
      sorts_.push_back(IsCuptiLibrary(path) || (module.flags & kModuleIsProfiler) != 0 ? kRecorder
                       : (module.flags & kModuleIsPython) != 0                         ? kPython
                       : IsRunTime(path)                                               ? kRunTime
                                                                                       : kOther);
    }
  }

  NodeTraits operator()(const NodeTraits& above, FrameId id) {
    if (id && profile_.frame(id).kind == FrameKind::kLayer) return above;
    NodeTraits out = above;
    out.copies_memory = out.interprets = false;
    out.lines = seen_(above.lines, id);
    if (!id) return out;
    const Frame& frame = profile_.frame(id);
    const uint32_t trait = TraitOf(frame);
    if ((trait & Trait::kIdle) != 0) {
      out.idle = true;
      out.interprets = above.interprets;
      return out;
    }
    if ((trait & Trait::kLoading) != 0) out.loading = true;
    if ((trait & Trait::kEngine) != 0) out.in_engine = true;
    if ((trait & Trait::kEmptiesCache) != 0) out.empties_cache = true;
    if ((trait & Trait::kLock) != 0) out.waits_for_lock = true;
    if ((trait & Trait::kWait) != 0) out.in_wait = true;
    if ((trait & Trait::kForward) != 0) out.asks_again = false;
    if ((trait & Trait::kHook) != 0) out.in_hook = true;
    if (out.in_hook && frame.kind == FrameKind::kPython) {
      ((trait & Trait::kCheckpoint) != 0 ? checkpoint_hooks_ : other_hooks_) = true;
      out.in_hook = false;
    }
    if ((trait & Trait::kCheckpoint) != 0) {
      out.asks_again = true;
      if (out.in_engine) {
        out.recomputes = true;
      } else if (!out.checkpoint) {
        out.checkpoint = above.lines.python();
      }
    }
    // The operators that an operator calls inherit its properties. Their own properties do not
    // count for it.
    if ((trait & Trait::kModuleCall) != 0) out.in_module = true;
    if ((trait & Trait::kCopiesArrays) != 0) out.copies_arrays = true;
    if ((trait & Trait::kOperator) != 0) {
      out.in_operator = true;
      out.copies_tensor = above.copies_tensor || (trait & Trait::kCopiesTensor) != 0;
      out.element = above.element || (trait & Trait::kElement) != 0;
    }
    if ((trait & Trait::kElement) != 0) out.element = true;
    if ((trait & Trait::kBackward) != 0 && out.in_engine) out.backward = frame.function;
    if ((trait & Trait::kForward) != 0) out.forward = frame.function;
    const Sort sort = SortOf(frame);
    out.records = above.records || sort == kRecorder;
    out.copies_memory =
        (trait & Trait::kCopiesMemory) != 0 || (out.copies_arrays && sort == kOther);
    out.interprets = !out.in_operator && (frame.kind == FrameKind::kPython || sort == kPython ||
                                          (above.interprets && sort == kOther));
    return out;
  }

  // True if all hooks for saved tensors in the frames read so far are those of checkpoints.
  bool OnlyCheckpointsHook() const { return checkpoint_hooks_ && !other_hooks_; }

 private:
  uint32_t TraitOf(const Frame& frame) {
    if (frame.kind == FrameKind::kIdle) return Trait::kIdle;
    const uint64_t key = uint64_t{static_cast<uint8_t>(frame.kind)} << 32 | frame.function.value;
    const auto [found, is_new] = known_.try_emplace(key, 0u);
    if (is_new) found->second = Read(frame);
    return found->second;
  }

  enum Sort : uint8_t { kOther, kPython, kRunTime, kRecorder };  // kinds of modules
  Sort SortOf(const Frame& frame) const {
    const bool is_code = frame.kind == FrameKind::kNative || frame.kind == FrameKind::kInlined;
    return is_code && frame.module ? sorts_[frame.module.index()] : kOther;
  }

  uint32_t Read(const Frame& frame) const {
    if (!frame.function) return 0;
    const std::string_view name = profile_.Text(profile_.function(frame.function).name);
    switch (frame.kind) {
      case FrameKind::kPython:
        return ReadPython(name, profile_.Text(profile_.function(frame.function).file));
      case FrameKind::kNative:
      case FrameKind::kInlined:
        return ReadNative(name);
      case FrameKind::kOperator:
        return ReadOperator(OperatorOfSpan(name)) |
               (name.starts_with("autograd::engine::evaluate_function") ? Trait::kEngine : 0u);
      default:
        return 0;
    }
  }

  static uint32_t ReadPython(std::string_view name, std::string_view file) {
    uint32_t trait = 0;
    if (IsModuleCall(name, file)) trait |= Trait::kModuleCall;
    if (Contains(file, "torch/utils/data/") || file.ends_with("multiprocessing/queues.py") ||
        file.ends_with("multiprocessing/connection.py")) {
      trait |= Trait::kLoading;
    }
    if (file.ends_with("torch/utils/checkpoint.py")) trait |= Trait::kCheckpoint;
    if (name == "empty_cache") trait |= Trait::kEmptiesCache;
    if (name == "backward" || name.ends_with(".backward")) trait |= Trait::kBackward;
    if (name == "forward" || name.ends_with(".forward")) trait |= Trait::kForward;
    return trait;
  }

  static uint32_t ReadNative(std::string_view name) {
    uint32_t trait = 0;
    if (const std::string_view op = OperatorOfSymbol(name); !op.empty()) return ReadOperator(op);
    if (name.starts_with("torch::autograd::Engine::thread_main") ||
        name.starts_with("torch::autograd::Node::operator()")) {
      trait |= Trait::kEngine;
    }
    if (name.starts_with("torch::autograd::PySavedVariableHooks")) trait |= Trait::kHook;
    if (TakesElement(name)) trait |= Trait::kElement;
    if (CopiesArrays(name)) trait |= Trait::kCopiesArrays;
    if (CopiesMemory(name)) trait |= Trait::kCopiesMemory;
    if (Contains(name, "THCPModule_emptyCache")) trait |= Trait::kEmptiesCache;
    if (name == "take_gil" || name == "PyEval_RestoreThread" || name == "PyEval_AcquireThread" ||
        name == "PyMutex_Lock" || name == "_PyMutex_LockSlow") {
      trait |= Trait::kLock;
    }
    if (IsOneOf(name, {"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait",
                       "sem_wait", "sem_timedwait", "sem_clockwait"})) {
      trait |= Trait::kWait;
    }
    return trait;
  }

  static uint32_t ReadOperator(std::string_view op) {
    uint32_t trait = Trait::kOperator;
    if (IsOneOf(op, {"to", "_to_copy", "copy_", "cuda", "cpu"})) trait |= Trait::kCopiesTensor;
    if (IsOneOf(op, {"select", "item", "_local_scalar_dense", "unbind"})) trait |= Trait::kElement;
    return trait;
  }

  const Profile& profile_;
  SeenAs seen_;
  std::vector<Sort> sorts_;  // by ModuleId::index()
  std::unordered_map<uint64_t, uint32_t> known_;
  bool checkpoint_hooks_ = false, other_hooks_ = false;
};

}  // namespace

std::vector<NodeTraits> FindTraits(const Profile& profile) {
  Reader reader(profile);
  std::vector<NodeTraits> traits = InheritDown<NodeTraits>(
      profile.nodes, [&](const NodeTraits& above, FrameId frame) { return reader(above, frame); });
  // Native code around the hooks of a checkpoint counts as code of the checkpoint: calling Python
  // for each saved tensor takes as long as the Python code itself.
  for (NodeTraits& node : traits) {
    node.asks_again = node.asks_again || (node.in_hook && reader.OnlyCheckpointsHook());
  }
  return traits;
}

std::string Place::Text() const {
  if (file.empty()) return function;
  return std::string(BaseName(file)) + (line == 0 ? "" : ":" + std::to_string(line));
}

Place PlaceOf(const Profile& profile, FrameId id) {
  Place place;
  if (!id) return place;
  const Frame& frame = profile.frame(id);
  if (frame.function) place.function = profile.Text(profile.function(frame.function).name);
  place.file = profile.Text(FileOf(profile, frame));
  place.line = frame.line;
  return place;
}

}  // namespace gprofx::findings
