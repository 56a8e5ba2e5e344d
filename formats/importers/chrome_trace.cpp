#include "formats/importers/chrome_trace.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "formats/importers/call_words.h"
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
  kSpan,
  kOverhead,
  kOther
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
    if (event.phase == "X") return TakeSpan(event);
    if (event.phase == "M") return TakeName(event);
    if (event.phase == "i" && event.name == "[memory]" && TakeMemory(event)) return;
    gather_.LeaveOut(KindOf(event.phase));
  }

  void Take(const ChromeDevice& device) {
    if (device.number < 0 || device.number > UINT32_MAX) return;
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
    gather_.AddDevice({}, small(device.number), facts);
  }

  // Names may come before or after what they name.
  void Finish(const ChromeFacts& facts) {
    for (const auto& [pid, name] : process_names_) gather_.NameKnownProcess(pid, name);
    for (const auto& [key, name] : thread_names_) {
      gather_.NameKnownThread(key.first, key.second, name);
    }
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
    if (phase == "B" || phase == "E" || phase == "b" || phase == "e") return "begin_end_pairs";
    return "other_events";
  }

  void TakeName(const ChromeEvent& event) {
    if (!event.pid || event.label.empty()) return;
    if (event.name == "process_name" && process_names_.size() < kMaxNames) {
      process_names_[*event.pid] = event.label;
    }
    if (event.name == "thread_name" && event.tid && thread_names_.size() < kMaxNames) {
      thread_names_[{*event.pid, *event.tid}] = event.label;
    }
  }

  void TakeSpan(const ChromeEvent& event) {
    const Category category = CategoryOf(event.category);
    if (category == Category::kSpan) return gather_.LeaveOut("profiler_spans");
    if (category == Category::kGpuAnnotation) return gather_.LeaveOut("gpu_annotations");
    if (category == Category::kOverhead) return gather_.LeaveOut("overheads");
    if (!event.start || !event.duration || event.name.empty() || !event.pid || !event.tid) {
      return gather_.LeaveOut("events_without_a_time");
    }
    latest_ = std::max(latest_, *event.start);
    switch (category) {
      case Category::kKernel:
      case Category::kCopy:
      case Category::kSet:
        return TakeWork(event, category);
      case Category::kSync:
        return TakeSync(event);
      case Category::kOther:
        if (const auto device = JaxDevice(*event.pid)) return TakeJax(event, *device);
        [[fallthrough]];
      default:
        return TakeHost(event, category);
    }
  }

  // Takes a block of PyTorch's allocator. False if it is not on a GPU or lacks a needed field.
  bool TakeMemory(const ChromeEvent& event) {
    constexpr int64_t kCuda = 1;  // c10::DeviceType
    if (event.device_type != kCuda || event.address == 0 || event.changed == 0 || !event.start ||
        !event.pid || !event.tid || event.device < 0 || event.device > UINT16_MAX)
      return false;
    TraceMemory memory;
    memory.time = *event.start;
    memory.thread = gather_.Thread(*event.pid, *event.tid);
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
    const bool is_orphan = category == Category::kPython && *event.pid == 0;
    const ThreadId thread =
        is_orphan ? gather_.OrphanThread(*event.tid) : gather_.Thread(*event.pid, *event.tid);
    HostSpan span;
    span.start = *event.start;
    span.duration = *event.duration;
    span.frame = FrameOf(event, category);
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
    const std::string key = std::to_string(static_cast<int>(category)) + event.name;
    if (const auto found = frames_.find(key); found != frames_.end()) return found->second;
    const FrameId frame = MakeFrame(event.name, category);
    if (frames_.size() < kMaxNames) frames_[key] = frame;
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
    work.device = number(event.device, *event.pid);
    work.context = number(event.context, 0);
    work.stream = number(event.stream, *event.tid);
    return work;
  }

  void TakeWork(const ChromeEvent& event, Category category) {
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
    if (event.correlation > 0 && event.correlation <= UINT32_MAX) {
      sync.correlation = static_cast<uint32_t>(event.correlation);
    }
    sync.context = event.context > 0 ? static_cast<uint32_t>(event.context) : 0;
    for (uint32_t type = 1; type < std::size(kTypes); ++type) {
      if (event.sync_kind == kTypes[type]) sync.type = type;
    }
    gather_.AddSync(sync);
  }

  std::optional<uint32_t> JaxDevice(int64_t pid) {
    constexpr std::string_view kDevice = "/device:GPU:";
    const auto found = process_names_.find(pid);
    if (found == process_names_.end()) return std::nullopt;
    const size_t at = found->second.find(kDevice);
    if (at == std::string::npos) return std::nullopt;
    has_jax_devices_ = true;
    return NumberIn<uint32_t>(std::string_view(found->second).substr(at + kDevice.size()));
  }

  // Takes an event of a JAX device. Only rows named "Stream #N" count: the others repeat the same
  // work by module, operation and step.
  void TakeJax(const ChromeEvent& event, uint32_t device) {
    constexpr std::string_view kStream = "Stream #";
    const auto row = thread_names_.find({*event.pid, *event.tid});
    if (row == thread_names_.end() || !row->second.starts_with(kStream)) {
      return gather_.LeaveOut("device_summaries");
    }
    TraceWork work = WorkOf(event);
    work.device = device;
    work.stream = NumberIn<uint32_t>(std::string_view(row->second).substr(kStream.size()));
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
  bool has_jax_devices_ = false;
  std::map<int64_t, std::string> process_names_;
  std::map<std::pair<int64_t, int64_t>, std::string> thread_names_;
  std::unordered_map<std::string, FrameId> frames_;
};

}  // namespace

Result<std::string> ReadChromeTrace(ByteSource& source, const std::string& path,
                                    TraceGather& gather) {
  Reader reader(gather);
  const ChromeSink sink{[&](const ChromeEvent& event) { reader.Take(event); },
                        [&](const ChromeDevice& device) { reader.Take(device); }};
  const Result<ChromeFacts> facts = ReadChromeJson(source, path, sink);
  if (!facts) return facts.error();
  if (reader.events() == 0) {
    return Error{"'" + path + "' holds no events", "record a part of the program that does work"};
  }
  reader.Finish(*facts);
  if (facts->is_kineto) return std::string("PyTorch profiler (Kineto JSON)");
  return std::string(reader.has_jax_devices() ? "JAX profiler (Chrome trace)" : "Chrome trace");
}

}  // namespace gprofx::importers
