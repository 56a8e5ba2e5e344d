#include "core/model/content_hash.h"

#include <catch2/catch.hpp>
#include <set>

#include "tests/unit/core/random_profile.h"

namespace gprofx {
namespace {

struct Rows {
  explicit Rows(const char* build_id = "ab12") {
    profile.modules.push_back({profile.Intern("/lib/libm.so"), profile.Intern(build_id)});
    function = {profile.Intern("solve(int)"), profile.Intern("solve.cpp"), 12, ModuleId{1}};
    frame.kind = FrameKind::kNative;
    frame.function = profile.Intern(function);
    frame.line = 14;
    frame.module = ModuleId{1};
    kernel.function = frame.function;
    kernel.grid[0] = 132;
  }
  Profile profile;
  Function function;
  Frame frame;
  GpuKernelConfig kernel;
};

TEST_CASE("hashes of contents are those of the definition, for ever") {
  CHECK(ContentHash().value() == 0xcbf29ce484222325u);
  CHECK(ContentHash().Add(uint64_t{0}).value() == 0xa8c7f832281a39c5u);
  const Rows rows;
  CHECK(HashOf(rows.profile, rows.function) == 0x8e997c091f2ba674u);
  CHECK(HashOf(rows.profile, rows.frame) == 0xa7923e0a4a9af5a2u);
  CHECK(HashOf(rows.profile, rows.kernel) == 0x439dfb2319b932c4u);
}

TEST_CASE("every part of the content counts") {
  Rows rows;
  Profile& profile = rows.profile;
  std::set<uint64_t> seen;
  const auto is_new = [&](const auto& row) { return seen.insert(HashOf(profile, row)).second; };
  const StringId other = profile.Intern("other");
  profile.modules.push_back({other, {}});
  CHECK(is_new(rows.function));
  for (const auto change : {0, 1, 2, 3}) {
    Function f = rows.function;
    if (change == 0) f.name = other;
    if (change == 1) f.file = other;
    if (change == 2) f.first_line = 13;
    if (change == 3) f.module = ModuleId{2};
    CHECK(is_new(f));
  }
  CHECK(is_new(rows.frame));
  for (const auto change : {0, 1, 2, 3, 4, 5}) {
    Frame f = rows.frame;
    if (change == 0) f.kind = FrameKind::kInlined;
    if (change == 1) f.function = {};
    if (change == 2) f.file = other;
    if (change == 3) f.line = 15;
    if (change == 4) f.module = ModuleId{2};
    if (change == 5) f.address = 1;
    CHECK(is_new(f));
  }
  CHECK(is_new(rows.kernel));
  uint32_t GpuKernelConfig::*const numbers[] = {
      &GpuKernelConfig::registers, &GpuKernelConfig::static_shared,
      &GpuKernelConfig::dynamic_shared, &GpuKernelConfig::local};
  for (const auto number : numbers) {
    GpuKernelConfig k = rows.kernel;
    k.*number = 132;
    CHECK(is_new(k));
  }
  for (int i = 0; i < 3; ++i) {
    GpuKernelConfig k = rows.kernel;
    k.grid[i] = 7;
    CHECK(is_new(k));
    k = rows.kernel;
    k.block[i] = 7;
    CHECK(is_new(k));
  }
  // Texts do not run into each other.
  CHECK(ContentHash().Add("ab").Add("c").value() != ContentHash().Add("a").Add("bc").value());
}

TEST_CASE("a hash does not depend on ids, and the build only matters to bare addresses") {
  const Rows rows;
  Rows rebuilt("cd34");
  CHECK(HashOf(rebuilt.profile, rebuilt.frame) == HashOf(rows.profile, rows.frame));
  Frame bare = rows.frame, bare_rebuilt = rebuilt.frame;
  bare.function = bare_rebuilt.function = {};
  bare.address = bare_rebuilt.address = 0x40;
  CHECK(HashOf(rebuilt.profile, bare_rebuilt) != HashOf(rows.profile, bare));

  const Profile a = test::RandomProfile(1, 100);
  std::set<uint64_t> of_a, of_b;
  for (const Frame& frame : a.frames) of_a.insert(HashOf(a, frame));
  CHECK(of_a.size() == a.frames.size());
  Profile b;  // the same frames in another order
  for (uint32_t i = a.string_count(); i > 0; --i) b.Intern(a.Text(StringId{i}));
  for (size_t i = a.modules.size(); i > 0; --i) {
    const Module& m = a.modules[i - 1];
    b.modules.push_back({b.Intern(a.Text(m.path)), b.Intern(a.Text(m.build_id)), m.flags});
  }
  for (Frame frame : a.frames) {
    if (frame.function) {
      Function f = a.function(frame.function);
      f.name = b.Intern(a.Text(f.name));
      f.file = b.Intern(a.Text(f.file));
      frame.function = b.Intern(f);
    }
    if (frame.module) frame.module.value = 4 - frame.module.value;
    of_b.insert(HashOf(b, frame));
  }
  CHECK(of_a == of_b);
}

}  // namespace
}  // namespace gprofx
