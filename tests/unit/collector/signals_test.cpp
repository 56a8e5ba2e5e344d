#include "samplers/collector/drain/signals.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "samplers/collector/processes/launch.h"

namespace gprofx {
namespace {

constexpr HostNs kSecond = 1'000'000'000;

TEST_CASE("Signals of the terminal are not sent twice") {
  SignalRules rules;
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGWINCH}) {
    CHECK(rules.Decide(signal, SI_KERNEL, 0) == SignalAction::kIgnore);
  }
}

TEST_CASE("Signals sent to the launcher alone are forwarded, as often as they come") {
  SignalRules rules;
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH}) {
    for (int i = 0; i < 3; ++i) {
      CHECK(rules.Decide(signal, SI_USER, i) == SignalAction::kForward);
      CHECK(rules.Decide(signal, SI_TKILL, i) == SignalAction::kForward);
      CHECK(rules.Decide(signal, SI_QUEUE, i) == SignalAction::kForward);
    }
  }
  CHECK(rules.Decide(SIGTSTP, SI_USER, 0) == SignalAction::kStop);
  CHECK(rules.Decide(SIGCONT, SI_USER, 0) == SignalAction::kContinue);
}

TEST_CASE("Only a second Ctrl-C soon after the first one kills") {
  SignalRules rules;
  CHECK(rules.Decide(SIGINT, SI_KERNEL, 0) == SignalAction::kIgnore);
  CHECK(rules.Decide(SIGINT, SI_KERNEL, 5 * kSecond) == SignalAction::kIgnore);
  CHECK(rules.Decide(SIGINT, SI_KERNEL, 6 * kSecond) == SignalAction::kKill);
}

int StatusOf(void (*end)()) {
  const pid_t pid = fork();
  if (pid == 0) {
    end();
    _exit(99);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return ExitStatus(status);
}

TEST_CASE("Statuses are those of a shell") {
  CHECK(StatusOf([] { _exit(0); }) == 0);
  CHECK(StatusOf([] { _exit(3); }) == 3);
  CHECK(StatusOf([] { _exit(143); }) == 143);
  CHECK(StatusOf([] { raise(SIGKILL); }) == 137);
  CHECK(StatusOf([] {
          signal(SIGTERM, SIG_DFL);
          raise(SIGTERM);
        }) == 143);
}

TEST_CASE("The child's environment has the agent first and everything else untouched") {
  const std::vector<std::string> base = {"A=1", "LD_PRELOAD=libx.so:liby.so", "GPROFX_SESSION=old",
                                         "B="};
  const auto env = ChildEnvironment(base, "/l/agent.so", "/proc/1/fd/3");
  CHECK(env == std::vector<std::string>{"A=1", "B=", "LD_PRELOAD=/l/agent.so:libx.so:liby.so",
                                        "GPROFX_SESSION=/proc/1/fd/3"});
  CHECK(ChildEnvironment({}, "/a", "/s")[0] == "LD_PRELOAD=/a");
}

TEST_CASE("What sees memory is preloaded behind the agent, where it is asked for") {
  const std::vector<std::string> base = {"LD_PRELOAD=libx.so"};
  CHECK(ChildEnvironment(base, "/l/agent.so", "/s", "", "", "/l/memory.so")[0] ==
        "LD_PRELOAD=/l/agent.so:/l/memory.so:libx.so");
  CHECK(ChildEnvironment({}, "/l/agent.so", "/s", "", "", "/l/memory.so")[0] ==
        "LD_PRELOAD=/l/agent.so:/l/memory.so");
}

TEST_CASE("A sanitizer stays first in the list") {
  for (const std::string first :
       {"/usr/lib/gcc/libasan.so.8", "liblsan.so.0", "libclang_rt.asan-x86_64.so"}) {
    CHECK(ChildEnvironment({"LD_PRELOAD=" + first + ":libx.so"}, "/a", "/s", "", "", "/m")[0] ==
          "LD_PRELOAD=" + first + ":libx.so:/a:/m");
  }
  CHECK(ChildEnvironment({"LD_PRELOAD=/libasan.d/libtcmalloc.so.4"}, "/a", "/s")[0] ==
        "LD_PRELOAD=/a:/libasan.d/libtcmalloc.so.4");
}

TEST_CASE("NVTX gets our library where its user named none") {
  using Texts = std::vector<std::string>;
  const auto tail = [](const Texts& base) {
    const Texts all = ChildEnvironment(base, "/a", "/s", "", "/l/nvtx.so");
    return Texts(all.begin(), all.end() - 2);
  };
  CHECK(ChildEnvironment({}, "/a", "/s", "", "/l/nvtx.so").back() ==
        "NVTX_INJECTION64_PATH=/l/nvtx.so");
  CHECK(ChildEnvironment({"A=1"}, "/a", "/s", "", "").size() == 3);
  CHECK(tail({"NVTX_INJECTION64_PATH=/x.so"}) == Texts{"NVTX_INJECTION64_PATH=/x.so"});
  CHECK(tail({"NVTX_INJECTION64_PATH="}) == Texts{"NVTX_INJECTION64_PATH="});
  // A recording within a recording.
  CHECK(tail({"NVTX_INJECTION64_PATH=/l/nvtx.so"}) == Texts{"NVTX_INJECTION64_PATH=/l/nvtx.so"});
}

TEST_CASE("The GPU side comes in by the driver's variable, and what was there is passed on") {
  using Texts = std::vector<std::string>;
  const auto tail = [](const Texts& base) {
    const Texts all = ChildEnvironment(base, "/a", "/s", "/l/cuda.so");
    return Texts(all.begin() + 2, all.end());
  };
  CHECK(tail({}) == Texts{"CUDA_INJECTION64_PATH=/l/cuda.so"});
  CHECK(tail({"CUDA_INJECTION64_PATH=/x.so"}) ==
        Texts{"CUDA_INJECTION64_PATH=/l/cuda.so", "GPROFX_CUDA_CHAIN=/x.so"});
  // A recording within a recording.
  CHECK(tail({"CUDA_INJECTION64_PATH=/l/cuda.so", "GPROFX_CUDA_CHAIN=/x.so"}) ==
        Texts{"CUDA_INJECTION64_PATH=/l/cuda.so", "GPROFX_CUDA_CHAIN=/x.so"});
  CHECK(tail({"CUDA_INJECTION64_PATH=none"}) == Texts{"CUDA_INJECTION64_PATH=none"});
  // --gpu off: nothing of the GPU is touched.
  CHECK(ChildEnvironment({"CUDA_INJECTION64_PATH=/x.so"}, "/a", "/s")[0] ==
        "CUDA_INJECTION64_PATH=/x.so");
}

}  // namespace
}  // namespace gprofx
