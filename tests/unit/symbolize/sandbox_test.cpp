#include "symbolize/sandbox.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
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
  options.memory_limit = uint64_t{64} << 20;
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

TEST_CASE("a debug file is fetched by the parent, once and only if the user wants it") {
  static constexpr char kId[] = "00112233445566778899";
  CheckOneProblem(RunWith([](NamesSink& sink) { (void)sink.DebugFile(kId); }), "makes no sense");

  TempFolder folder;
  const std::string helper = folder.path() + "/helper";
  std::ofstream(helper) << "#!/bin/sh\necho /found/$1/$2\n";
  chmod(helper.c_str(), 0700);
  setenv("DEBUGINFOD_URLS", "http://localhost:1", 1);
  SymbolizeOptions options = LocalOptions("/nonexistent");
  options.use_debuginfod = true;
  options.foreign_helper = helper;
  const auto ask = [&options](int times) {
    return RunInSandbox({{"module", "", {1}}}, options,
                        [times](const SymbolRequest&, const SymbolizeOptions&, NamesSink& sink) {
                          for (int i = 0; i < times; i++) {
                            const Result<std::string> path = sink.DebugFile(kId);
                            sink.Problem(path ? *path : path.error().Text());
                          }
                        })[0]
        .problems;
  };
  CHECK(ask(1) == std::vector<std::string>{std::string("/found/debuginfod/") + kId});
  CHECK(ask(2).back().find("makes no sense") != std::string::npos);
  options.foreign_helper = "/nonexistent/helper";
  CHECK(ask(1)[0].find("cannot start /nonexistent/helper") != std::string::npos);
  unsetenv("DEBUGINFOD_URLS");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("the child reads files and does nothing else to the machine") {
  TempFolder folder;
  const std::string file = folder.path() + "/file";
  std::ofstream(file) << "text";
  const pid_t parent = getpid();
  const std::vector<ModuleOutcome> outcomes = RunWith([&](NamesSink& sink) {
    const auto refused = [&](const char* what, long result) {
      if (result != -1 || errno != EPERM) sink.Problem(std::string("may ") + what);
    };
    refused("use the network", socket(AF_INET, SOCK_STREAM, 0));
    refused("make a process", fork());
    refused("run a program", execl("/bin/true", "true", nullptr));
    refused("write a file", open(file.c_str(), O_WRONLY));
    refused("make a file", open((file + "2").c_str(), O_RDONLY | O_CREAT, 0600));
    refused("remove a file", unlink(file.c_str()));
    refused("signal its parent", kill(parent, 0));
    refused("read its parent", ptrace(PTRACE_ATTACH, parent, nullptr, nullptr));
    refused("make code", reinterpret_cast<long>(mmap(nullptr, 4096, PROT_READ | PROT_EXEC,
                                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)));
    char text[8] = {};
    const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (read(fd, text, sizeof text) != 4) sink.Problem("cannot read a file");
  });
  CHECK(outcomes[1].problems == std::vector<std::string>{});
  CheckOthersAreFine(outcomes);
}
#endif

TEST_CASE("the child has no file of its parent") {
  const int secret = open("/dev/null", O_RDONLY);
  REQUIRE(secret >= 0);
  const int high = fcntl(secret, F_DUPFD, 700);
  const std::vector<ModuleOutcome> outcomes = RunWith([&](NamesSink& sink) {
    for (const int fd : {secret, high}) {
      if (fd > 3 && fcntl(fd, F_GETFD) >= 0) sink.Problem("descriptor " + std::to_string(fd));
    }
  });
  CHECK(outcomes[1].problems == std::vector<std::string>{});
  close(secret);
  close(high);
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
