#include "core/views/naming/thread_pools.h"

#include <unordered_map>

#include "core/base/arithmetic.h"
#include "core/model/inherit.h"
#include "core/model/libraries.h"
#include "core/views/waiting.h"

namespace gprofx {
namespace {

struct Place {
  bool python = false;
  bool waits = false;  // the time of this frame and of its callees is waiting
  FrameId waits_in;    // outermost waiting function; below a spinning one, only for its self time
  bool spins = false;
  ModuleId pool;
};

// Properties of a frame that do not depend on the stack.
struct Role {
  bool python = false;
  Wait wait = Wait::kNone;
  ModuleId pool;  // module of native code outside of the C and C++ runtime
};

std::vector<Role> RolesOf(const Profile& profile) {
  std::vector<uint8_t> runtime;  // by ModuleId::index()
  for (const Module& module : profile.modules) {
    runtime.push_back(IsCRuntime(profile.Text(module.path)) ? 1 : 0);
  }
  std::vector<Role> roles;
  roles.reserve(profile.frames.size());
  for (const Frame& frame : profile.frames) {
    const bool pool =
        frame.kind == FrameKind::kNative && frame.module && runtime[frame.module.index()] == 0;
    roles.push_back({frame.kind == FrameKind::kPython, WaitOf(profile, frame),
                     pool ? frame.module : ModuleId{}});
  }
  return roles;
}

Place PlaceBelow(const std::vector<Role>& roles, Place above, FrameId id) {
  if (!id || above.waits) return above;
  const Role& role = roles[id.index()];
  Place place = above;
  place.python |= role.python;
  const Wait wait = role.wait;
  place.waits = wait == Wait::kWaits;
  // A pool thread may sleep below a function that spins. The waiting is then attributed to the
  // spinning function.
  if (!above.spins && wait != Wait::kNone) place.waits_in = id;
  if (wait == Wait::kNone) place.waits_in = {};
  place.spins = wait == Wait::kSpins;
  if (!place.pool) place.pool = role.pool;
  return place;
}

// Adds up amounts by thread and key, and returns the key with the largest sum for each thread.
class MostOf {
 public:
  explicit MostOf(size_t threads) : most_(threads), key_(threads) {}

  void Add(ThreadId thread, uint32_t key, int64_t amount) {
    int64_t& sum = sums_[uint64_t{thread.value} << 32 | key];
    sum = AddSaturated(sum, amount);
    const bool first = key_[thread.value] == 0;
    if (!first && sum <= most_[thread.value]) return;
    most_[thread.value] = sum;
    key_[thread.value] = key;
  }
  uint32_t KeyOf(size_t thread) const { return key_[thread]; }

 private:
  std::unordered_map<uint64_t, int64_t> sums_;
  std::vector<int64_t> most_;
  std::vector<uint32_t> key_;
};

}  // namespace

std::vector<ThreadPart> ThreadParts(const Profile& profile, MetricId metric, const Kept& kept) {
  const std::vector<Role> roles = RolesOf(profile);
  const std::vector<Place> places = InheritDown<Place>(
      profile.nodes, [&](Place above, FrameId id) { return PlaceBelow(roles, above, id); });
  const size_t count = profile.threads.size() + 1;
  std::vector<ThreadPart> parts(count);
  MostOf waits(count), pools(count);
  for (const Value& value : profile.values) {
    if (value.metric != metric || !value.node || kept[value.node.index()] == 0) continue;
    const Place& place = places[value.node.index()];
    ThreadPart& part = parts[value.thread.value];
    part.python |= place.python;
    if (place.pool) pools.Add(value.thread, place.pool.value, value.self);
    if (!place.waits_in) continue;
    part.waiting = AddSaturated(part.waiting, value.self);
    waits.Add(value.thread, place.waits_in.value, value.self);
  }
  for (size_t i = 0; i < count; ++i) {
    parts[i].waits_in = FrameId{waits.KeyOf(i)};
    parts[i].pool = ModuleId{pools.KeyOf(i)};
  }
  return parts;
}

}  // namespace gprofx
