#include "formats/importers/chrome_trace.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "formats/importers/call_words.h"
#include "formats/importers/chrome/begun_events.h"
#include "formats/importers/chrome/categories.h"
#include "formats/importers/chrome/details.h"
#include "formats/importers/chrome/frames.h"
#include "formats/importers/chrome/kept_events.h"
#include "formats/importers/chrome/names.h"
#include "formats/importers/chrome_json.h"

namespace gprofx::importers {
namespace {

constexpr int64_t kYear2001Ns = 1'000'000'000'000'000'000;

class Reader {
 public:
  explicit Reader(TraceGather& gather) : gather_(gather), names_(gather), frames_(gather) {}

  void Take(const ChromeEvent& event) {
    ++events_;
    names_.NoteWords(event);
    if (event.phase == "X") return TakeSpan(event);
    if (event.phase == "M") return names_.Take(event);
    if (event.phase == "B") return begun_.Begin(RowOf(event), event);
    if (event.phase == "E") {
      if (const auto span = begun_.End(RowOf(event), event)) TakeSpan(*span);
      return;
    }
    const bool is_memory = event.phase == "i" && event.name == "[memory]";
    if (is_memory && TakeMemory(event)) return;
    gather_.LeaveOut(is_memory ? "memory_events" : KindOfPhase(event.phase));
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

  // Ends reading; call it after the last event. Handles the events that waited for the name of
  // their process, because it may come after them.
  void Finish(const ChromeFacts& facts) {
    all_names_known_ = true;
    waiting_.TakeAll([this](const ChromeEvent& event) { TakeOther(event); });
    gather_.LeaveOut("begin_events_without_an_end", begun_.without_end());
    gather_.LeaveOut("end_events_without_a_begin", begun_.without_begin());
    gather_.LeaveOut("begin_end_pairs", begun_.left_out());
    LeaveOutGpuRows();
    names_.Describe();
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
      gather_.SetClock(0);  // old versions write the time since 1970
    }
  }

  int64_t events() const { return events_; }
  bool has_jax_devices() const { return names_.has_jax_devices(); }

 private:
  using Row = ChromeNames::Row;

  void TakeSpan(const ChromeEvent& event) {
    const Category category = CategoryOf(event.category, event.name);
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

  // Takes an event whose category does not say what it is. If its process is a GPU, it belongs to
  // the GPU, otherwise to a host thread. The name of the process may come after the event.
  void TakeOther(const ChromeEvent& event) {
    // PyTorch before 1.8 writes GPU work into a process with this name. The thread id of the work
    // is the number of the GPU.
    if (event.pid_word == "CUDA functions") {
      ChromeEvent work = event;
      work.device = TidOf(event);
      work.stream = 0;
      return TakeWork(work, Category::kKernel);
    }
    if (const auto device = names_.JaxDevice(PidOf(event))) return TakeJax(event, *device);
    if (!all_names_known_ && event.category.empty() && !names_.HasProcess(PidOf(event))) {
      return waiting_.Add(event);
    }
    ++unknown_[RowOf(event)][event.category];
    TakeHost(event, Category::kOther);
  }

  // Leaves out the events of a GPU's process that have no category or an unknown one: they are
  // neither GPU work of a known kind nor time of a host.
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

  // Takes an allocation or free of PyTorch's allocator. Returns false if it is not on a GPU or
  // lacks a needed field.
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
    // Python functions in process 0 have no real thread: Kineto assigns functions there if it does
    // not know their thread.
    const bool is_orphan = category == Category::kPython && PidOf(event) == 0;
    const ThreadId thread =
        is_orphan ? gather_.OrphanThread(TidOf(event)) : gather_.Thread(PidOf(event), TidOf(event));
    if (category != Category::kOther && !is_orphan) hosts_.insert(PidOf(event));
    HostSpan span;
    span.start = *event.start;
    span.duration = *event.duration;
    span.frame = frames_.Of(event.name, category);
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

  // Returns the number of the GPU of an event. If the event has no device, it is the id of its
  // process, which has a label in merged traces.
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

  // Takes an event of a JAX device. Only rows of streams are used; the other rows repeat the same
  // work by module, operation and step. An operation, such as a loop, may enclose others. Kernels
  // and copies have details and enclose nothing.
  void TakeJax(const ChromeEvent& event, uint32_t device) {
    const std::optional<uint32_t> stream = names_.JaxStream(RowOf(event));
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
      ReadCopyDetails(event.copy_details, work);
    } else if (event.name.starts_with("Memset")) {
      category = Category::kSet;
    } else {
      config = KernelDetails(event.kernel_details);
    }
    AddWork(event, category, config, work);
  }

  TraceGather& gather_;
  int64_t events_ = 0, latest_ = 0;
  bool all_names_known_ = false;
  BegunEvents begun_;
  KeptEvents waiting_;  // events whose process is not known to be a GPU or a host
  std::map<Row, uint32_t> jax_rows_;
  std::set<int64_t> gpus_, hosts_;  // processes with events of a GPU; with events of a host
  std::map<Row, std::map<std::string, int64_t>> unknown_;  // by row and category: number of events
  ChromeNames names_;
  ChromeFrames frames_;
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
    return Error{ErrorId::kEmptyFile, "'" + path + "' has no events",
                 "record a part of the program that does work"};
  }
  if (facts->is_kineto) return std::string("PyTorch profiler (Kineto JSON)");
  return std::string(reader.has_jax_devices() ? "JAX profiler (Chrome trace)" : "Chrome trace");
}

}  // namespace gprofx::importers
