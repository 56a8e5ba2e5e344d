#include "formats/importers/json/speedscope.h"

#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/arithmetic.h"
#include "formats/importers/byte_source.h"
#include "formats/importers/collapsed/frame_text.h"
#include "formats/importers/collapsed/stack_line.h"
#include "formats/importers/gather/limits.h"
#include "formats/importers/json/frame_tree.h"
#include "formats/importers/json/json_walk.h"
#include "formats/importers/json/weights.h"

namespace gprofx::importers {
namespace {

constexpr size_t kLongestName = 255;
constexpr int64_t kNoFrame = FrameTree::kNoFrame;

struct SpeedscopeFrame {
  std::string name, file;
  uint32_t line = 0;
};

struct Event {
  std::string type;
  int64_t frame = kNoFrame;
  std::optional<JsonNumber> at;
};

// Returns the number that follows a word: 12 for "Process" in "Process 12 Thread 34 \"main\"".
// Returns 0 if there is none.
int64_t NumberAfter(std::string_view text, std::string_view word) {
  const size_t at = text.find(word);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + word.size());
  return NumberOf<int64_t>(text.substr(0, text.find_first_not_of("0123456789"))).value_or(0);
}

class Reader final : public JsonVisitor {
 public:
  explicit Reader(Profile& profile) : profile_(profile) {}

  void BeginArray(std::string_view path) override {
    if (path != "profiles.samples") return;
    ++depth_;
    node_ = 0;
  }
  void EndArray(std::string_view path) override {
    if (path != "profiles.samples" || --depth_ != 1) return;
    samples_.push_back(node_);
  }
  void Number(std::string_view path, const JsonNumber& number) override {
    if (path == "profiles.samples") {
      if (depth_ == 2) node_ = tree_.Child(node_, number.Whole().value_or(kNoFrame));
    } else if (path == "profiles.weights") {
      weights_.push_back(number);
    } else if (path == "profiles.events.at") {
      event_.at = number;
    } else if (path == "profiles.events.frame") {
      event_.frame = number.Whole().value_or(kNoFrame);
    } else if (path == "shared.frames.line") {
      const int64_t line = number.Whole().value_or(0);
      frame_.line = line <= UINT32_MAX ? static_cast<uint32_t>(line) : 0;
    }
  }
  void Text(std::string_view path, std::string_view text) override {
    if (path == "profiles.name") name_ = text.substr(0, kLongestName);
    if (path == "profiles.unit") unit_ = text;
    if (path == "profiles.events.type") event_.type = text;
    if (path == "shared.frames.name") frame_.name = text;
    if (path == "shared.frames.file") frame_.file = text;
    if (path == "exporter") exporter_ = text.substr(0, kLongestName);
  }
  void EndObject(std::string_view path) override {
    if (path == "shared.frames") frames_.push_back(std::exchange(frame_, {}));
    if (path == "profiles.events") events_.push_back(std::exchange(event_, {}));
    if (path == "profiles") EndProfile();
  }

  // Adds the values to the profile. Call it after the whole file was read.
  void Finish() {
    const std::vector<NodeId> nodes = MakeNodes();
    for (const auto& [key, amount] : values_) {
      const auto& [node, thread, metric] = key;
      profile_.AddSelf(nodes[node], thread, metric, amount);
    }
    ChooseSampledClock(profile_);
    if (samples_count_ > 0) profile_.quality["import_samples"] = samples_count_;
    if (left_out_ > 0) profile_.quality["import_left_out_samples_without_a_weight"] = left_out_;
    if (tree_.cut_frames() > 0) {
      profile_.quality["import_left_out_frames_of_deep_stacks"] = tree_.cut_frames();
    }
    if (events_left_out_ > 0) profile_.quality["import_left_out_events"] = events_left_out_;
  }

  bool has_values() const { return !values_.empty(); }
  const std::string& exporter() const { return exporter_; }

 private:
  using Key = std::tuple<uint32_t, ThreadId, MetricId>;

  void EndProfile() {
    const ThreadId thread = AddThread();
    const WeightUnit unit = WeightUnitOf(unit_);
    AddSampled(thread, unit);
    AddEvented(thread, unit);
    name_.clear();
    unit_.clear();
    samples_.clear();
    weights_.clear();
    events_.clear();
    depth_ = 0;
  }

  ThreadId AddThread() {
    if (profile_.threads.size() >= kMaxThreads) return ThreadId{1};
    const int64_t pid = NumberAfter(name_, "Process ");
    ProcessId& process = processes_[pid];
    if (!process) {
      Process row;
      row.pid = pid;
      profile_.processes.push_back(row);
      process = ProcessId{static_cast<uint32_t>(profile_.processes.size())};
    }
    Thread row;
    row.process = process;
    row.tid = NumberAfter(name_, "Thread ");
    row.name = profile_.Intern(name_);
    profile_.threads.push_back(row);
    return ThreadId{static_cast<uint32_t>(profile_.threads.size())};
  }

  void Add(uint32_t node, ThreadId thread, MetricId metric, int64_t amount) {
    int64_t& sum = values_[{node, thread, metric}];
    sum = AddSaturated(sum, amount);
  }

  void AddSampled(ThreadId thread, const WeightUnit& unit) {
    if (samples_.empty()) return;
    const MetricId weighed = MetricOf(unit, profile_), counted = MetricOf({}, profile_);
    for (size_t i = 0; i < samples_.size(); ++i) {
      const auto weight = i < weights_.size() ? weights_[i].Times(unit.power) : std::nullopt;
      if (!weight) {
        ++left_out_;
        continue;
      }
      ++samples_count_;
      Add(samples_[i], thread, weighed, *weight);
      if (weighed != counted) Add(samples_[i], thread, counted, 1);
    }
  }

  // Adds the values of an "evented" profile. The time between two events belongs to the frame that
  // was opened last.
  void AddEvented(ThreadId thread, const WeightUnit& unit) {
    if (events_.empty()) return;
    const MetricId metric = MetricOf(unit, profile_);
    std::vector<uint32_t> open = {0};
    std::optional<int64_t> last;
    for (const Event& event : events_) {
      const auto at = event.at ? event.at->Times(unit.power) : std::nullopt;
      const bool opens = event.type == "O", closes = event.type == "C" && open.size() > 1;
      if (!at || (last && *at < *last) || (!opens && !closes)) {
        ++events_left_out_;
        continue;
      }
      if (last && open.size() > 1) Add(open.back(), thread, metric, *at - *last);
      last = at;
      if (opens) {
        open.push_back(tree_.Child(open.back(), event.frame));
      } else {
        open.pop_back();
      }
    }
  }

  std::vector<NodeId> MakeNodes() {
    std::vector<NodeId> nodes = {profile_.root()};
    for (size_t i = 1; i < tree_.nodes().size(); ++i) {
      const FrameTree::Node& node = tree_.nodes()[i];
      nodes.push_back(profile_.Child(nodes[node.parent], FrameOf(node.frame)));
    }
    return nodes;
  }

  FrameId FrameOf(int64_t number) {
    const bool is_known = number >= 0 && static_cast<size_t>(number) < frames_.size();
    if (!is_known) return FrameOfParts(profile_, {"[unknown frame]", {}, 0, false});
    const SpeedscopeFrame& frame = frames_[static_cast<size_t>(number)];
    return FrameOfParts(profile_, {frame.name, frame.file, frame.line, IsPythonFile(frame.file)});
  }

  Profile& profile_;
  FrameTree tree_;
  std::vector<SpeedscopeFrame> frames_;
  std::map<int64_t, ProcessId> processes_;
  std::map<Key, int64_t> values_;
  std::string exporter_;
  SpeedscopeFrame frame_;  // the frame that is being read
  // State of the profile that is being read.
  std::string name_, unit_;
  std::vector<uint32_t> samples_;  // node of each sample
  std::vector<JsonNumber> weights_;
  std::vector<Event> events_;
  Event event_;
  uint32_t node_ = 0;
  int depth_ = 0;
  int64_t samples_count_ = 0, left_out_ = 0, events_left_out_ = 0;
};

}  // namespace

Result<std::string> ImportSpeedscope(const std::string& path, Profile& profile, uint64_t& hash) {
  Result<ByteSource> source = ByteSource::Open(path);
  if (!source) return source.error();
  Reader reader(profile);
  const Result<int64_t> mended = WalkJson(*source, path, reader);
  if (!mended) return mended.error();
  reader.Finish();
  if (!reader.has_values()) {
    return Error{ErrorId::kEmptyFile, "'" + path + "' is a speedscope file without samples",
                 "record again"};
  }
  if (*mended > 0) profile.quality["import_replaced_characters"] = *mended;
  hash = source->hash();
  return "speedscope" + (reader.exporter().empty() ? "" : " (" + reader.exporter() + ")");
}

}  // namespace gprofx::importers
