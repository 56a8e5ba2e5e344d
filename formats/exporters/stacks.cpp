#include "formats/exporters/stacks.h"

#include <array>
#include <unordered_map>

#include "core/base/hash.h"
#include "core/views/fold.h"
#include "core/views/naming/names.h"

namespace gprofx::exporters {
namespace {

using Key = std::array<uint32_t, 4>;

// In a key of a family, this is in place of the frame kind.
constexpr uint32_t kOfFamily = UINT32_MAX;

using Index = std::unordered_map<Key, uint32_t, NumbersHash>;

// Returns the key of a function. Inlined and called copies have the same key. Functions without a
// name are distinguished only by their module.
Key FunctionKey(const Profile& profile, const Frame& frame) {
  const FrameKind kind = frame.kind == FrameKind::kInlined ? FrameKind::kNative : frame.kind;
  const bool named = frame.function && profile.function(frame.function).name;
  return {static_cast<uint32_t>(kind), named ? frame.function.value : 0,
          named ? 0 : frame.module.value, 0};
}

}  // namespace

Stacks::Stacks(const Profile& profile, Detail detail, bool all_frames) : profile_(profile) {
  std::vector<uint32_t> holder_of;
  const CallTree tree =
      BuildCallTree(profile, MetricId{}, Kept(profile.nodes.size(), 1), all_frames, &holder_of);
  GroupFrames(tree.folding, detail);
  PlaceStacks(tree, holder_of);
}

void Stacks::GroupFrames(const Folding& folding, Detail detail) {
  Index functions, calls;
  call_of_frame_.reserve(profile_.frames.size());
  for (size_t i = 0; i < profile_.frames.size(); ++i) {
    const Frame& frame = profile_.frames[i];
    const FrameId id{static_cast<uint32_t>(i + 1)};
    const Family family = folding.family.empty() ? Family::kNone : folding.family[i];
    const auto next = static_cast<uint32_t>(functions_.size());
    const Key of_family{kOfFamily, static_cast<uint32_t>(family), 0, 0};
    const auto [function, made] = functions.try_emplace(
        family != Family::kNone ? of_family : FunctionKey(profile_, frame), next);
    if (made) functions_.push_back({id, family});
    const bool lines = detail == Detail::kLines && family == Family::kNone;
    const Key key{function->second, lines ? FileOf(profile_, frame).value : 0,
                  lines ? frame.line : 0, 0};
    const auto next_call = static_cast<uint32_t>(calls_.size());
    const auto [call, is_new] = calls.try_emplace(key, next_call);
    if (is_new) calls_.push_back({function->second, id});
    call_of_frame_.push_back(call->second);
  }
}

// Builds the tree of stacks. Sibling frames with the same call become one stack.
void Stacks::PlaceStacks(const CallTree& tree, const std::vector<uint32_t>& holder_of) {
  std::unordered_map<uint64_t, uint32_t> index;
  std::vector<uint32_t> place(tree.nodes.size());
  for (size_t i = 1; i < tree.nodes.size(); ++i) {
    const uint32_t parent = place[tree.nodes[i].parent];
    const uint32_t call = call_of_frame_[tree.nodes[i].key - 1];
    const auto next = static_cast<uint32_t>(stacks_.size());
    const auto [found, made] = index.try_emplace((uint64_t{parent} << 32) | call, next);
    if (made) stacks_.push_back({parent, call});
    place[i] = found->second;
  }
  of_node_.reserve(holder_of.size() + 1);
  for (const uint32_t holder : holder_of) of_node_.push_back(place[holder]);
}

std::string Stacks::Name(const Function& function) const {
  if (function.family != Family::kNone) return FamilyTitle(function.family);
  return FrameName(profile_, profile_.frame(function.frame));
}

std::string_view Stacks::File(const Function& function) const {
  if (function.family != Family::kNone) return {};
  const Frame& frame = profile_.frame(function.frame);
  const StringId own = frame.function ? profile_.function(frame.function).file : StringId{};
  return own ? profile_.Text(own) : FrameFile(profile_, frame);
}

uint32_t Stacks::FirstLine(const Function& function) const {
  if (function.family != Family::kNone) return 0;
  const Frame& frame = profile_.frame(function.frame);
  return frame.function ? profile_.function(frame.function).first_line : 0;
}

std::string_view Stacks::Module(const Function& function) const {
  if (function.family != Family::kNone) return {};
  const ModuleId module = profile_.frame(function.frame).module;
  return module ? profile_.Text(profile_.module(module).path) : std::string_view();
}

FrameKind Stacks::Kind(const Function& function) const {
  return profile_.frame(function.frame).kind;
}

std::string_view Stacks::File(const Call& call) const {
  if (functions_[call.function].family != Family::kNone) return {};
  return FrameFile(profile_, profile_.frame(call.frame));
}

uint32_t Stacks::Line(const Call& call) const {
  return functions_[call.function].family == Family::kNone ? profile_.frame(call.frame).line : 0;
}

void Stacks::Path(uint32_t stack, std::vector<uint32_t>& calls) const {
  calls.clear();
  for (; stack != 0; stack = stacks_[stack].parent) calls.push_back(stacks_[stack].call);
}

}  // namespace gprofx::exporters
