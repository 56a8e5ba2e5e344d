#include "core/model/profile.h"

#include "core/base/arithmetic.h"
#include "core/base/hash.h"

namespace gprofx {
namespace {

constexpr size_t kTextBlock = size_t{64} << 10;

uint64_t Pair(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

}  // namespace

size_t Profile::KeyHash::operator()(const Key& key) const noexcept {
  return HashOfNumbers(key.a, key.b);
}

size_t Profile::RowHash::operator()(const Function& f) const noexcept {
  return HashOfNumbers(Pair(f.name.value, f.file.value), Pair(f.first_line, f.module.value));
}

size_t Profile::RowHash::operator()(const Frame& f) const noexcept {
  return HashOfNumbers(f.kind, Pair(f.function.value, f.file.value), Pair(f.line, f.module.value),
                       f.address);
}

Profile::Profile() {
  const FrameId root_frame = Intern(Frame{});
  Child(NodeId{}, root_frame);
}

StringId Profile::Intern(std::string_view text) {
  if (text.empty()) return {};
  if (const auto found = string_index_.find(text); found != string_index_.end()) {
    return found->second;
  }
  // The characters must not move, because views refer to them. A block is therefore filled only up
  // to its capacity and is never reallocated.
  if (text_blocks_.empty() ||
      text_blocks_.back().capacity() - text_blocks_.back().size() < text.size()) {
    text_blocks_.emplace_back().reserve(text.size() > kTextBlock ? text.size() : kTextBlock);
  }
  std::vector<char>& block = text_blocks_.back();
  const size_t begin = block.size();
  block.insert(block.end(), text.begin(), text.end());
  const std::string_view stored(block.data() + begin, text.size());
  strings_.push_back(stored);
  const StringId id{static_cast<uint32_t>(strings_.size())};
  string_index_.emplace(stored, id);
  return id;
}

FunctionId Profile::Intern(const Function& function) {
  const auto [found, is_new] = function_index_.try_emplace(
      function, FunctionId{static_cast<uint32_t>(functions.size() + 1)});
  if (is_new) functions.push_back(function);
  return found->second;
}

FrameId Profile::Intern(const Frame& frame) {
  const auto [found, is_new] =
      frame_index_.try_emplace(frame, FrameId{static_cast<uint32_t>(frames.size() + 1)});
  if (is_new) frames.push_back(frame);
  return found->second;
}

NodeId Profile::Child(NodeId parent, FrameId frame) {
  const auto [found, is_new] = node_index_.try_emplace(Key{parent.value, frame.value},
                                                       static_cast<uint32_t>(nodes.size() + 1));
  if (is_new) nodes.push_back({parent, frame});
  return NodeId{found->second};
}

MetricId Profile::AddMetric(std::string_view name, std::string_view unit, MetricKind kind) {
  if (const MetricId found = FindMetric(name)) return found;
  metrics.push_back({std::string(name), std::string(unit), kind});
  return MetricId{static_cast<uint32_t>(metrics.size())};
}

MetricId Profile::FindMetric(std::string_view name) const {
  for (size_t i = 0; i < metrics.size(); ++i) {
    if (metrics[i].name == name) return MetricId{static_cast<uint32_t>(i + 1)};
  }
  return {};
}

void Profile::AddSelf(NodeId node, ThreadId thread, MetricId metric, int64_t amount) {
  const auto key = [](NodeId n, ThreadId t, MetricId m) {
    return Key{Pair(n.value, t.value), m.value};
  };
  // Adds the rows to the index that it does not contain yet. The index of a loaded profile is built
  // by the first call, because most readers add no values.
  for (; indexed_values_ < values.size(); ++indexed_values_) {
    const Value& value = values[indexed_values_];
    value_index_.try_emplace(key(value.node, value.thread, value.metric),
                             static_cast<uint32_t>(indexed_values_));
  }
  const auto [found, is_new] =
      value_index_.try_emplace(key(node, thread, metric), static_cast<uint32_t>(values.size()));
  if (is_new) {
    values.push_back({node, thread, metric, 0});
    ++indexed_values_;
  }
  int64_t& self = values[found->second].self;
  self = AddSaturated(self, amount);
}

std::string_view Profile::Text(StringId id) const {
  return id ? strings_[id.index()] : std::string_view{};
}

}  // namespace gprofx
