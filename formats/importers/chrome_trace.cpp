#include "formats/importers/chrome_trace.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/importers/call_words.h"
#include "formats/importers/chrome/begun_events.h"
#include "formats/importers/chrome/kept_events.h"
#include "formats/importers/chrome_json.h"

namespace gprofx::importers {
namespace {

constexpr size_t kMaxNames = 65'536;
constexpr int64_t kYear2001Ns = 1'000'000'000'000'000'000;

enum class Category {
  kOperator,
  kPython,
  kAnnotation,
  kCall,
  kKernel,
  kCopy,
  kSet,
  kSync,
  kGpuAnnotation,
  kGpuRange,
  kSpan,
  kOverhead,
  kOther,
  kCategories
};

// Returns the category for the "cat" of an event. Older versions of Kineto capitalize it.
Category CategoryOf(std::string_view name) {
  static constexpr struct {
    std::string_view name;
    Category category;
  } kCategories[] = {{"cpu_op", Category::kOperator},
                     {"python_function", Category::kPython},
                     {"cuda_runtime", Category::kCall},
                     {"cuda_driver", Category::kCall},
                     {"kernel", Category::kKernel},
                     {"gpu_memcpy", Category::kCopy},
                     {"gpu_memset", Category::kSet},
                     {"user_annotation", Category::kAnnotation},
                     {"gpu_user_annotation", Category::kGpuAnnotation},
                     {"cuda_sync", Category::kSync},
                     {"cuda_profiler_range", Category::kGpuRange},
                     {"Trace", Category::kSpan},
                     {"overhead", Category::kOverhead},
                     {"Operator", Category::kOperator},
                     {"Runtime", Category::kCall},
                     {"Kernel", Category::kKernel},
                     {"Memcpy", Category::kCopy},
                     {"Memset", Category::kSet}};
  for (const auto& known : kCategories) {
    if (known.name == name) return known.category;
  }
  return Category::kOther;
}

// PyTorch before 1.12 writes its own ranges as operators.
bool IsRangeOfPyTorch(std::string_view name) {
  return name.starts_with("ProfilerStep#") || name.starts_with("enumerate(DataLoader)#") ||
         name.starts_with("Optimizer.step#") || name.starts_with("Optimizer.zero_grad#");
}

// Returns the text after `key`, up to the next blank, in details like "regs:32 grid:1,2,3".
std::string_view Detail(std::string_view details, std::string_view key) {
  for (size_t at = details.find(key); at != std::string_view::npos;
       at = details.find(key, at + 1)) {
    if (at != 0 && details[at - 1] != ' ') continue;
    const std::string_view rest = details.substr(at + key.size());
    return rest.substr(0, rest.find(' '));
  }
  return {};
}

// A category as part of the name of a counter.
std::string PlainWord(std::string_view text) {
  std::string word(text.substr(0, 40));
  for (char& c : word) {
    const bool is_plain =
        isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<signed char>(c) > 0;
    if (!is_plain) c = '_';
  }
  return word;
}

template <class Number>
Number NumberIn(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void ReadSize(std::string_view text, uint32_t (&size)[3]) {
  for (uint32_t& part : size) {
    const size_t comma = text.find(',');
    part = NumberIn<uint32_t>(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
}

class Reader {
 public:
  explicit Reader(TraceGather& gather) : gather_(gather) {}

  void Take(const ChromeEvent& event) {
    ++events_;
    NoteWords(event);
    if (event.phase == "X") return TakeSpan(event);
    if (event.phase == "M") return TakeName(event);
    if (event.phase == "B") return begun_.Begin(RowOf(event), event);
    if (event.phase == "E") {
      if (const auto span = begun_.End(RowOf(event), event)) TakeSpan(*span);
      return;
    }
    const bool is_memory = event.phase == "i" && event.name == "[memory]";
    if (is_memory && TakeMemory(event)) return;
    gather_.LeaveOut(is_memory ? "memory_events" : KindOf(event.phase));
  }

  void Take(const ChromeDevice& device) {
    if (device.number < 0 || device.number > UINT32_MAX) return gather_.LeaveOut("facts_of_gpus");
    const auto small = [](int64_t number) {
      return number >= 0 && number <= UINT32_MAX ? static_cast<uint32_t>(number) : 0;
    };
    GpuDeviceFacts facts;
    facts.name = device.name;
    facts.compute_major = small(device.compute_major);
    facts.compute_minor = small(device.compute_minor);
    facts.multiprocessors = small(device.multiprocessors);
    facts.memory_bytes = device.memory_bytes;
    facts.threads_per_warp = small(device.warp_threads);
    if (device.warp_threads > 0) {
      facts.warps_per_multiprocessor =
          small(device.threads_per_multiprocessor / device.warp_threads);
    }
    gather_.AddDevice({}, small(device.number), facts, small(device.number));
  }

  // Names may come before or after what they name.
  void Finish(const ChromeFacts& facts) {
    all_names_known_ = true;
    waiting_.TakeAll([this](const ChromeEvent& event) { TakeOther(event); });
    gather_.LeaveOut("begin_events_without_an_end", begun_.without_end());
    gather_.LeaveOut("end_events_without_a_begin", begun_.without_begin());
    gather_.LeaveOut("begin_end_pairs", begun_.left_out());
    LeaveOutGpuRows();
    for (const auto& [pid, word] : process_words_) gather_.DescribeProcess(pid, word);
    for (const auto& [key, word] : thread_words_) {
      gather_.DescribeThread(key.first, key.second, word);
    }
    for (const auto& [pid, name] : process_names_) {
      const auto word = process_words_.find(pid);
      const std::string label =
          word == process_words_.end() ? std::string() : ParseIdWord(word->second).label;
      gather_.NameKnownProcess(pid, label.empty() ? name : label + " " + name);
    }
    for (const auto& [key, name] : thread_names_) {
      gather_.NameKnownThread(key.first, key.second, name);
    }
    gather_.LeaveOut("cut_off_event", facts.is_cut_event ? 1 : 0);
    gather_.LeaveOut("entries_that_are_no_events", facts.not_events);
    gather_.LeaveOut("names_of_ids", facts.unnamed_ids);
    if (facts.mended > 0) gather_.profile().quality["import_replaced_characters"] = facts.mended;
    Profile& profile = gather_.profile();
    profile.quality["import_events"] = events_;
    if (facts.rank >= 0) profile.meta["rank"] = std::to_string(facts.rank);
    if (!facts.host.empty()) profile.meta["host"] = facts.host.substr(0, 255);
    if (facts.base_ns) {
      gather_.SetClock(*facts.base_ns);
    } else if (latest_ > kYear2001Ns) {
      gather_.SetClock(0);  // old versions give the time since 1970
    }
  }

  int64_t events() const { return events_; }
  bool has_jax_devices() const { return has_jax_devices_; }

 private:
  static const char* KindOf(std::string_view phase) {
    if (phase == "s" || phase == "t" || phase == "f") return "flow_arrows";
    if (phase == "i" || phase == "I" || phase == "R" || phase == "n") return "instants";
    if (phase == "C") return "counters";
    if (phase == "b" || phase == "e" || phase == "S" || phase == "F") return "async_events";
    return "other_events";
  }

  using Row = std::pair<int64_t, int64_t>;  // process and thread

  // Ids that are words name what they stand for.
  void NoteWords(const ChromeEvent& event) {
    if (!event.pid_word.empty()) {
      Keep(process_words_, PidOf(event), event.pid_word, "names_of_processes");
    }
    if (!event.tid_word.empty()) {
      Keep(thread_words_, RowOf(event), event.tid_word, "names_of_threads");
    }
  }

  static int64_t PidOf(const ChromeEvent& event) { return event.pid.value_or(0); }
  static int64_t TidOf(const ChromeEvent& event) { return event.tid.value_or(0); }
  static Row RowOf(const ChromeEvent& event) { return {PidOf(event), TidOf(event)}; }

  // Names `key`, or counts that there are too many names.
  template <class Key>
  void Keep(std::map<Key, std::string>& names, Key key, const std::string& name, const char* what) {
    const auto known = names.find(key);
    if (known != names.end()) {
      known->second = name;
    } else if (names.size() < kMaxNames) {
      names.emplace(key, name);
    } else {
      gather_.LeaveOut(what);
    }
  }

  void TakeName(const ChromeEvent& event) {
    if (!event.pid || event.label.empty()) return;
    if (event.name == "process_name") {
      Keep(process_names_, *event.pid, event.label, "names_of_processes");
    }
    if (event.name == "thread_name" && event.tid) {
      Keep(thread_names_, RowOf(event), event.label, "names_of_threads");
    }
  }

  void TakeSpan(const ChromeEvent& event) {
    Category category = CategoryOf(event.category);
    if (category == Category::kOperator && IsRangeOfPyTorch(event.name)) {
      category = Category::kAnnotation;
    }
    if (category == Category::kSpan) return gather_.LeaveOut("profiler_spans");
    if (category == Category::kGpuAnnotation) return gather_.LeaveOut("gpu_annotations");
    if (category == Category::kGpuRange) return gather_.LeaveOut("gpu_profiler_ranges");
    if (category == Category::kOverhead) return gather_.LeaveOut("overheads");
    if (!event.start || !event.duration) return gather_.LeaveOut("events_without_a_time");
    if (event.name.empty()) return gather_.LeaveOut("events_without_a_name");
    latest_ = std::max(latest_, *event.start);
    switch (category) {
      case Category::kKernel:
      case Category::kCopy:
      case Category::kSet:
        return TakeWork(event, category);
      case Category::kSync:
        return TakeSync(event);
      case Category::kOther:
        return TakeOther(event);
      default:
        return TakeHost(event, category);
    }
  }

  // An event whose category says nothing: of a host thread, or of a GPU if its process is one. The
  // name of the process may come after it.
  void TakeOther(const ChromeEvent& event) {
    // So PyTorch before 1.8 calls the GPUs; the thread is the number of the GPU.
    if (event.pid_word == "CUDA functions") {
      ChromeEvent work = event;
      work.device = TidOf(event);
      work.stream = 0;
      return TakeWork(work, Category::kKernel);
    }
    if (const auto device = JaxDevice(PidOf(event))) return TakeJax(event, *device);
    if (!all_names_known_ && event.category.empty() && !process_names_.contains(PidOf(event))) {
      return waiting_.Add(event);
    }
    ++unknown_[RowOf(event)][event.category];
    TakeHost(event, Category::kOther);
  }

  // The process of a GPU may hold events without a category, or of one that is not known here: they
  // are no work of the GPU that could be counted, and no time of a host.
  void LeaveOutGpuRows() {
    for (const auto& [row, categories] : unknown_) {
      const bool is_gpu = gpus_.contains(row.first) && !hosts_.contains(row.first);
      if (!is_gpu || !gather_.DropThread(row.first, row.second)) continue;
      for (const auto& [category, count] : categories) {
        gather_.LeaveOut(category.empty() ? "gpu_events_without_a_category"
                                          : "gpu_events_of_category_" + PlainWord(category),
                         count);
      }
    }
  }

  // Takes a block of PyTorch's allocator. False if it is not on a GPU or lacks a needed field.
  bool TakeMemory(const ChromeEvent& event) {
    constexpr int64_t kCuda = 1;  // c10::DeviceType
    if (event.device_type != kCuda || event.address == 0 || event.changed == 0 || !event.start ||
        event.device < 0 || event.device > UINT16_MAX)
      return false;
    TraceMemory memory;
    memory.time = *event.start;
    memory.thread = gather_.Thread(PidOf(event), TidOf(event));
    memory.device = static_cast<uint32_t>(event.device);
    memory.address = static_cast<uint64_t>(event.address);
    memory.bytes = event.changed;
    memory.allocated = std::max<int64_t>(event.allocated, -1);
    memory.reserved = std::max<int64_t>(event.reserved, -1);
    gather_.AddMemory(memory);
    return true;
  }

  void TakeHost(const ChromeEvent& event, Category category) {
    // Kineto puts functions of threads that it does not know on process 0, thread 0.
    const bool is_orphan = category == Category::kPython && PidOf(event) == 0;
    const ThreadId thread =
        is_orphan ? gather_.OrphanThread(TidOf(event)) : gather_.Thread(PidOf(event), TidOf(event));
    if (category != Category::kOther && !is_orphan) hosts_.insert(PidOf(event));
    HostSpan span;
    span.start = *event.start;
    span.duration = *event.duration;
    span.frame = FrameOf(event, category);
    span.is_range = category == Category::kAnnotation;
    if (event.correlation > 0 && event.correlation <= UINT32_MAX) {
      span.correlation = static_cast<uint32_t>(event.correlation);
    }
    if (category == Category::kOperator && !event.shapes.empty()) {
      if (const auto work = WorkOfOperator(event.name, event.shapes, event.types)) {
        span.work = gather_.AddWorkOf(*work);
      }
    }
    if (category == Category::kOperator && event.sequence >= 0) {
      span.sequence = event.sequence;
      const int64_t forward = event.forward_thread;
      span.forward_thread =
          forward > 0 && forward <= UINT32_MAX ? static_cast<uint32_t>(forward) : 0;
      span.is_backward = span.forward_thread != 0 || IsBackwardName(event.name);
    }
    gather_.AddHost(thread, span);
    if (category == Category::kAnnotation) {
      gather_.AddMarker(
          {*event.start, *event.duration, thread, gather_.profile().Intern(event.name)});
    }
  }

  FrameId FrameOf(const ChromeEvent& event, Category category) {
    auto& frames = frames_[static_cast<size_t>(category)];
    if (const auto found = frames.find(event.name); found != frames.end()) return found->second;
    const FrameId frame = MakeFrame(event.name, category);
    if (frames.size() < kMaxNames) frames.emplace(event.name, frame);
    return frame;
  }

  FrameId MakeFrame(std::string_view name, Category category) {
    switch (category) {
      case Category::kPython:
        return PythonFrame(name);
      case Category::kCall: {
        const std::string_view call = WithoutVersion(name);
        return gather_.Frame(IsWaitingCall(call) ? FrameKind::kCudaApi : FrameKind::kNative, call);
      }
      case Category::kAnnotation:
        return gather_.Frame(FrameKind::kOperator, WithoutNumbers(name));
      default:
        return gather_.Frame(FrameKind::kOperator, name);
    }
  }

  // "file(line): function", "nn.Module: Linear_3", "<built-in method mm of type object at 0x7f>".
  FrameId PythonFrame(std::string_view name) {
    if (name.starts_with("nn.Module: ")) return gather_.Frame(FrameKind::kOperator, name);
    if (name.starts_with("<built-in")) {
      const size_t at = name.find(" at 0x");
      return gather_.Frame(FrameKind::kNative, at == std::string_view::npos
                                                   ? std::string(name)
                                                   : std::string(name.substr(0, at)) + ">");
    }
    const size_t close = name.find("): ");
    const size_t open = name.rfind('(', close);
    if (close == std::string_view::npos || open == std::string_view::npos || open == 0) {
      return gather_.Frame(FrameKind::kPython, name);
    }
    return gather_.Frame(FrameKind::kPython, name.substr(close + 3), name.substr(0, open),
                         NumberIn<uint32_t>(name.substr(open + 1, close - open - 1)));
  }

  TraceWork WorkOf(const ChromeEvent& event) {
    TraceWork work;
    work.start = *event.start;
    work.duration = *event.duration;
    work.bytes = std::max<int64_t>(event.bytes, 0);
    const auto number = [](int64_t said, int64_t otherwise) {
      const int64_t chosen = said >= 0 ? said : otherwise;
      return chosen >= 0 && chosen <= UINT32_MAX ? static_cast<uint32_t>(chosen) : 0;
    };
    work.correlation = number(event.correlation, 0);
    work.device = DeviceOf(event);
    work.group = GroupOf(event);
    work.context = number(event.context, 0);
    work.stream = number(
        event.stream, event.tid_word.empty() ? TidOf(event) : ParseIdWord(event.tid_word).number);
    return work;
  }

  // The process of an event of a GPU is the number of the GPU, with a label in merged traces.
  static uint32_t DeviceOf(const ChromeEvent& event) {
    const int64_t pid = event.pid_word.empty() ? PidOf(event) : ParseIdWord(event.pid_word).number;
    const int64_t number = event.device >= 0 ? event.device : pid;
    return number >= 0 && number <= UINT32_MAX ? static_cast<uint32_t>(number) : 0;
  }

  StringId GroupOf(const ChromeEvent& event) {
    if (event.pid_word.empty()) return {};
    return gather_.profile().Intern(ParseIdWord(event.pid_word).label);
  }

  void TakeWork(const ChromeEvent& event, Category category) {
    gpus_.insert(PidOf(event));
    TraceWork work = WorkOf(event);
    AddWork(event, category, event.config, work);
  }

  void AddWork(const ChromeEvent& event, Category category, const GpuKernelConfig& config,
               TraceWork& work) {
    if (category == Category::kKernel) {
      work.kind = TraceWork::kKernel;
      work.config = gather_.AddConfig(event.name, config);
    } else if (category == Category::kCopy) {
      work.kind = TraceWork::kCopy;
      ReadCopyName(event.name, work);
    } else {
      work.kind = TraceWork::kSet;
      const size_t open = event.name.find('('), close = event.name.find(')');
      if (open < close && close != std::string::npos) {
        work.target = MemoryKind(std::string_view(event.name).substr(open + 1, close - open - 1));
      }
    }
    gather_.AddWork(work);
  }

  void TakeSync(const ChromeEvent& event) {
    static constexpr std::string_view kTypes[] = {"", "Event Sync", "Stream Wait Event",
                                                  "Stream Sync", "Context Sync"};
    TraceSync sync;
    sync.start = *event.start;
    sync.duration = *event.duration;
    sync.device = DeviceOf(event);
    sync.group = GroupOf(event);
    if (event.correlation > 0 && event.correlation <= UINT32_MAX) {
      sync.correlation = static_cast<uint32_t>(event.correlation);
    }
    if (event.context > 0 && event.context <= UINT32_MAX) {
      sync.context = static_cast<uint32_t>(event.context);
    }
    for (uint32_t type = 1; type < std::size(kTypes); ++type) {
      if (event.sync_kind == kTypes[type]) sync.type = type;
    }
    gather_.AddSync(sync);
  }

  std::optional<uint32_t> JaxDevice(int64_t pid) {
    const auto found = process_names_.find(pid);
    if (found == process_names_.end()) return std::nullopt;
    for (const std::string_view device : {"/device:GPU:", "/device:TPU:"}) {
      const size_t at = found->second.find(device);
      if (at == std::string::npos) continue;
      has_jax_devices_ = true;
      return NumberIn<uint32_t>(std::string_view(found->second).substr(at + device.size()));
    }
    return std::nullopt;
  }

  // The row of a stream: "Stream #7(Compute)" of a GPU. A TPU has none, but its operations.
  std::optional<uint32_t> JaxStream(const ChromeEvent& event) const {
    constexpr std::string_view kStream = "Stream #";
    const auto row = thread_names_.find({PidOf(event), TidOf(event)});
    if (row == thread_names_.end()) return std::nullopt;
    const std::string_view name = row->second;
    if (name.starts_with(kStream)) return NumberIn<uint32_t>(name.substr(kStream.size()));
    const bool is_tpu = process_names_.at(PidOf(event)).find("/device:TPU:") != std::string::npos;
    return is_tpu && name == "XLA Ops" ? std::optional<uint32_t>(0) : std::nullopt;
  }

  // Takes an event of a JAX device. Only rows named "Stream #N" count: the others repeat the same
  // work by module, operation and step. An operation such as a loop may enclose others; a kernel or
  // a copy, which has details, does not.
  void TakeJax(const ChromeEvent& event, uint32_t device) {
    const std::optional<uint32_t> stream = JaxStream(event);
    if (!stream) return gather_.LeaveOut("device_summaries");
    TraceWork work = WorkOf(event);
    work.device = device;
    work.stream = *stream;
    work.row = jax_rows_.try_emplace(RowOf(event), static_cast<uint32_t>(jax_rows_.size() + 1))
                   .first->second;
    work.may_enclose = event.kernel_details.empty() && event.copy_details.empty();
    Category category = Category::kKernel;
    GpuKernelConfig config;
    if (event.name.starts_with("Memcpy") || !event.copy_details.empty()) {
      category = Category::kCopy;
      const std::string_view details = event.copy_details;
      work.bytes = NumberIn<int64_t>(Detail(details, "size:"));
      work.source = MemoryKind(Detail(details, "kind_src:"));
      work.target = MemoryKind(Detail(details, "kind_dst:"));
    } else if (event.name.starts_with("Memset")) {
      category = Category::kSet;
    } else {
      const std::string_view details = event.kernel_details;
      config.registers = NumberIn<uint32_t>(Detail(details, "regs:"));
      config.static_shared = NumberIn<uint32_t>(Detail(details, "static_shared:"));
      config.dynamic_shared = NumberIn<uint32_t>(Detail(details, "dynamic_shared:"));
      ReadSize(Detail(details, "grid:"), config.grid);
      ReadSize(Detail(details, "block:"), config.block);
    }
    AddWork(event, category, config, work);
  }

  TraceGather& gather_;
  int64_t events_ = 0, latest_ = 0;
  bool has_jax_devices_ = false, all_names_known_ = false;
  std::map<int64_t, std::string> process_names_;
  std::map<Row, std::string> thread_names_;
  std::map<int64_t, std::string> process_words_;
  std::map<Row, std::string> thread_words_;
  BegunEvents begun_;
  KeptEvents waiting_;  // events whose process has no name yet
  std::map<Row, uint32_t> jax_rows_;
  std::set<int64_t> gpus_, hosts_;  // processes with events that are known to be of the one kind
  std::map<Row, std::map<std::string, int64_t>> unknown_;  // categories and their events
  // By category and name.
  std::array<std::unordered_map<std::string, FrameId>, static_cast<size_t>(Category::kCategories)>
      frames_;
};

}  // namespace

Result<std::string> ReadChromeTrace(ByteSource& source, const std::string& path,
                                    TraceGather& gather) {
  Reader reader(gather);
  const ChromeSink sink{[&](const ChromeEvent& event) { reader.Take(event); },
                        [&](const ChromeDevice& device) { reader.Take(device); }};
  const Result<ChromeFacts> facts = ReadChromeJson(source, path, sink);
  if (!facts) return facts.error();
  reader.Finish(*facts);
  if (reader.events() == 0) {
    return Error{"'" + path + "' holds no events", "record a part of the program that does work"};
  }
  if (facts->is_kineto) return std::string("PyTorch profiler (Kineto JSON)");
  return std::string(reader.has_jax_devices() ? "JAX profiler (Chrome trace)" : "Chrome trace");
}

}  // namespace gprofx::importers
