// Which function of the user's own code costs most, and in what.
#include "core/views/verdict/verdict.h"

#include <catch2/catch.hpp>

#include "core/views/naming/names.h"
#include "sample_profile.h"

namespace gprofx::testing {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr char kSite[] = "/usr/lib/python3/dist-packages/";

OwnFunction Hottest(const ProfileMaker& make) {
  return HottestOwnFunction(make.profile, make.profile.FindMetric("cpu"));
}

std::string NameOf(const ProfileMaker& make, const OwnFunction& own) {
  return own.line ? FrameName(make.profile, make.profile.frame(own.line)) : "";
}

}  // namespace

TEST_CASE("time in foreign code is charged to the own function that calls it") {
  ProfileMaker make;
  const ThreadId thread = make.AddThread(1, 1, "p", "t");
  const ModuleId python = make.AddModule("/usr/lib/libpython3.11.so", kModuleIsPython);
  const ModuleId sqlite = make.AddModule("/usr/lib/_sqlite3.cpython-311-x86_64-linux-gnu.so", 0);
  const FrameId eval = make.Native("_PyEval_EvalFrameDefault", python);
  const FrameId load = make.Python("load", "/home/u/app.py", 22, 20);
  const FrameId other = make.Python("other", "/home/u/app.py", 40, 39);
  const FrameId table = make.Python("read", std::string(kSite) + "pandas/core/frame.py", 3, 1);
  const FrameId step = make.Native("step", sqlite);
  make.Add(thread, {eval, load, eval, step}, 60);
  make.Add(thread, {eval, load, eval}, 10);
  make.Add(thread, {eval, load, eval, table, eval, step}, 20);
  make.Add(thread, {eval, other, eval}, 50);
  const OwnFunction own = Hottest(make);
  CHECK(NameOf(make, own) == "load");
  CHECK(own.ns == 90 * kMs);
  CHECK(own.library == "sqlite3");
  CHECK(own.library_ns == 60 * kMs);
}

TEST_CASE("the own function that a framework calls is named beside the one with the time") {
  ProfileMaker make;
  const ThreadId thread = make.AddThread(1, 1, "p", "t");
  const FrameId framework = make.Python("call", std::string(kSite) + "pluggy/_callers.py", 80, 70);
  const FrameId fixture = make.Python("catalog", "/home/u/conftest.py", 12, 10);
  const FrameId helper = make.Python("records", "/home/u/parse.py", 9, 8);
  const FrameId parse = make.Python("parse", "/home/u/parse.py", 3, 2);
  const FrameId module = make.Python("<module>", "/home/u/app.py", 30, 1);
  make.Add(thread, {framework, fixture, helper, parse}, 60);
  OwnFunction own = Hottest(make);
  CHECK(NameOf(make, own) == "parse");
  REQUIRE(own.entry);
  CHECK(FrameName(make.profile, make.profile.frame(own.entry)) == "catalog");

  make.Add(thread, {module, parse}, 30);  // called from elsewhere as well
  CHECK_FALSE(Hottest(make).entry);

  ProfileMaker script;  // the top level of a file says nothing
  const ThreadId main = script.AddThread(1, 1, "p", "t");
  script.Add(main,
             {script.Python("<module>", "/home/u/app.py", 30, 1),
              script.Python("parse", "/home/u/app.py", 3, 2)},
             60);
  CHECK_FALSE(Hottest(script).entry);
}

TEST_CASE("a generator's time is that of the function it is written in") {
  ProfileMaker make;
  const ThreadId thread = make.AddThread(1, 1, "p", "t");
  const FrameId work = make.Python("work", "/home/u/app.py", 3, 2);
  const FrameId items = make.Python("work.<locals>.<genexpr>", "/home/u/app.py", 3, 3);
  make.Add(thread, {work, items}, 70);
  make.Add(thread, {work}, 20);
  const OwnFunction own = Hottest(make);
  CHECK(NameOf(make, own) == "work");
  CHECK(own.ns == 90 * kMs);
  CHECK(own.library.empty());
}

TEST_CASE("imports count for the line that imports, under the package's name") {
  ProfileMaker make;
  const ThreadId thread = make.AddThread(1, 1, "p", "t");
  const FrameId line = make.Python("<module>", "/home/u/app.py", 1, 1);
  const FrameId machinery = make.Python("_load", "<frozen importlib._bootstrap>", 3, 1);
  const FrameId package = make.Python("<module>", std::string(kSite) + "torch/__init__.py", 3, 1);
  const FrameId json = make.Python("loads", "/usr/lib/python3.11/json/decoder.py", 3, 1);
  make.Add(thread, {line, machinery, package, json}, 30);
  make.Add(thread, {line, machinery, json}, 20);
  const OwnFunction own = Hottest(make);
  CHECK(own.ns == 50 * kMs);
  CHECK(own.library == "torch");
  CHECK(own.library_ns == 30 * kMs);
}

TEST_CASE("the time of an import is told from that of calls") {
  ProfileMaker make;
  const ThreadId thread = make.AddThread(1, 1, "p", "t");
  const FrameId script = make.Python("<module>", "/home/u/app.py", 1, 1);
  const FrameId machinery = make.Python("_load", "<frozen importlib._bootstrap>", 3, 1);
  const FrameId words = make.Python("<module>", "/home/u/words.py", 7, 1);
  const FrameId regex = make.Python("compile", "/usr/lib/python3.11/re/__init__.py", 3, 1);
  make.Add(thread, {script, machinery, words, regex}, 60);
  make.Add(thread, {script, machinery, regex}, 40);
  const OwnFunction slow = Hottest(make);
  CHECK(NameOf(make, slow) == "<module>");
  CHECK(slow.ns == 60 * kMs);
  CHECK(slow.at_import_ns == 60 * kMs);
  CHECK(slow.library_ns == 60 * kMs);
  CHECK(slow.library_import_ns == 0);
  make.Add(thread, {script, regex}, 30);
  const OwnFunction importer = Hottest(make);
  CHECK(importer.ns == 70 * kMs);
  CHECK(importer.at_import_ns == 0);
  CHECK(importer.library_ns == 70 * kMs);
  CHECK(importer.library_import_ns == 40 * kMs);
}

TEST_CASE("imports count together, for the own line that imports most") {
  ProfileMaker make;
  const ThreadId thread = make.AddThread(1, 1, "p", "t");
  const FrameId script = make.Python("<module>", "/home/u/app.py", 12, 1);
  const FrameId machinery = make.Python("_load", "<frozen importlib._bootstrap>", 3, 1);
  const FrameId torch = make.Python("<module>", std::string(kSite) + "torch/__init__.py", 3, 1);
  const FrameId dynamo = make.Python("<module>", std::string(kSite) + "torch/_dynamo/a.py", 3, 1);
  const FrameId json = make.Python("<module>", "/usr/lib/python3.11/json/__init__.py", 3, 1);
  const FrameId work = make.Python("work", "/home/u/app.py", 20, 19);
  const FrameId zip = make.Python("exec", "<frozen zipimport>", 3, 1);
  make.Add(thread, {script, machinery, torch}, 15);
  make.Add(thread, {script, machinery, dynamo}, 5);
  make.Add(thread, {script, zip, torch, machinery, dynamo}, 10);
  make.Add(thread, {work, machinery, json}, 5);
  make.Add(thread, {machinery, json}, 3);  // of the interpreter's start
  make.Add(thread, {script, work}, 100);
  const Imports imports = SumImports(make.profile, make.profile.FindMetric("cpu"));
  CHECK(imports.ns == 38 * kMs);
  CHECK(imports.line == script);
  CHECK(imports.library == "torch");
  CHECK(imports.library_ns == 30 * kMs);
}

TEST_CASE("without own Python code it is the main package, without Python the program") {
  ProfileMaker installed;
  const FrameId pip = installed.Python("main", std::string(kSite) + "pip/main.py", 3, 1);
  installed.Add(installed.AddThread(1, 1, "p", "t"), {pip}, 5);
  CHECK(NameOf(installed, Hottest(installed)) == "main");
  ProfileMaker native;
  const FrameId run = native.Native("run", native.AddModule("/home/u/app", 0));
  const ModuleId zlib = native.AddModule("/usr/lib/x86_64-linux-gnu/libz.so.1", 0);
  native.Add(native.AddThread(1, 1, "p", "t"), {run, native.Native("inflate", zlib)}, 5);
  const OwnFunction own = Hottest(native);
  CHECK(NameOf(native, own) == "run");
  CHECK(own.library == "z");
}

TEST_CASE("the own function in which a rank spends more than the others") {
  ProfileMaker make;
  const FrameId both = make.Python("both", "/home/u/app.py", 3, 1);
  const FrameId extra = make.Python("extra", "/home/u/app.py", 9, 8);
  Ranks ranks;
  ranks.ranks.resize(3);
  for (int rank = 0; rank < 3; ++rank) {
    const ThreadId thread = make.AddThread(rank + 1, rank + 1, "p", "t");
    make.Add(thread, {both}, rank == 1 ? 90 : 100);
    make.Add(thread, {extra}, rank == 1 ? 40 : 10);
    ranks.of_thread.push_back(static_cast<uint32_t>(rank));
  }
  ranks.of_thread.insert(ranks.of_thread.begin(),
                         make.profile.threads.size() - ranks.of_thread.size(), Ranks::kNone);
  const MetricId cpu = make.profile.FindMetric("cpu");
  const OwnExcess excess = LargestExcess(make.profile, cpu, ranks, 1);
  CHECK(excess.line == extra);
  CHECK(excess.ns == 30 * kMs);
  CHECK(LargestExcess(make.profile, cpu, ranks, 0).line == both);
}

TEST_CASE("of several processes the program with most time is named") {
  ProfileMaker make;
  const FrameId frame = make.Python("f", "/home/u/app.py", 3, 1);
  make.Add(make.AddThread(1, 1, "make", "t"), {frame}, 10);
  make.Add(make.AddThread(2, 2, "cc1plus", "t"), {frame}, 50);
  make.Add(make.AddThread(3, 3, "cc1plus", "t"), {frame}, 40);
  const TimeVerdict verdict =
      MakeVerdict(make.profile, make.profile.FindMetric("cpu"), 100 * kMs, 200);
  CHECK(verdict.program == "cc1plus");
  CHECK(verdict.program_ns == 90 * kMs);
  CHECK(verdict.program_processes == 2);
  CHECK(verdict.whole == 100 * kMs);
  CHECK(verdict.cpu_ns == 100 * kMs);
  CHECK(verdict.length_ns == 200);
}

}  // namespace gprofx::testing
