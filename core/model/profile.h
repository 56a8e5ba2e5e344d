// Defines the profile model: the contents of a recording, independent of how it was sampled, stored
// or shown.
//
// Tables are append-only vectors of plain rows. An id is a 1-based index and stays valid for the
// life of the Profile. Rows are interned where identity matters (strings, functions, frames,
// nodes): equal content has one id. One calling-context tree serves all threads and all kinds of
// frames. A value is (node, thread, metric) -> self. Inclusive values are computed from these and
// never stored. Nodes are created parents first: parent.value < child.value.
//
// Not thread safe; one owner. Uses no clock, file or process. Times are HostNs, see ids.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/cost/host_correction.h"
#include "core/gpu/gpu.h"
#include "core/model/ids.h"
#include "core/slice/part.h"
#include "core/steps/phases.h"

namespace gprofx {

enum class FrameKind : uint8_t {
  kRoot = 0,             // the root of the tree (node 1)
  kPython = 1,           // function = qualified name, file, line = the line that runs
  kNative = 2,           // module + address; after resolving also function, file, line
  kInlined = 3,          // a function inlined into its parent frame; line = the current line in it
  kUnknown = 4,          // an address in no module: JIT-compiled code without a name
  kTruncated = 5,        // at the root end of a stack whose outer frames could not be unwound
  kIdle = 6,             // wall clock mode: the thread waits
  kOperator = 7,         // reserved
  kCudaApi = 8,          // a CUDA call in which the host waits; function = the driver's name
  kGpuKernel = 9,        // function = demangled name; below the stack that launched it
  kGpuInstruction = 10,  // a source line (file, line) of a kernel, or of a function inlined in it
  kMarker = 11,          // separates parts of a path, e.g. launch and capture of a CUDA graph
  kGpuCopy = 12,         // copies and memsets; function = source and target
  kProcess = 13,         // process time for which no stack is available; function = the activity
  // A module of a model, together with its enclosing modules. It is the last frame of a host stack
  // that runs in the module; only GPU work that the stack launched is below it. The function's name
  // is a layer path (core/model/layer_path.h).
  kLayer = 14,
};

// Files of later versions may contain kinds with higher numbers. They are kept as numbers.
inline constexpr FrameKind kLastFrameKind = FrameKind::kLayer;

// A recording that was merged into this profile. A profile of a single recording has no Source: its
// own meta and quality describe the recording. See core/model/sources.h.
struct Source {
  std::string host;                         // "" = unknown
  int32_t rank = -1;                        // in a distributed run; -1 = unknown
  int64_t start_realtime_ns = 0;            // CLOCK_REALTIME at time 0 of its clock; 0 = unknown
  HostNs clock_offset_ns = 0;               // added to the recording's times
  std::map<std::string, std::string> meta;  // as in its file
  std::map<std::string, int64_t> quality;
  bool operator==(const Source&) const = default;
};

struct Process {
  int64_t pid = 0;
  int64_t parent_pid = 0;
  StringId name;              // short: the script or program
  StringId command;           // the full command line
  HostNs start = 0, end = 0;  // end 0 = not observed
  int32_t exit_status = -1;   // as waitpid(2) decodes it for shells (128+signal); -1 = unknown
  SourceId source;            // 0 = the profile has a single source
  bool operator==(const Process&) const = default;
};

struct Thread {
  ProcessId process;
  int64_t tid = 0;
  StringId name;
  HostNs start = 0, end = 0;
  int64_t cpu_ns = 0;   // the thread's own CPU clock over the time it was profiled
  int64_t lost_ns = 0;  // total weight of dropped samples (ring full and the like)
  bool operator==(const Thread&) const = default;
};

enum ModuleFlags : uint32_t {
  kModuleIsPython = 1,    // holds the CPython interpreter
  kModuleIsProfiler = 2,  // one of gprof-x's own libraries
  kModuleIsVdso = 4,
};

struct Module {
  StringId path;
  StringId build_id;  // lower-case hex, may be 0
  uint32_t flags = 0;
  bool operator==(const Module&) const = default;
};

struct LoadRange {  // the address range in which a process mapped a module
  ProcessId process;
  ModuleId module;
  uint64_t base = 0, begin = 0, end = 0;  // load bias; [begin, end)
  bool operator==(const LoadRange&) const = default;
};

struct Function {
  StringId name;  // Python: qualified name; native: demangled
  StringId file;  // where it is defined; may be 0
  uint32_t first_line = 0;
  ModuleId module;  // 0 for Python functions
  auto operator<=>(const Function&) const = default;
};

struct Frame {
  FrameKind kind = FrameKind::kRoot;
  FunctionId function;  // 0 = no name known
  StringId file;        // file of `line`; 0 = the function's file
  uint32_t line = 0;    // 0 = unknown
  // Native and inlined frames: the module that contains the address. kUnknown: a pseudo-module that
  // identifies the process; 0 after the frame is resolved. kTruncated: the module in which
  // unwinding stopped.
  ModuleId module;
  // Native: offset of the instruction from the load bias of the module. The instruction is the one
  // that runs or, in callers, the call (return address - 1). kUnknown: absolute address. Python:
  // byte offset of the instruction in the code object.
  uint64_t address = 0;
  auto operator<=>(const Frame&) const = default;
};

struct Node {
  NodeId parent;
  FrameId frame;
  auto operator<=>(const Node&) const = default;
};

enum class MetricKind : uint8_t { kSampled = 0, kExact = 1 };

struct Metric {
  std::string name;  // "cpu", "wall", "samples", ...
  std::string unit;  // "ns", "count"
  MetricKind kind = MetricKind::kSampled;
};

struct Value {
  NodeId node;
  ThreadId thread;
  MetricId metric;
  int64_t self = 0;
};

// State of the thread in a sample; a set of bits in SampleRow::state.
enum SampleState : uint8_t {
  kStateNoPython = 0,  // the thread has no Python thread state
  kStateGilHeld = 1,   // attached: runs Python, or C with the GIL
  kStateGilReleased = 2,
  kStateMask = 3,
  kStateIdle = 4,         // wall clock mode: waiting, not running
  kStateTruncated = 8,    // the native stack did not reach the thread's start
  kStatePythonTorn = 16,  // the Python chain failed a check and was cut there
  kStateRest = 32,        // not a sample: CPU time of the thread that no sample covers
};

struct SampleRow {  // a row of the stream "cpu samples"
  HostNs time = 0;
  ThreadId thread;
  NodeId node;
  uint32_t weight = 0;  // ns
  uint8_t state = 0;    // SampleState bits
};

// Samples that are not counted in any value (core/cost/profiling_time.h). The rows of the timeline
// still contain them.
struct LeftOutSamples {
  struct OfThread {
    int64_t ns = 0;         // CPU time left out
    bool is_ours = false;   // gprof-x started the thread
    bool is_whole = false;  // gprof-x or CUPTI started it: not a thread of the program
    bool keeps = false;     // it is of an imported trace, so none of its samples are left out
  };
  // By NodeId::index(): 1 = the samples at the node are left out; 2 = they are, and the thread was
  // started for profiling. Empty if no samples are left out.
  std::vector<uint8_t> nodes;
  std::vector<OfThread> threads;  // by ThreadId::index()

  bool empty() const { return nodes.empty() && threads.empty(); }
};

class Profile {
 public:
  Profile();                     // makes node 1 (the root) and string 0 = ""
  Profile(Profile&&) = default;  // no copies: strings_ holds views of text_blocks_
  Profile& operator=(Profile&&) = default;

  StringId Intern(std::string_view text);  // "" is 0; ids are in order of first appearance
  FunctionId Intern(const Function& function);
  FrameId Intern(const Frame& frame);
  NodeId Child(NodeId parent, FrameId frame);  // finds or adds the row
  NodeId root() const { return NodeId{1}; }

  MetricId AddMetric(std::string_view name, std::string_view unit,
                     MetricKind kind);               // finds or adds the row
  MetricId FindMetric(std::string_view name) const;  // 0 = none

  // Adds `amount` to the self value of (node, thread, metric). Sums saturate instead of
  // overflowing.
  void AddSelf(NodeId node, ThreadId thread, MetricId metric, int64_t amount);

  std::string_view Text(StringId id) const;  // "" for 0; the view lives as long as the Profile

  const Function& function(FunctionId id) const { return functions[id.index()]; }
  const Frame& frame(FrameId id) const { return frames[id.index()]; }
  const Node& node(NodeId id) const { return nodes[id.index()]; }
  const Module& module(ModuleId id) const { return modules[id.index()]; }
  const Process& process(ProcessId id) const { return processes[id.index()]; }
  const Thread& thread(ThreadId id) const { return threads[id.index()]; }

  // Tables. Use the functions above where there is one; `values` may also be appended to directly.
  // The code that creates rows of processes, threads, modules and ranges appends and edits them
  // itself.
  std::vector<Source> sources;
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<Module> modules;
  std::vector<LoadRange> ranges;
  std::vector<Function> functions;
  std::vector<Frame> frames;
  std::vector<Node> nodes;
  std::vector<Metric> metrics;
  std::vector<Value> values;
  GpuTables gpu;

  // The entries are documented in man/gprof-x-format.5. With several sources, only entries on which
  // all sources agree.
  std::map<std::string, std::string> meta;
  std::map<std::string, int64_t> quality;  // named counters: lost, truncated, ...
  int64_t sample_rows = 0;  // rows of the timeline; the rows themselves stay in the file

  Phases phases;  // empty if there are none or they were not searched for
  LeftOutSamples left_out;
  std::optional<ShownPart> part;  // set: values, gpu.wall and gpu.lanes cover only this slice
  // If set, host times are estimates of times without profiling.
  std::optional<HostCorrection> corrected;

  size_t string_count() const { return strings_.size(); }

 private:
  struct Key {  // the key of a node (parent, frame) or of a value
    uint64_t a, b;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const noexcept;
  };
  struct RowHash {
    size_t operator()(const Function& f) const noexcept;
    size_t operator()(const Frame& f) const noexcept;
  };

  std::vector<std::string_view> strings_;
  std::vector<std::vector<char>> text_blocks_;  // owns the characters of strings_
  std::unordered_map<std::string_view, StringId> string_index_;
  std::unordered_map<Function, FunctionId, RowHash> function_index_;
  std::unordered_map<Frame, FrameId, RowHash> frame_index_;
  std::unordered_map<Key, uint32_t, KeyHash> node_index_;
  std::unordered_map<Key, uint32_t, KeyHash> value_index_;
  size_t indexed_values_ = 0;  // number of leading rows of `values` that value_index_ contains
};

}  // namespace gprofx
