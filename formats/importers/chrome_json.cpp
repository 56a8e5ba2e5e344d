#include "formats/importers/chrome_json.h"

#include <charconv>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/importers/json/json_characters.h"
#include "formats/importers/json/json_error.h"
#include "formats/importers/json/json_parser.h"
#include "formats/importers/micros.h"

namespace gprofx::importers {
namespace {

// Where in the document the parser is.
enum class Place : uint8_t {
  kTop,
  kEvents,
  kEvent,
  kArgs,
  kGrid,
  kBlock,
  kShapes,
  kShape,
  kTypes,
  kDevices,
  kDevice,
  kDistributed,
  kElsewhere
};

// Returns the integer in `text`; no value if it is not one. Accepts "10.0", which tools write that
// store all numbers as floats.
std::optional<int64_t> IntegerIn(std::string_view text) {
  if (text.starts_with("$$")) text.remove_prefix(2);  // JAX writes ids like "$$1"
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  const bool is_whole = text.empty() || (text.starts_with(".0") &&
                                         text.find_first_not_of('0', 1) == std::string_view::npos);
  return is_whole ? std::optional(number) : std::nullopt;
}

uint32_t Unsigned(int64_t number) {
  return number >= 0 && number <= UINT32_MAX ? static_cast<uint32_t>(number) : 0;
}

// Maximum number of arguments that are kept, and of sizes per argument. The known operators need no
// more.
constexpr size_t kMaxArguments = 16, kMaxSizes = 8;
constexpr size_t kMaxWords = 65'536;  // maximum number of different ids that are texts

class Handler {
 public:
  explicit Handler(const ChromeSink& sink) : sink_(sink) {}

  ChromeFacts facts;
  bool has_events = false;

  // True if the document is an array of events that is not closed. The format allows this, because
  // a killed program cannot write the end.
  bool is_open_array() const { return !places_.empty() && places_[0] == Place::kEvents; }
  bool is_within_event() const { return places_.size() > 1; }

  void Null() { NoteValue(); }
  void Boolean() { NoteValue(); }
  void Number(std::string_view text) {
    if (places_.empty()) return;
    NoteValue();
    NumberAt(IntegerIn(text), text);
  }
  void Text(std::string_view text) {
    if (places_.empty()) return;
    NoteValue();
    TextAt(text);
  }
  void Key(std::string_view key) { key_ = key; }
  void BeginObject() {
    places_.push_back(ObjectPlace());
    if (places_.back() == Place::kEvent) event_.Clear();
    if (places_.back() == Place::kDevice) device_ = {};
  }
  void EndObject() {
    if (places_.back() == Place::kEvent) sink_.event(event_);
    if (places_.back() == Place::kDevice) sink_.device(device_);
    places_.pop_back();
  }
  void BeginArray() {
    NoteValue();
    places_.push_back(ArrayPlace());
    has_events = has_events || places_.back() == Place::kEvents;
    index_ = 0;
    if (places_.back() == Place::kShape && event_.shapes.size() < kMaxArguments) {
      event_.shapes.emplace_back();
    }
  }
  void EndArray() { places_.pop_back(); }

 private:
  Place ObjectPlace() const {
    if (places_.empty()) return Place::kTop;
    switch (places_.back()) {
      case Place::kTop:
        return key_ == "distributedInfo" ? Place::kDistributed : Place::kElsewhere;
      case Place::kEvents:
        return Place::kEvent;
      case Place::kEvent:
        return key_ == "args" ? Place::kArgs : Place::kElsewhere;
      case Place::kDevices:
        return Place::kDevice;
      default:
        return Place::kElsewhere;
    }
  }

  Place ArrayPlace() const {
    if (places_.empty()) return Place::kEvents;
    if (places_.back() == Place::kTop) {
      if (key_ == "traceEvents") return Place::kEvents;
      if (key_ == "deviceProperties") return Place::kDevices;
    }
    if (places_.back() == Place::kArgs) {
      if (key_ == "grid") return Place::kGrid;
      if (key_ == "block") return Place::kBlock;
      if (key_ == "Input Dims") return Place::kShapes;
      if (key_ == "Input type") return Place::kTypes;
    }
    // An array within the array of shapes is one shape. Deeper arrays belong to lists of tensors
    // and are ignored.
    if (places_.back() == Place::kShapes) return Place::kShape;
    return Place::kElsewhere;
  }

  // Counts a value in the array of events that is not an object, and therefore no event.
  void NoteValue() {
    if (!places_.empty() && places_.back() == Place::kEvents) ++facts.not_events;
  }

  // Handles a number at the current place. `whole` is set if it is an integer.
  void NumberAt(std::optional<int64_t> whole, std::string_view text) {
    switch (places_.back()) {
      case Place::kEvent:
        EventNumber(whole, text);
        break;
      case Place::kArgs:
        if (whole) ArgNumber(*whole);
        break;
      case Place::kGrid:
      case Place::kBlock:
        if (whole && index_ < 3) {
          auto& size = places_.back() == Place::kGrid ? event_.config.grid : event_.config.block;
          size[index_] = Unsigned(*whole);
        }
        ++index_;
        break;
      case Place::kShape:
        if (whole && !event_.shapes.empty() && event_.shapes.back().size() < kMaxSizes) {
          event_.shapes.back().push_back(*whole);
        }
        break;
      case Place::kDevice:
        if (whole) DeviceNumber(*whole);
        break;
      case Place::kDistributed:
        if (whole && key_ == "rank") facts.rank = *whole;
        break;
      case Place::kTop:
        if (whole && key_ == "baseTimeNanoseconds") facts.base_ns = *whole;
        facts.is_kineto = facts.is_kineto || key_ == "schemaVersion";
        break;
      default:
        break;
    }
  }

  void EventNumber(std::optional<int64_t> whole, std::string_view text) {
    if (whole && key_ == "pid") event_.pid = whole;
    if (whole && key_ == "tid") event_.tid = whole;
    if (key_ != "ts" && key_ != "dur") return;
    std::optional<int64_t> ns;
    int64_t product = 0;
    if (!whole) {
      ns = NanosecondsOf(text);
    } else if (!__builtin_mul_overflow(*whole, 1000, &product)) {
      ns = product;
    }
    (key_ == "ts" ? event_.start : event_.duration) = ns;
  }

  // Handles a text field of an event. Numbers may be written as texts.
  void EventText(std::string_view text) {
    if (const auto number = IntegerIn(text)) return EventNumber(*number, {});
    if (key_ == "ts" || key_ == "dur") return EventNumber(std::nullopt, text);
    if (key_ == "pid") event_.pid = NumberOf(event_.pid_word = text);
    if (key_ == "tid") event_.tid = NumberOf(event_.tid_word = text);
  }

  int64_t NumberOf(const std::string& word) {
    if (const auto known = words_.find(word); known != words_.end()) return known->second;
    if (words_.size() >= kMaxWords) {
      ++facts.unnamed_ids;
      return INT64_MIN;
    }
    return words_[word] = -2 - static_cast<int64_t>(words_.size());
  }

  void ArgNumber(int64_t number) {
    if (key_ == "correlation" || key_ == "correlation_id") event_.correlation = number;
    if (key_ == "device" || key_ == "device_id") event_.device = number;
    if (key_ == "context" || key_ == "context_id") event_.context = number;
    if (key_ == "stream") event_.stream = number;
    if (key_ == "Sequence number") event_.sequence = number;
    if (key_ == "Fwd thread id") event_.forward_thread = number;
    if (key_ == "bytes") event_.bytes = number;
    if (key_ == "Device Type") event_.device_type = number;
    if (key_ == "Device Id") event_.device = number;
    if (key_ == "Addr") event_.address = number;
    if (key_ == "Bytes") event_.changed = number;
    if (key_ == "Total Allocated") event_.allocated = number;
    if (key_ == "Total Reserved") event_.reserved = number;
    if (key_ == "External id" || key_ == "external id") event_.external = number;
    if (key_ == "In msg nelems") event_.elements = number;
    if (key_ == "registers per thread") event_.config.registers = Unsigned(number);
    if (key_ == "shared memory") event_.config.dynamic_shared = Unsigned(number);
  }

  void DeviceNumber(int64_t number) {
    if (key_ == "id") device_.number = number;
    if (key_ == "totalGlobalMem") device_.memory_bytes = number;
    if (key_ == "computeMajor") device_.compute_major = number;
    if (key_ == "computeMinor") device_.compute_minor = number;
    if (key_ == "numSms") device_.multiprocessors = number;
    if (key_ == "maxThreadsPerMultiprocessor") device_.threads_per_multiprocessor = number;
    if (key_ == "warpSize") device_.warp_threads = number;
  }

  void TextAt(std::string_view text) {
    switch (places_.back()) {
      case Place::kEvent:
        if (key_ == "name")
          event_.name = text;
        else if (key_ == "cat")
          event_.category = text;
        else if (key_ == "ph")
          event_.phase = text;
        else
          EventText(text);
        break;
      case Place::kArgs:
        if (key_ == "name")
          event_.label = text;
        else if (key_ == "cuda_sync_kind")
          event_.sync_kind = text;
        else if (key_ == "kernel_details")
          event_.kernel_details = text;
        else if (key_ == "memcpy_details")
          event_.copy_details = text;
        else if (key_ == "Collective name")
          event_.collective = text;
        else if (key_ == "Process Group Ranks")
          event_.ranks = text;
        else if (const auto number = IntegerIn(text))
          ArgNumber(*number);
        break;
      case Place::kTypes:
        if (event_.types.size() < kMaxArguments) event_.types.emplace_back(text);
        break;
      case Place::kDevice:
        if (key_ == "name") device_.name = text;
        break;
      case Place::kTop:
        if (key_ == "host_name") facts.host = text;
        break;
      default:
        break;
    }
  }

  const ChromeSink& sink_;
  std::vector<Place> places_;
  std::string key_;
  size_t index_ = 0;
  std::unordered_map<std::string, int64_t> words_;
  ChromeEvent event_;
  ChromeDevice device_;
};

}  // namespace

Result<ChromeFacts> ReadChromeJson(ByteSource& source, const std::string& path,
                                   const ChromeSink& sink) {
  JsonCharacters characters(source);
  Handler handler(sink);
  const bool whole = JsonParser(characters, handler).Parse();
  handler.facts.mended = characters.mended();
  const bool is_cut = !whole && source.status() && !characters.is_too_long() && characters.AtEnd();
  if (is_cut && handler.is_open_array()) {
    handler.facts.is_cut_event = handler.is_within_event();
    return handler.facts;
  }
  if (const auto error = JsonErrorOf(source, characters, path, whole)) return *error;
  if (!handler.has_events) {
    return Error{ErrorId::kOtherFormat,
                 "'" + path + "' is JSON, but not a trace: it has no traceEvents",
                 "import a trace of the PyTorch profiler or of JAX"};
  }
  return handler.facts;
}

}  // namespace gprofx::importers
