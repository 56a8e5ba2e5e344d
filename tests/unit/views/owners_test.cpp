// The program's own code: which frames it is, and tables and trees of it alone.
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "core/views/code/owners.h"
#include "core/views/naming/short_arguments.h"
#include "core/views/page/outline.h"
#include "core/views/view.h"
#include "sample_profile.h"

namespace gprofx::testing {
namespace {

constexpr int64_t kMs = 1'000'000;

struct Service {
  ProfileMaker make;
  ModuleId python = make.AddModule("/usr/bin/python3.13", kModuleIsPython);
  ModuleId sqlite = make.AddModule("/usr/lib/x86_64-linux-gnu/libsqlite3.so.0", 0);
  ThreadId thread = make.AddThread(1, 1, "p", "t");
  FrameId app = make.Python("load", "/home/u/app.py", 22, 20);
  FrameId flask = make.Python("wsgi_app", "/v/lib/python3.13/site-packages/flask/app.py", 9, 8);
  FrameId decode = make.Python("decode", "/usr/lib/python3.13/json/decoder.py", 7, 6);
  FrameId eval = make.Native("_PyEval_EvalFrameDefault", python);
  FrameId step = make.Native("sqlite3_step", sqlite);
};

std::map<std::string, int64_t> Selfs(const Profile& profile, const Query& query) {
  const Result<View> view = BuildView(profile, query);
  REQUIRE(view);
  std::map<std::string, int64_t> selfs;
  for (const Row& row : view->rows->rows)
    selfs[LabelOf(profile, view->rows->groups, row.group).name] += row.self / kMs;
  return selfs;
}

}  // namespace

TEST_CASE("own code is the user's; if there is none, packages; without Python, native code") {
  Service in;
  const auto own = [&](FrameId frame) { return OwnFrames(in.make.profile)[frame.index()] != 0; };
  CHECK(own(in.app));
  CHECK_FALSE(own(in.flask));
  CHECK_FALSE(own(in.decode));
  CHECK_FALSE(own(in.step));
  ProfileMaker installed;
  const FrameId pip = installed.Python("main", "/v/lib/python3.13/site-packages/pip/x.py", 1, 1);
  const FrameId site = installed.Python("main", "/usr/lib/python3.13/site.py", 1, 1);
  CHECK(OwnFrames(installed.profile)[pip.index()] == 1);
  CHECK(OwnFrames(installed.profile)[site.index()] == 0);
  ProfileMaker native;
  const FrameId work = native.Native("work", native.AddModule("/home/u/solver", 0));
  const FrameId copy =
      native.Native("memcpy", native.AddModule("/usr/lib/x86_64-linux-gnu/libc.so.6", 0));
  CHECK(OwnFrames(native.profile)[work.index()] == 1);
  CHECK(OwnFrames(native.profile)[copy.index()] == 0);
}

TEST_CASE("owners have the names of packages and libraries") {
  Service in;
  CHECK(OwnerOf(in.make.profile, in.flask) == "flask");
  CHECK(OwnerOf(in.make.profile, in.decode) == "json");
  CHECK(OwnerOf(in.make.profile, in.step) == "sqlite3");
  CHECK(OwnerOf(in.make.profile, in.eval) == "Python");
  CHECK(OwnerOf(in.make.profile, {}).empty());
}

TEST_CASE("with --own the time of all that own code calls is its own") {
  Service in;
  in.make.Add(in.thread, {in.eval, in.flask, in.app}, 1);
  in.make.Add(in.thread, {in.eval, in.flask, in.app, in.step}, 20);
  in.make.Add(in.thread, {in.eval, in.flask, in.app, in.eval, in.decode}, 300);
  in.make.Add(in.thread, {in.eval, in.flask}, 4000);
  CHECK(Selfs(in.make.profile, {.own = true}) ==
        std::map<std::string, int64_t>{{"load", 321}, {"[outside of own code]", 4000}});
  const Result<View> lines = BuildView(in.make.profile, {.kind = ViewKind::kLines, .own = true});
  REQUIRE(lines);
  CHECK(lines->rows->rows.size() == 2);
  const Result<View> tree = BuildView(in.make.profile, {.kind = ViewKind::kTree, .own = true});
  REQUIRE(tree);
  CHECK(tree->tree->tree.nodes.size() == 2);
}

TEST_CASE("a coarse outline goes on along most of the time, and its lines add up") {
  ProfileMaker make;
  const ModuleId module = make.AddModule("/home/u/solver", 0);
  const ThreadId thread = make.AddThread(1, 1, "p", "t");
  const FrameId a = make.Native("a", module), b = make.Native("b", module);
  const FrameId c = make.Native("c", module), d = make.Native("d", module);
  make.Add(thread, {a}, 1);
  make.Add(thread, {a, d}, 2);
  make.Add(thread, {a, b}, 1);
  make.Add(thread, {a, b, c}, 96);
  const Result<View> view = BuildView(make.profile, {.kind = ViewKind::kTree});
  REQUIRE(view);
  const CallTree& tree = view->tree->tree;
  const std::vector<OutlineLine> coarse = MakeOutline(tree, 60, kMs);
  REQUIRE(coarse.size() == 2);
  CHECK(coarse[1].chain.size() == 3);
  CHECK(coarse[1].self == 98 * kMs);
  CHECK(coarse[1].elided == 1);
  CHECK(coarse[1].self + coarse[1].elided_total == coarse[1].total);
  CHECK(MakeOutline(tree, 60, 1).size() == 5);  // the finest outline leaves nothing out
}

TEST_CASE("a shortened outline is the outline of that budget") {
  ProfileMaker make;
  const ModuleId module = make.AddModule("/home/u/solver", 0);
  const ThreadId thread = make.AddThread(1, 1, "p", "t");
  const FrameId root = make.Native("root", module);
  for (int i = 0; i < 6; ++i) {
    const FrameId branch = make.Native("branch" + std::to_string(i), module);
    make.Add(thread, {root, branch}, 10 + i);
    make.Add(thread, {root, branch, make.Native("leaf" + std::to_string(i), module)}, 5);
  }
  const Result<View> view = BuildView(make.profile, {.kind = ViewKind::kTree});
  REQUIRE(view);
  const std::vector<OutlineLine> all = MakeOutline(view->tree->tree, 100, 1);
  for (size_t budget = 0; budget < all.size(); ++budget) {
    const auto shortened = Shortened(all, budget);
    const auto made = MakeOutline(view->tree->tree, budget, 1);
    REQUIRE(shortened.size() == made.size());
    for (size_t i = 0; i < made.size(); ++i) {
      CHECK(shortened[i].chain == made[i].chain);
      CHECK(shortened[i].parent == made[i].parent);
      CHECK(shortened[i].elided == made[i].elided);
      CHECK(shortened[i].elided_total == made[i].elided_total);
    }
  }
}

TEST_CASE("short arguments are what tells processes apart") {
  CHECK(ShortArguments("cc1plus",
                       "/usr/lib/gcc/cc1plus -quiet -imultiarch x86_64-linux-gnu -D X "
                       "src/f1.cpp -o /tmp/cc1.s") == "f1.cpp");
  CHECK(ShortArguments("ls", "ls /etc") == "/etc");
  CHECK(ShortArguments("ls", "ls -l /etc").empty());
  CHECK(ShortArguments("app.py", "python3 app.py").empty());
  CHECK(ShortArguments("app.py", "/usr/bin/python3 -X dev app.py run --port 80") == "run");
  CHECK(ShortArguments("as", "as -o x.o y.s") == "y.s");
  CHECK(ShortArguments("x", "").empty());
}

}  // namespace gprofx::testing
