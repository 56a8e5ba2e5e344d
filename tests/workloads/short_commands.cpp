// Runs many short commands, one after the other, and says what the kernel charged for each:
//   short_commands N LEAST_US MOST_US [HOW]
// HOW: spawn (posix_spawn of this program; the default), fork (a child that does not exec), exit
// (fork, and the child ends by _exit), kill (fork, and the child kills itself).
// One line for each: "PID NS", NS = its CPU time by wait4's rusage; then "sum NS" and "wall NS".
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern char** environ;

static int64_t Now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * int64_t{1000000000} + t.tv_nsec;
}

static volatile int sink;

__attribute__((noinline)) static void Burn(int64_t ns) {
  const int64_t until = Now(CLOCK_PROCESS_CPUTIME_ID) + ns;
  while (Now(CLOCK_PROCESS_CPUTIME_ID) < until) {
    for (int i = 0; i < 2000; ++i) sink = sink + i;
  }
}

static pid_t Start(const char* self, const char* how, int64_t us) {
  if (std::strcmp(how, "spawn") != 0) {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    Burn(us * 1000);
    if (std::strcmp(how, "exit") == 0) _exit(0);
    if (std::strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
    std::exit(0);
  }
  char amount[32];
  std::snprintf(amount, sizeof amount, "%lld", static_cast<long long>(us));
  char burn[] = "burn";
  char* const arguments[] = {const_cast<char*>(self), burn, amount, nullptr};
  pid_t pid = -1;
  return posix_spawn(&pid, self, nullptr, nullptr, arguments, environ) == 0 ? pid : -1;
}

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "burn") == 0) {
    Burn(std::atoll(argv[2]) * 1000);
    return 0;
  }
  if (argc < 4) return 2;
  const int count = std::atoi(argv[1]);
  const int64_t least = std::atoll(argv[2]), most = std::atoll(argv[3]);
  const char* how = argc > 4 ? argv[4] : "spawn";
  struct Ended {
    pid_t pid;
    int64_t ns;
  };
  std::vector<Ended> all;
  const int64_t begin = Now(CLOCK_MONOTONIC);
  for (int i = 0; i < count; ++i) {
    const int64_t us = least + (most - least) * (i * 7919 % 1000) / 1000;
    const pid_t pid = Start("/proc/self/exe", how, us);
    int status = 0;
    rusage used{};
    if (pid < 0 || wait4(pid, &status, 0, &used) != pid || (status != 0 && !WIFSIGNALED(status)))
      return 1;
    const auto ns = [](const timeval& t) {
      return t.tv_sec * int64_t{1000000000} + t.tv_usec * int64_t{1000};
    };
    all.push_back({pid, ns(used.ru_utime) + ns(used.ru_stime)});
  }
  const int64_t wall = Now(CLOCK_MONOTONIC) - begin;
  int64_t sum = 0;
  for (const Ended& e : all) {
    std::printf("%d %lld\n", e.pid, static_cast<long long>(e.ns));
    sum += e.ns;
  }
  std::printf("sum %lld\nwall %lld\n", static_cast<long long>(sum), static_cast<long long>(wall));
  return 0;
}
