// A number that another process has by now: nothing is read from that one, written into it or
// stopped. The successor gets the number by clone3(2), which needs root.
#include "samplers/attach/process_handle.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>

#include "samplers/attach/remote_memory.h"
#include "samplers/attach/stopped_thread.h"

namespace gprofx::testing {
using namespace gprofx::attach;
namespace {

// A child that waits, with memory that it shares with us; with this number, unless it is 0.
class Waiting {
 public:
  explicit Waiting(pid_t number = 0) {
    word = static_cast<uint64_t*>(
        mmap(nullptr, sizeof *word, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    clone_args how{};
    how.exit_signal = SIGCHLD;
    if (number != 0) {
      how.set_tid = reinterpret_cast<uint64_t>(&number);
      how.set_tid_size = 1;
    }
    pid = static_cast<pid_t>(syscall(SYS_clone3, &how, sizeof how));
    if (pid == 0) {
      while (true) pause();
    }
  }
  ~Waiting() { End(); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  void End() {
    if (pid > 0) kill(pid, SIGKILL);
    if (pid > 0) waitpid(pid, nullptr, 0);
    pid = -1;
  }

  pid_t pid = -1;
  uint64_t* word = nullptr;
};

uint64_t AddressOf(const uint64_t* word) { return reinterpret_cast<uint64_t>(word); }

}  // namespace

TEST_CASE("a handle is of one process, its threads and its memory") {
  Waiting child;
  REQUIRE(child.pid > 0);
  const ProcessHandle process(child.pid);
  const RemoteMemory memory(process);
  CHECK(process.is_there());
  CHECK(process.HasThread(child.pid));
  CHECK_FALSE(process.HasThread(getpid()));
  CHECK(process.PidFd());
  const uint64_t told = 42;
  CHECK(memory.Write(AddressOf(child.word), &told, sizeof told));
  CHECK(*child.word == 42);
  child.End();
  CHECK_FALSE(process.is_there());
  CHECK_FALSE(process.PidFd());
  CHECK_FALSE(process.Read("status", 4096));
  CHECK_FALSE(memory.Write(AddressOf(child.word), &told, sizeof told));
  CHECK_FALSE(ProcessHandle(0).is_there());
}

TEST_CASE("who gets the number of a process that ended is left alone") {
  if (geteuid() != 0) {
    std::puts("skipped: choosing a number needs root");
    return;
  }
  Waiting first;
  REQUIRE(first.pid > 0);
  const pid_t number = first.pid;
  const ProcessHandle process(number);
  const RemoteMemory memory(process);
  first.End();
  const Waiting second(number);
  if (second.pid != number) {
    std::puts("skipped: the kernel lets no number be chosen");
    return;
  }
  CHECK(ProcessHandle(number).is_there());
  CHECK_FALSE(process.is_there());
  CHECK_FALSE(process.PidFd());
  CHECK_FALSE(process.Read("status", 4096));
  const uint64_t told = 42;
  uint64_t read = 0;
  CHECK_FALSE(memory.Get(AddressOf(second.word), &read));
  CHECK_FALSE(memory.Write(AddressOf(second.word), &told, sizeof told));
  CHECK_FALSE(memory.WriteInOrder({{AddressOf(second.word), "x"}}));
  CHECK(*second.word == 0);
  StoppedThread thread(process, number);
  CHECK(thread.Stop(1'000'000'000) == StoppedThread::Answer::kGone);
  CHECK_FALSE(thread.Prepare());
}

TEST_CASE("a program that took the place of another one is not written into") {
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ready[1]);
    char byte;
    const ssize_t got = read(ready[0], &byte, 1);
    if (got == 1) execl("/bin/sleep", "sleep", "60", nullptr);
    _exit(1);
  }
  const ProcessHandle process(child);
  const RemoteMemory memory(process);
  uint64_t word = 0;
  const auto here = AddressOf(&word);
  CHECK(memory.Get(here, &word));
  REQUIRE(write(ready[1], "", 1) == 1);
  bool is_other = false;
  for (int i = 0; i < 20000 && !is_other; ++i) {
    usleep(1000);
    is_other = !memory.Get(here, &word);
  }
  CHECK(is_other);
  CHECK(process.is_there());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

}  // namespace gprofx::testing
