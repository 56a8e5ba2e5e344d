#include "symbolize/sandbox/sandbox.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
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
             })
      .modules;
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
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("an endless stream of answers ends with the time limit") {
  CheckOneProblem(RunWith([](NamesSink& sink) {
                    while (true) sink.Witnesses({});
                  }),
                  "took longer than 1 s");
}

TEST_CASE("a debug file is fetched by the parent, once and only if the user wants it") {
  static constexpr char kId[] = "00112233445566778899";
  CheckOneProblem(RunWith([](NamesSink& sink) { (void)sink.DebugFile(kId); }), "invalid answer");

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
                        })
        .modules[0]
        .problems;
  };
  CHECK(ask(1) == std::vector<std::string>{std::string("/found/debuginfod/") + kId});
  CHECK(ask(2).back().find("invalid answer") != std::string::npos);
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
    refused("have its parent signalled", fcntl(3, F_SETOWN, parent));
    struct rlimit limit = {};
    refused("ask for its parent's limits", prlimit(parent, RLIMIT_NOFILE, nullptr, &limit));
    refused("list a folder", syscall(SYS_getdents64, 3, &limit, sizeof limit));
    refused("control a device", ioctl(0, TCGETS, &limit));
    refused("become root", setresuid(0, 0, 0));
    refused("read its parent", ptrace(PTRACE_ATTACH, parent, nullptr, nullptr));
    refused("make code", reinterpret_cast<long>(mmap(nullptr, 4096, PROT_READ | PROT_EXEC,
                                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)));
    char text[8] = {};
    const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (read(fd, text, sizeof text) != 4) sink.Problem("cannot read a file");
    if (prlimit(0, RLIMIT_NOFILE, nullptr, &limit) != 0) sink.Problem("cannot ask for its limits");
    struct rlimit more = {RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &more) == 0) sink.Problem("may have more memory");
    if (prctl(PR_GET_DUMPABLE) != -1) sink.Problem("may ask what it is");
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

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Of /proc/self/status.
std::string OwnStatus(const std::string& line) {
  std::ifstream status("/proc/self/status");
  for (std::string text; std::getline(status, text);) {
    if (text.starts_with(line)) return text.substr(text.find('\t') + 1);
  }
  return "";
}

std::string StatusOfChild(const std::optional<FileReader>& reader, const std::string& line) {
  const auto work = [&line](const SymbolRequest&, const SymbolizeOptions&, NamesSink& sink) {
    sink.Problem(OwnStatus(line));
  };
  SymbolRequest request{"module", "", {1}, reader};
  const SandboxOutcome outcome = RunInSandbox({request}, LocalOptions("/x"), work);
  REQUIRE(outcome.modules[0].problems.size() == 1);
  return outcome.modules[0].problems[0];
}

TEST_CASE("the child has a filter and no capability but root's to read") {
  CHECK(StatusOfChild({}, "Seccomp:") == "2");
  CHECK(StatusOfChild({}, "NoNewPrivs:") == "1");
  const std::string kept = geteuid() == 0 ? "0000000000000004" : "0000000000000000";
  CHECK(StatusOfChild({}, "CapEff:") == kept);
  CHECK(StatusOfChild({}, "CapPrm:") == kept);
  CHECK(StatusOfChild({}, "CapInh:") == "0000000000000000");
}

TEST_CASE("the child has the rights of the request's reader") {
  if (geteuid() != 0) return;  // only root becomes somebody else
  const FileReader reader{4242, 4243, {4244, 4245}};
  CHECK(StatusOfChild(reader, "Uid:") == "4242\t4242\t4242\t4242");
  CHECK(StatusOfChild(reader, "Gid:") == "4243\t4243\t4243\t4243");
  CHECK(StatusOfChild(reader, "Groups:") == "4244 4245 ");
  CHECK(StatusOfChild(kAnybody, "Groups:").find_first_not_of(' ') == std::string::npos);
  for (const char* line : {"CapEff:", "CapPrm:", "CapInh:", "CapBnd:", "CapAmb:"}) {
    CHECK(StatusOfChild(reader, line) == "0000000000000000");
  }
}

TEST_CASE("each reader has a child of its own, and the names stay in order") {
  if (geteuid() != 0) return;
  const FileReader one{4242, 4242}, other{4343, 4343};
  std::vector<SymbolRequest> requests;
  for (const auto& reader : {std::optional<FileReader>(), {one}, {one}, {other}, {}, {one}}) {
    requests.push_back({std::to_string(requests.size()), "", {1}, reader});
  }
  const auto work = [](const SymbolRequest& request, const SymbolizeOptions&, NamesSink& sink) {
    const std::string user = OwnStatus("Uid:");
    sink.Problem(request.path + " " + user.substr(0, user.find('\t')));
  };
  const SandboxOutcome outcome = RunInSandbox(requests, LocalOptions("/x"), work);
  std::vector<std::string> said;
  for (const ModuleOutcome& module : outcome.modules) said.push_back(module.problems.at(0));
  CHECK(said == std::vector<std::string>{"0 0", "1 4242", "2 4242", "3 4343", "4 0", "5 4242"});
}

// Refuses another filter, as a kernel without them does; for this process and for good.
void RefuseFilters() {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {static_cast<unsigned short>(std::size(code)), code};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) _exit(3);
}

// Exit status of `work` in a process without filters to be had: 0 = true.
int WithoutFilters(const std::function<bool()>& work) {
  const pid_t pid = fork();
  if (pid == 0) {
    RefuseFilters();
    _exit(work() ? 0 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("where the sandbox cannot be had no file is opened") {
  const auto run = [](const std::optional<FileReader>& reader) {
    const std::vector<SymbolRequest> requests = {{"a", "", {1}, reader}, {"b", "", {1}, reader}};
    return RunInSandbox(requests, LocalOptions("/x"),
                        [](const SymbolRequest&, const SymbolizeOptions&, NamesSink& sink) {
                          sink.Names({{1, {{"opened", "", 0, "", 0}}}});
                        });
  };
  CHECK(WithoutFilters([&] {
          const SandboxOutcome outcome = run({});
          const auto& said = outcome.modules[0].problems;
          return outcome.modules[0].names.empty() && outcome.modules[1].names.empty() &&
                 said.size() == 1 && said[0].find("a and 1 more: no names: ") == 0 &&
                 said[0].find("seccomp") != std::string::npos &&
                 outcome.modules[1].problems.empty();
        }) == 0);
  // A choice of who records, for programs of his own only.
  setenv("GPROFX_UNCONFINED_SYMBOLS", "1", 1);
  CHECK(WithoutFilters([&] { return run({}).modules[1].names.size() == 1; }) == 0);
  if (geteuid() == 0) {
    CHECK(WithoutFilters([&] { return run(kAnybody).modules[1].names.empty(); }) == 0);
  }
  unsetenv("GPROFX_UNCONFINED_SYMBOLS");
}

TEST_CASE("a user that cannot be had means that no file is opened") {
  if (geteuid() == 0) return;
  const SandboxOutcome outcome =
      RunInSandbox({{"a", "", {1}, kAnybody}}, LocalOptions("/x"),
                   [](const SymbolRequest&, const SymbolizeOptions&, NamesSink& sink) {
                     sink.Names({{1, {{"opened", "", 0, "", 0}}}});
                   });
  CHECK(outcome.modules[0].names.empty());
  CHECK(outcome.modules[0].problems.at(0).find("cannot become user 65534") != std::string::npos);
}
#endif

TEST_CASE("all modules together have a time limit") {
  std::vector<SymbolRequest> requests(300, SymbolRequest{"slow", "", {1}});  // half a minute
  SymbolizeOptions options = LocalOptions("/x");
  options.module_seconds = 5;
  options.total_seconds = 1;
  const auto start = std::chrono::steady_clock::now();
  const SandboxOutcome outcome = RunInSandbox(
      requests, options, [](const SymbolRequest&, const SymbolizeOptions&, NamesSink& sink) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        sink.Names({{1, {{"f", "", 0, "", 0}}}});
      });
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  CHECK(outcome.not_reached > 200);
  CHECK(outcome.not_reached < 300);
  REQUIRE(outcome.modules.size() == 300);
  CHECK(outcome.modules[0].names.size() == 1);
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
                  "invalid answer");
  CheckOneProblem(RunWith([](NamesSink& sink) {
                    sink.Names({{3, {{"", "", 0, "", 0}}}});
                  }),
                  "invalid answer");
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
                   })
          .modules;
  for (const ModuleOutcome& outcome : outcomes) REQUIRE(outcome.names.size() == 5000);
}

TEST_CASE("no requests, no child") { CHECK(RunInSandbox({}, LocalOptions("/x")).modules.empty()); }

}  // namespace
}  // namespace gprofx
