// Reads the GPU work of a trace of PyTorch's profiler as a stream of JSON. The shape of a kernel is
// that of the operator with the same External id. The size of a collective comes from its own
// arguments.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/base/text.h"
#include "core/kernels/kernel_family.h"
#include "core/variability/steps.h"
#include "formats/importers/call_words.h"
#include "formats/importers/chrome_json.h"
#include "formats/variability/files.h"
#include "formats/variability/memory_events.h"

namespace gprofx {
namespace {

using namespace variability;

constexpr int64_t kYear2001 = 1'000'000'000'000'000'000;
constexpr size_t kMaxShapes = 1 << 20;

class Gather {
 public:
  explicit Gather(MemoryEvents& out) : out_(out) {}

  void Take(const importers::ChromeEvent& event) {
    if (event.phase != "X" || !event.start || !event.duration) return;
    if (event.category == "user_annotation" && MayNameStep(event.name)) {
      const int64_t begin = Bounded(*event.start);
      steps_.push_back({begin, begin + Bounded(*event.duration), event.name});
    }
    if (IsOneOf(event.category, {"cpu_op", "Operator"})) return TakeOperator(event);
    if (event.category == "cuda_driver" || IsOneOf(event.category, {"cuda_runtime", "Runtime"})) {
      return TakeCall(event);
    }
    const bool is_kernel = IsOneOf(event.category, {"kernel", "Kernel"});
    const bool is_copy = IsOneOf(event.category, {"gpu_memcpy", "Memcpy"});
    if (is_kernel || is_copy || IsOneOf(event.category, {"gpu_memset", "Memset"})) {
      TakeWork(event, is_kernel ? Kind::kCompute : is_copy ? Kind::kCopy : Kind::kSet);
    }
  }

  void Take(const importers::ChromeDevice& device) { devices_[device.number] = device.name; }

  void Finish(const importers::ChromeFacts& found) {
    FileFacts& facts = out_.mutable_facts();
    facts.format = "Kineto";
    facts.host = found.host;
    facts.rank = found.rank;
    if (found.base_ns) {
      facts.clock_zero = *found.base_ns;
    } else if (latest_ > kYear2001) {
      facts.clock_zero = 0;  // old versions write the time since 1970
    }
    if (ProcessSteps steps = StepsFromRanges(0, steps_); !steps.steps.empty()) {
      facts.processes.push_back(std::move(steps));
    }
    for (const auto& [event, waiting] : waiting_) Add(event, waiting);
    out_.Sort();
  }

 private:
  // Data of an event whose operator or device may come later in the trace. Until all are known, the
  // group of an event is a position in keys_.
  struct Waiting {
    int64_t device = 0, external = 0;
  };

  void TakeOperator(const importers::ChromeEvent& event) {
    if (event.external == 0 || shapes_.size() >= kMaxShapes) return;
    std::string shape = event.name;
    for (const TensorShape& sizes : event.shapes) {
      shape += shape.size() == event.name.size() ? " [" : ", [";
      for (size_t i = 0; i < sizes.size(); ++i) {
        shape += (i == 0 ? "" : ",") + std::to_string(sizes[i]);
      }
      shape += "]";
    }
    const auto [found, is_new] = texts_.try_emplace(std::move(shape), text_of_.size());
    if (is_new) text_of_.push_back(found->first);
    shapes_[event.external] = found->second;
  }

  void TakeCall(const importers::ChromeEvent& event) {
    const std::string_view call = importers::WithoutVersion(event.name);
    if (!importers::IsWaitingCall(call)) return;
    const int64_t begin = Bounded(*event.start);
    out_.AddWait(0, call, begin, begin + Bounded(*event.duration));
    out_.mutable_facts().tells_idle = true;
  }

  void TakeWork(const importers::ChromeEvent& event, Kind kind) {
    const Waiting one{event.device >= 0 ? event.device : event.pid.value_or(0), event.external};
    GroupKey key;
    key.kind = kind;
    key.name = event.name;
    if (kind == Kind::kCompute) {
      std::copy_n(event.config.grid, 3, key.grid);
      std::copy_n(event.config.block, 3, key.block);
      if (IsCommunicationKernel(event.name)) key.kind = Kind::kCollective;
      if (!event.collective.empty()) {
        key.shape = event.collective + " " + std::to_string(event.elements) + " " + event.ranks;
      }
    } else {
      key.shape = std::to_string(event.bytes) + " B";
    }
    Event work;
    work.start = Bounded(*event.start);
    work.duration = Bounded(*event.duration);
    work.stream = static_cast<uint32_t>(event.stream >= 0 ? event.stream : event.tid.value_or(0));
    work.kind = key.kind;
    latest_ = std::max(latest_, work.start);
    const auto [found, is_new] = key_of_.try_emplace(TextOf(key), keys_.size());
    if (is_new) keys_.push_back(std::move(key));
    work.group = found->second;
    waiting_.emplace_back(work, one);
  }

  void Add(Event event, const Waiting& waiting) {
    const auto [found, is_new] =
        group_of_.try_emplace({event.group, waiting.device, TextAt(waiting.external)}, 0);
    if (is_new) found->second = MakeGroup(event.group, waiting);
    event.group = found->second;
    event.lane = out_.Lane(0, waiting.device);
    out_.Add(event);
  }

  // Returns the shape with this External id, as 1 + its position in text_of_; 0 if there is none.
  uint32_t TextAt(int64_t external) const {
    const auto shape = shapes_.find(external);
    return shape == shapes_.end() ? 0 : shape->second + 1;
  }

  uint32_t MakeGroup(uint32_t position, const Waiting& waiting) {
    GroupKey key = keys_[position];
    const auto device = devices_.find(waiting.device);
    if (device != devices_.end()) key.device = device->second;
    const uint32_t text = TextAt(waiting.external);
    if (key.shape.empty() && text != 0) key.shape = text_of_[text - 1];
    return out_.Group(key);
  }

  MemoryEvents& out_;
  int64_t latest_ = 0;
  std::vector<NamedRange> steps_;
  std::map<int64_t, std::string> devices_;
  std::unordered_map<std::string, uint32_t> texts_, key_of_;
  std::vector<std::string> text_of_;
  std::vector<GroupKey> keys_;
  std::unordered_map<int64_t, uint32_t> shapes_;  // by External id: position in text_of_
  std::map<std::tuple<uint32_t, int64_t, uint32_t>, uint32_t> group_of_;
  std::vector<std::pair<Event, Waiting>> waiting_;
};

}  // namespace

OpenedEvents OpenChromeEvents(const std::string& path) {
  Result<importers::ByteSource> source = importers::ByteSource::Open(path);
  if (!source) return source.error();
  auto events = std::make_unique<MemoryEvents>();
  Gather gather(*events);
  const importers::ChromeSink sink{
      [&](const importers::ChromeEvent& event) { gather.Take(event); },
      [&](const importers::ChromeDevice& device) { gather.Take(device); }};
  const Result<importers::ChromeFacts> facts = importers::ReadChromeJson(*source, path, sink);
  if (!facts) return facts.error();
  gather.Finish(*facts);
  return std::unique_ptr<EventFile>(std::move(events));
}

}  // namespace gprofx
