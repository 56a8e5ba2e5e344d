#include "formats/exporters/stacks.h"

#include <array>
#include <unordered_map>

#include "core/views/fold.h"
#include "core/views/names.h"

namespace gprofx {
namespace {

using Key = std::array<uint32_t, 4>;

struct KeyHash {
  size_t operator()(const Key& key) const noexcept {
    uint64_t hash = 0;
    for (const uint32_t part : key) hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
  }
};

using Index = std::unordered_map<Key, uint32_t, KeyHash>;

// A function that was inlined here and called there is one function. Code without a name cannot be
// told apart better than by its module.
Key FunctionKey(const Profile& profile, const Frame& frame) {
  const FrameKind kind = frame.kind == FrameKind::kInlined ? FrameKind::kNative : frame.kind;
  const bool named = frame.function && profile.function(frame.function).name;
  return {static_cast<uint32_t>(kind), named ? frame.function.value : 0,
          named ? 0 : frame.module.value, 0};
}

bool IsMarker(const Profile& profile, const Stacks::Call& call) {
  return profile.frame(call.frame).kind == FrameKind::kMarker;
}

}  // namespace

Stacks::Stacks(const Profile& profile, Detail detail, bool all_frames) : profile_(profile) {
  GroupFrames(detail);
  BuildTree(all_frames);
}

void Stacks::GroupFrames(Detail detail) {
  Index functions, calls;
  call_of_frame_.reserve(profile_.frames.size());
  for (size_t i = 0; i < profile_.frames.size(); ++i) {
    const Frame& frame = profile_.frames[i];
    const FrameId id{static_cast<uint32_t>(i + 1)};
    const auto next = static_cast<uint32_t>(functions_.size());
    const auto [function, made] = functions.try_emplace(FunctionKey(profile_, frame), next);
    if (made) functions_.push_back({id});
    const bool lines = detail == Detail::kLines;
    const Key key{function->second, lines ? FileOf(profile_, frame).value : 0,
                  lines ? frame.line : 0, 0};
    const auto next_call = static_cast<uint32_t>(calls_.size());
    const auto [call, is_new] = calls.try_emplace(key, next_call);
    if (is_new) calls_.push_back({function->second, id});
    call_of_frame_.push_back(call->second);
  }
}

// As the report folds: the time of a folded frame goes to the nearest one above that stays; with
// nobody above it stays under its own name.
void Stacks::BuildTree(bool all_frames) {
  const std::vector<uint8_t> fold =
      all_frames ? std::vector<uint8_t>(profile_.frames.size()) : FoldableFrames(profile_);
  std::unordered_map<uint64_t, uint32_t> index;
  const auto child = [&](uint32_t parent, uint32_t call) {
    const auto next = static_cast<uint32_t>(stacks_.size());
    const auto [found, made] = index.try_emplace((uint64_t{parent} << 32) | call, next);
    if (made) stacks_.push_back({parent, call});
    return found->second;
  };
  std::vector<bool> has_value(profile_.nodes.size() + 1);
  for (const Value& value : profile_.values) {
    if (value.node && value.self != 0) has_value[value.node.value] = true;
  }
  of_node_.reserve(profile_.nodes.size() + 1);
  std::vector<uint32_t> place{0};  // of each node: where its children begin
  place.reserve(profile_.nodes.size() + 1);
  for (size_t i = 0; i < profile_.nodes.size(); ++i) {
    const Node& node = profile_.nodes[i];
    const uint32_t parent = place[node.parent.value];
    uint32_t own = parent, holder = parent;
    if (node.parent && node.frame) {
      const uint32_t call = call_of_frame_[node.frame.index()];
      const uint8_t flag = fold[node.frame.index()];
      const bool starts = parent == 0 || IsMarker(profile_, calls_[stacks_[parent].call]);
      const bool folded = flag == kFoldAlways || (flag == kFoldAtStart && starts);
      if (!folded) own = holder = child(parent, call);
      if (folded && parent == 0 && has_value[i + 1]) holder = child(0, call);
    }
    place.push_back(own);
    of_node_.push_back(holder);
  }
}

std::string Stacks::Name(const Function& function) const {
  return FrameName(profile_, profile_.frame(function.frame));
}

std::string_view Stacks::File(const Function& function) const {
  const Frame& frame = profile_.frame(function.frame);
  const StringId own = frame.function ? profile_.function(frame.function).file : StringId{};
  return own ? profile_.Text(own) : FrameFile(profile_, frame);
}

uint32_t Stacks::FirstLine(const Function& function) const {
  const Frame& frame = profile_.frame(function.frame);
  return frame.function ? profile_.function(frame.function).first_line : 0;
}

std::string_view Stacks::Module(const Function& function) const {
  const ModuleId module = profile_.frame(function.frame).module;
  return module ? profile_.Text(profile_.module(module).path) : std::string_view();
}

FrameKind Stacks::Kind(const Function& function) const {
  return profile_.frame(function.frame).kind;
}

std::string_view Stacks::File(const Call& call) const {
  return FrameFile(profile_, profile_.frame(call.frame));
}

uint32_t Stacks::Line(const Call& call) const { return profile_.frame(call.frame).line; }

void Stacks::Path(uint32_t stack, std::vector<uint32_t>& calls) const {
  calls.clear();
  for (; stack != 0; stack = stacks_[stack].parent) calls.push_back(stacks_[stack].call);
}

}  // namespace gprofx
