#include "samplers/cuda/cupti/latecomers.h"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

using gprofx::cuda::Latecomers;

namespace {

using Changes = std::vector<std::pair<CUpti_CallbackId, bool>>;
Changes g_changes;
void Follow(CUpti_CallbackId call, bool on) { g_changes.emplace_back(call, on); }

bool Nobody(CUpti_CallbackId) { return false; }
bool Somebody(CUpti_CallbackId) { return true; }

}  // namespace

TEST_CASE("a call that began too late is followed until its end") {
  g_changes.clear();
  Latecomers late{Follow};
  late.Begin(7);
  CHECK(g_changes == Changes{{7, true}});
  CHECK_FALSE(late.None());
  CHECK(late.Has(7));
  late.Begin(7);  // within it
  late.End(Nobody);
  CHECK(g_changes.size() == 1);
  late.End(Nobody);
  CHECK(g_changes == Changes{{7, true}, {7, false}});
  CHECK(late.None());
  late.End(Nobody);  // of a call that nobody told the begin of
  CHECK(g_changes.size() == 2);
}

TEST_CASE("what others listen to by then stays followed") {
  g_changes.clear();
  Latecomers late{Follow};
  late.Begin(7);
  late.End(Somebody);
  CHECK(g_changes == Changes{{7, true}});
  CHECK_FALSE(late.Has(7));
}
