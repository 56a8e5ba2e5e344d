#include "samplers/agent/stacks/merge.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace gprofx;
using namespace gprofx::agent;

namespace {

struct Case {
  std::vector<NativeFrame> native;  // innermost first
  std::vector<PyFrame> python;
  EndReason end = EndReason::kComplete;

  // Frames occupy 100 bytes each from 1000 on; eval frames have pc >= 500.
  void Native(std::vector<uint64_t> pcs) {
    uint64_t sp = 1000;
    for (uint64_t pc : pcs) {
      native.push_back({.pc = pc, .sp = sp, .module = 1, .bp = 0, .called = 1});
      sp += 100;
    }
  }
  std::vector<uint64_t> Merge(MergeResult* result = nullptr) const {
    WalkResult walk;
    walk.frames = native.data();
    walk.count = static_cast<uint32_t>(native.size());
    walk.end = end;
    walk.last_cfa = 1000 + native.size() * 100;
    std::vector<uint32_t> owner(python.size() + 1);
    std::vector<uint64_t> out;
    MergeResult r = MergeStacks(
        walk, python.data(), static_cast<uint32_t>(python.size()), owner.data(),
        [](const NativeFrame& f) { return uint64_t{f.pc}; },
        [](const NativeFrame& f) { return f.pc >= 500; },
        [&](uint64_t frame) { out.push_back(frame); });
    if (result != nullptr) *result = r;
    return out;
  }
};

}  // namespace

TEST_CASE("groups go behind the frame whose stack holds their anchor") {
  Case c;
  c.Native({10, 500, 20, 501, 30});              // leaf, eval, C, eval, start
  c.python = {{1, 1150}, {2, 1150}, {3, 1399}};  // two frames in the inner eval, one in the outer
  CHECK(c.Merge() == std::vector<uint64_t>{30, 501, 3, 20, 500, 2, 1, 10});
}

TEST_CASE("frames whose anchor lies beyond a truncated walk stand at the root side") {
  Case c;
  c.Native({10, 500});
  c.native.back().module = 7;
  c.end = EndReason::kNoRow;
  c.python = {{1, 1150}, {2, 9000}};
  std::vector<uint64_t> out = c.Merge();
  REQUIRE(out.size() == 5);
  CHECK(wire::KindOf(out[0]) == wire::WireFrame::kTruncated);
  CHECK(wire::TruncatedBy(out[0]) == static_cast<uint32_t>(EndReason::kNoRow));
  CHECK(wire::TruncatedIn(out[0]) == 7);
  CHECK(std::vector<uint64_t>(out.begin() + 1, out.end()) == std::vector<uint64_t>{2, 500, 1, 10});
}

TEST_CASE("without anchors, frames are paired from the root") {
  Case c;
  c.Native({10, 502, 20, 501, 21, 500, 30});
  SECTION("one each") {
    c.python = {{1, 0}, {2, 0}, {3, 0}};
    CHECK(c.Merge() == std::vector<uint64_t>{30, 500, 3, 21, 501, 2, 20, 502, 1, 10});
  }
  SECTION("the innermost eval has no frame yet") {
    c.python = {{2, 0}, {3, 0}};
    CHECK(c.Merge() == std::vector<uint64_t>{30, 500, 3, 21, 501, 2, 20, 502, 10});
  }
  SECTION("a frame is pushed before its eval is entered") {
    c.python = {{0, 0}, {1, 0}, {2, 0}, {3, 0}};
    MergeResult r;
    CHECK(c.Merge(&r) == std::vector<uint64_t>{30, 500, 3, 21, 501, 2, 20, 502, 1, 0, 10});
    CHECK(r.failed == 1);
  }
  SECTION("a truncated walk is paired from the leaf") {
    c.end = EndReason::kBadRule;
    c.python = {{1, 0}, {2, 0}, {3, 0}, {4, 0}};
    std::vector<uint64_t> out = c.Merge();
    CHECK(std::vector<uint64_t>(out.begin() + 1, out.end()) ==
          std::vector<uint64_t>{4, 30, 500, 3, 21, 501, 2, 20, 502, 1, 10});
  }
}

TEST_CASE("a stack without Python is the native one, root first") {
  Case c;
  c.Native({1, 2, 3});
  CHECK(c.Merge() == std::vector<uint64_t>{3, 2, 1});
}
