#include "symbolize/sandbox.h"

#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "test_support.h"

namespace gprofx {
namespace {

// Three modules; the worker misbehaves on the one in the middle.
std::vector<ModuleOutcome> RunWith(const std::function<void(NamesSink&)>& misbehave) {
  const std::vector<SymbolRequest> requests = {
      {"first", "", {1}}, {"bad", "", {2, 3}}, {"last", "", {4}}};
  SymbolizeOptions options = LocalOptions("/nonexistent");
  options.module_seconds = 1;
  options.memory_limit = uint64_t{256} << 20;
  return RunInSandbox(
      requests, options,
      [&](const SymbolRequest& request, const SymbolizeOptions&, NamesSink& sink) {
        sink.Names({{request.addresses[0], {{"name of " + request.path, "", 0, "", 0}}}});
        if (request.path == "bad") misbehave(sink);
      });
}

void CheckOthersAreFine(const std::vector<ModuleOutcome>& outcomes) {
  REQUIRE(outcomes.size() == 3);
  CHECK(outcomes[0].complete);
  CHECK(FunctionsAt(outcomes[0].names, 1) == std::vector<std::string>{"name of first"});
  CHECK(outcomes[2].complete);
  CHECK(FunctionsAt(outcomes[2].names, 4) == std::vector<std::string>{"name of last"});
}

void CheckOneProblem(const std::vector<ModuleOutcome>& outcomes, const std::string& what) {
  CheckOthersAreFine(outcomes);
  CHECK_FALSE(outcomes[1].complete);
  REQUIRE(outcomes[1].problems.size() == 1);
  CHECK(outcomes[1].problems[0].starts_with("bad: "));
  CHECK(outcomes[1].problems[0].find(what) != std::string::npos);
  // What was said before the trouble counts.
  CHECK(FunctionsAt(outcomes[1].names, 2) == std::vector<std::string>{"name of bad"});
}

TEST_CASE("work without trouble needs no second child") {
  const std::vector<ModuleOutcome> outcomes = RunWith([](NamesSink&) {});
  CheckOthersAreFine(outcomes);
  CHECK(outcomes[1].complete);
}

TEST_CASE("a crash costs one module") {
  CheckOneProblem(RunWith([](NamesSink&) { std::raise(SIGSEGV); }), "died of signal 11");
  CheckOneProblem(RunWith([](NamesSink&) { std::abort(); }), "died of signal 6");
  CheckOneProblem(RunWith([](NamesSink&) { _exit(0); }), "ended early");
}

TEST_CASE("a hang costs one module and one time limit") {
  const auto start = std::chrono::steady_clock::now();
  CheckOneProblem(RunWith([](NamesSink&) {
                    while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
                  }),
                  "took longer than 1 s");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(4));
}

TEST_CASE("an endless stream of answers ends with the time limit") {
  CheckOneProblem(RunWith([](NamesSink& sink) {
                    while (true) sink.Witnesses({});
                  }),
                  "took longer than 1 s");
}

TEST_CASE("more time is given for the network only") {
  CheckOneProblem(RunWith([](NamesSink& sink) {
                    while (true) sink.NeedsMoreTime(500);
                  }),
                  "took longer than 1 s");
}

#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("a module that eats memory costs one module") {
  CheckOneProblem(RunWith([](NamesSink&) {
                    std::vector<std::string> heap;
                    while (true) heap.emplace_back(size_t{1} << 20, 'x');
                  }),
                  "needs more memory");
}
#endif

TEST_CASE("an exception costs one module") {
  CheckOneProblem(RunWith([](NamesSink&) { throw std::runtime_error("broken"); }), "broken");
}

TEST_CASE("answers nobody asked for are refused") {
  CheckOneProblem(RunWith([](NamesSink& sink) {
                    sink.Names({{77, {{"made up", "", 0, "", 0}}}});
                  }),
                  "makes no sense");
  CheckOneProblem(RunWith([](NamesSink& sink) {
                    sink.Names({{3, {{"", "", 0, "", 0}}}});
                  }),
                  "makes no sense");
}

TEST_CASE("the child can write neither to the terminal nor a core file") {
  const std::vector<ModuleOutcome> outcomes = RunWith([](NamesSink& sink) {
    struct rlimit core = {};
    getrlimit(RLIMIT_CORE, &core);
    char target[64] = {};
    const ssize_t size = readlink("/proc/self/fd/2", target, sizeof(target) - 1);
    sink.Problem("core " + std::to_string(core.rlim_cur) + " stderr " +
                 std::string(target, size > 0 ? size : 0));
  });
  REQUIRE(outcomes[1].problems.size() == 1);
  CHECK(outcomes[1].problems[0] == "core 0 stderr /dev/null");
}

TEST_CASE("many modules with many addresses come back complete") {
  std::vector<SymbolRequest> requests(50);
  for (SymbolRequest& request : requests) {
    for (uint64_t address = 0; address < 5000; address++) request.addresses.push_back(address);
  }
  const std::vector<ModuleOutcome> outcomes =
      RunInSandbox(requests, LocalOptions("/x"),
                   [](const SymbolRequest& request, const SymbolizeOptions&, NamesSink& sink) {
                     ModuleNames names;
                     for (const uint64_t address : request.addresses)
                       names[address] = {{"f", "", 1, "", 0}};
                     sink.Names(names);
                   });
  for (const ModuleOutcome& outcome : outcomes) REQUIRE(outcome.names.size() == 5000);
}

TEST_CASE("no requests, no child") { CHECK(RunInSandbox({}, LocalOptions("/x")).empty()); }

}  // namespace
}  // namespace gprofx
