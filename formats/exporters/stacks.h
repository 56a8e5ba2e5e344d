// Builds the call tree that exports show. Frames that the report folds are folded here, too.
//
// Equal frames are one call. Frames are equal if they have the same function and, with
// Detail::kLines, the same line. Stacks form a tree of calls, parents first. Every node of the
// profile has a stack. Time is linear in frames and nodes. Pure; the profile must outlive the
// object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/profile.h"
#include "core/views/call_tree.h"

namespace gprofx::exporters {

class Stacks {
 public:
  struct Function {
    FrameId frame;  // one of its frames, from which its name comes
    // If not kNone, the function represents all functions of this family.
    Family family = Family::kNone;
  };
  struct Call {
    uint32_t function = 0;  // position in functions()
    FrameId frame;          // one of its frames, from which file and line come
  };
  struct Stack {
    uint32_t parent = 0;  // position in stacks(); the root is its own parent
    uint32_t call = 0;    // position in calls(); meaningless for the root
  };

  enum class Detail { kLines, kFunctions };
  Stacks(const Profile& profile, Detail detail, bool all_frames);

  const std::vector<Function>& functions() const { return functions_; }
  const std::vector<Call>& calls() const { return calls_; }
  // Element 0 is the root, which has no call.
  const std::vector<Stack>& stacks() const { return stacks_; }

  // Returns the stack of a node; 0 for the root and if `node` is 0.
  uint32_t OfNode(uint32_t node) const { return node < of_node_.size() ? of_node_[node] : 0; }

  std::string Name(const Function& function) const;
  // Returns the file that defines the function or, if unknown, the file in which it ran.
  std::string_view File(const Function& function) const;
  uint32_t FirstLine(const Function& function) const;       // 0 = unknown
  std::string_view Module(const Function& function) const;  // path; "" for Python
  FrameKind Kind(const Function& function) const;
  std::string_view File(const Call& call) const;
  uint32_t Line(const Call& call) const;  // 0 = unknown

  // Sets `calls` to the calls of a stack, innermost first.
  void Path(uint32_t stack, std::vector<uint32_t>& calls) const;

 private:
  void GroupFrames(const Folding& folding, Detail detail);
  void PlaceStacks(const CallTree& tree, const std::vector<uint32_t>& holder_of);

  const Profile& profile_;
  std::vector<Function> functions_;
  std::vector<Call> calls_;
  std::vector<uint32_t> call_of_frame_;  // by FrameId::index()
  std::vector<Stack> stacks_{1};
  std::vector<uint32_t> of_node_{0};  // by NodeId::value
};

}  // namespace gprofx::exporters
