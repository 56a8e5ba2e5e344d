// Calls of the C library that a signal ends, made again by its handler: the program sees no EINTR.
#include "samplers/agent/signals/interrupted_call.h"

#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>

using namespace gprofx::agent;

namespace {

std::atomic<int> g_signals{0};
bool g_restarts = true;

void OnAlarm(int, siginfo_t*, void* context) {
  ++g_signals;
  if (g_restarts) RestartInterruptedCall(*static_cast<ucontext_t*>(context));
}

// Signals every 20 ms, without SA_RESTART, while one lives.
struct Alarms {
  struct sigaction before;
  explicit Alarms(bool restarts) {
    g_signals = 0;
    g_restarts = restarts;
    struct sigaction action {};
    action.sa_sigaction = OnAlarm;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGALRM, &action, &before);
    const itimerval every{{0, 20000}, {0, 20000}};
    setitimer(ITIMER_REAL, &every, nullptr);
  }
  ~Alarms() {
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &before, nullptr);
  }
};

// Up to the moment 0.2 s from now, as the clock that semaphores ask.
timespec Soon() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  now.tv_nsec += 200'000'000;
  if (now.tv_nsec >= 1'000'000'000) {
    ++now.tv_sec;
    now.tv_nsec -= 1'000'000'000;
  }
  return now;
}

}  // namespace

TEST_CASE("waits that a signal ended are made again with all their arguments") {
  const Alarms alarms(true);
  SECTION("an endless wait for a descriptor") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    // A child ends it: it writes after some signals.
    const pid_t child = fork();
    if (child == 0) {
      usleep(150'000);
      _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
    }
    pollfd reads{ends[0], POLLIN, 0};
    CHECK(poll(&reads, 1, -1) == 1);
    CHECK(g_signals > 0);
    waitpid(child, nullptr, 0);
    close(ends[0]);
    close(ends[1]);
  }
  SECTION("a sleep, with what remains of it") {
    timespec rest{0, 200'000'000};
    CHECK(nanosleep(&rest, &rest) == 0);
    CHECK(g_signals > 0);
  }
  SECTION("a sleep up to a moment") {
    const timespec moment = Soon();
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &moment, nullptr) == 0);
    CHECK(g_signals > 0);
  }
  SECTION("a semaphore up to a moment") {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    const timespec moment = Soon();
    errno = 0;
    CHECK(sem_timedwait(&semaphore, &moment) == -1);
    CHECK(errno == ETIMEDOUT);
    CHECK(g_signals > 0);
    sem_destroy(&semaphore);
  }
}

TEST_CASE("without that the program would see them") {
  const Alarms alarms(false);
  const timespec moment = Soon();
  CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &moment, nullptr) == EINTR);
}
