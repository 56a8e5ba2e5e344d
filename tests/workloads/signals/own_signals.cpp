// What a program may do with signals: own_signals WAY SIGNAL. Prints what it sees, which is the
// same wherever it runs; it burns in between, so that a profiler's signals come.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // sigset, siginterrupt
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

extern char** environ;

namespace {

int g_signal;
const char* g_program;
std::atomic<int> g_handled{0}, g_strange{0};

void Burn(double seconds) {
  timespec begin{}, now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  volatile double sink = 0;
  do {
    for (int i = 0; i < 20000; ++i) sink = sink + i;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (static_cast<double>(now.tv_sec - begin.tv_sec) +
               static_cast<double>(now.tv_nsec - begin.tv_nsec) * 1e-9 <
           seconds);
}

sigset_t Only(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

sigset_t All() {
  sigset_t set;
  sigfillset(&set);
  return set;
}

void Count(int) { g_handled = g_handled + 1; }
void CountQueued(int, siginfo_t* info, void*) {
  g_handled = g_handled + 1;
  if (info->si_code != SI_QUEUE || info->si_value.sival_int != 7) g_strange = g_strange + 1;
}

void SetHandler(int flags = 0) {
  struct sigaction action {};
  action.sa_flags = flags | SA_SIGINFO;
  action.sa_sigaction = CountQueued;
  sigaction(g_signal, &action, nullptr);
}

void Queue() {
  sigval value{};
  value.sival_int = 7;
  sigqueue(getpid(), g_signal, value);
}

// What an exec'ed program finds.
int Show() {
  for (const int signal : {SIGPROF, SIGURG, SIGSEGV, SIGBUS, SIGTERM}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    const char* what = action.sa_handler == SIG_IGN   ? "ignored"
                       : action.sa_handler == SIG_DFL ? "default"
                                                      : "handled";
    sigset_t mask, waiting;
    sigprocmask(SIG_BLOCK, nullptr, &mask);
    sigpending(&waiting);
    std::printf("%d %s%s%s\n", signal, what, sigismember(&mask, signal) ? " blocked" : "",
                sigismember(&waiting, signal) ? " waiting" : "");
  }
  Burn(0.05);
  return 0;
}

int Exec() {
  execl(g_program, g_program, "show", static_cast<char*>(nullptr));
  return 9;
}
int Spawn() {
  std::fflush(nullptr);
  char show[] = "show";
  char* arguments[] = {const_cast<char*>(g_program), show, nullptr};
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, g_program, nullptr, nullptr, arguments, environ) != 0) return 9;
  waitpid(child, &status, 0);
  return status;
}

void Ignore() {
  signal(g_signal, SIG_IGN);
  Burn(0.1);
}
void IgnoreAll() {
  for (int other = 1; other <= SIGRTMAX; ++other) signal(other, SIG_IGN);
  Burn(0.1);
}
void Block() {
  const sigset_t set = Only(g_signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  Queue();
  Burn(0.1);
}

// Ten that are sent while all are blocked, each taken by `take`.
template <class Take>
int Waits(const sigset_t& blocked, Take take) {
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  int taken = 0, strange = 0;
  for (int i = 0; i < 10; ++i) {
    Burn(0.02);
    Queue();
    Burn(0.005);
    if (take() == g_signal)
      ++taken;
    else
      ++strange;
  }
  std::printf("%d taken, %d strange\n", taken, strange);
  return 0;
}
int TakeBySigwait() {
  const sigset_t all = All();
  int got = 0;
  sigwait(&all, &got);
  return got;
}
int TakeByInfo() {
  const sigset_t all = All();
  siginfo_t info{};
  const int got = sigwaitinfo(&all, &info);
  return info.si_code == SI_QUEUE && info.si_value.sival_int == 7 ? got : -1;
}
int TakeByTime() {
  const sigset_t set = Only(g_signal);
  const timespec none{0, 0};
  return sigtimedwait(&set, nullptr, &none);
}
int TakeByDescriptor() {
  const sigset_t all = All();
  static const int fd = signalfd(-1, &all, SFD_NONBLOCK);
  signalfd_siginfo info{};
  pollfd one{fd, POLLIN, 0};
  poll(&one, 1, 5000);
  if (read(fd, &info, sizeof info) != sizeof info) return -1;
  return poll(&one, 1, 0) == 0 && info.ssi_code == SI_QUEUE ? static_cast<int>(info.ssi_signo) : -1;
}

int HandlerWhileBlocked() {
  Block();
  SetHandler();
  Burn(0.1);
  sigset_t waiting;
  sigpending(&waiting);
  std::printf("%d handled, %d waiting\n", g_handled.load(), sigismember(&waiting, g_signal));
  const sigset_t set = Only(g_signal);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  std::printf("%d handled, %d strange\n", g_handled.load(), g_strange.load());
  return 0;
}

// A handler that was set by `set` gets what is sent, and nothing else.
template <class Set>
int Handler(Set set) {
  set();
  Burn(0.2);
  for (int i = 0; i < 10; ++i) raise(g_signal);
  Burn(0.1);
  std::printf("%d handled\n", g_handled.load());
  struct sigaction action {};
  sigaction(g_signal, nullptr, &action);
  std::printf("%s %x %d\n",
              action.sa_handler == Count     ? "its own"
              : action.sa_handler == SIG_DFL ? "default"
                                             : "another",
              static_cast<unsigned>(action.sa_flags), sigismember(&action.sa_mask, g_signal));
  return 0;
}

// signal(3) after siginterrupt(3), then siginterrupt for the handler that is set.
int Interrupts() {
  siginterrupt(g_signal, 1);
  Handler([] { signal(g_signal, Count); });
  siginterrupt(g_signal, 0);
  return Handler([] {});
}

const char* NameOf(sighandler_t handler) {
  return handler == SIG_HOLD ? "held" : handler == Count ? "its own" : "another";
}
int Holds() {
  Handler([] { sigset(g_signal, Count); });
  const char* first = NameOf(sigset(g_signal, SIG_HOLD));
  const char* again = NameOf(sigset(g_signal, SIG_HOLD));
  Queue();
  Burn(0.1);
  std::printf("%s, %s, %d handled\n", first, again, g_handled.load());
  const char* released = NameOf(sigset(g_signal, Count));
  std::printf("%s, %d handled\n", released, g_handled.load());
  sigignore(g_signal);
  Queue();
  return Show();
}

int Suspends() {
  SetHandler();
  const sigset_t all = All();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &all, &before);
  for (int i = 0; i < 10; ++i) {
    Burn(0.02);
    Queue();
    sigsuspend(&before);
  }
  std::printf("%d handled, %d strange\n", g_handled.load(), g_strange.load());
  return 0;
}

void* ShowsMask(void*) {
  Show();
  Burn(0.1);
  return nullptr;
}
int InheritedByThread() {
  Block();
  pthread_t thread;
  pthread_create(&thread, nullptr, ShowsMask, nullptr);
  pthread_join(thread, nullptr);
  return 0;
}

// What waits while the thread burns: only what the program has sent.
int LooksAtWaiting() {
  Burn(0.1);
  const sigset_t all = All();
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  int strange = 0;
  for (int i = 0; i < 50; ++i) {
    Burn(0.006);
    sigset_t waiting;
    sigpending(&waiting);
    for (int signal = 1; signal <= SIGRTMAX; ++signal)
      strange += sigismember(&waiting, signal) == 1 ? 1 : 0;
  }
  std::printf("%d strange\n", strange);
  return 0;
}

// Another process sends; one thread takes, others burn or wait with all signals blocked.
std::atomic<bool> g_ends{false};
void* BurnsBlocked(void*) {
  while (!g_ends) Burn(0.002);
  return nullptr;
}
void* WaitsBlocked(void* failures) {
  while (!g_ends) {
    const timespec pause{0, 20'000'000};
    if (nanosleep(&pause, nullptr) != 0) ++*static_cast<std::atomic<int>*>(failures);
  }
  return nullptr;
}
int SentFromOutside() {
  Burn(0.1);
  const sigset_t all = All();
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, &all, &before);
  static std::atomic<int> failures{0};
  pthread_t burns, waits;
  pthread_create(&burns, nullptr, BurnsBlocked, nullptr);
  pthread_create(&waits, nullptr, WaitsBlocked, &failures);
  int taken = 0, strange = 0;
  for (int i = 0; i < 20; ++i) {
    const pid_t parent = getpid(), child = fork();
    if (child == 0) _exit(kill(parent, g_signal));
    waitpid(child, nullptr, 0);
    sigset_t wanted = All();
    sigdelset(&wanted, SIGCHLD);
    const timespec second{1, 0};
    (sigtimedwait(&wanted, nullptr, &second) == g_signal ? taken : strange) += 1;
    Burn(0.005);
  }
  g_ends = true;
  pthread_join(burns, nullptr);
  pthread_join(waits, nullptr);
  std::printf("%d taken, %d strange, %d calls ended\n", taken, strange, failures.load());
  return 0;
}

// At the default action SIGURG is thrown away: no call ends by it.
int IgnoredByDefault() {
  const pid_t parent = getpid(), child = fork();
  if (child == 0) {
    for (int i = 0; i < 20; ++i) {
      usleep(10'000);
      kill(parent, SIGURG);
    }
    _exit(0);
  }
  int ended = 0;
  for (int i = 0; i < 5; ++i) {
    const timespec pause{0, 60'000'000};
    ended += nanosleep(&pause, nullptr) != 0 ? 1 : 0;
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  std::printf("%d ended\n", ended);
  return 0;
}

// As async-profiler counts: an event of its own that signals the thread.
int g_event = -1;
void OnEvent(int, siginfo_t* info, void*) {
  if (info->si_fd == g_event)
    g_handled = g_handled + 1;
  else
    g_strange = g_strange + 1;
  ioctl(g_event, PERF_EVENT_IOC_REFRESH, 1);
}
int OwnPerfEvent() {
  Burn(0.2);
  struct sigaction action {};
  action.sa_sigaction = OnEvent;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(g_signal, &action, nullptr);
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.sample_period = 10'000'000;
  attr.wakeup_events = 1;
  attr.disabled = 1;
  attr.exclude_kernel = 1;
  g_event = static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (g_event < 0) return std::puts("no perf events"), 0;
  f_owner_ex owner{F_OWNER_TID, static_cast<pid_t>(syscall(SYS_gettid))};
  fcntl(g_event, F_SETFL, O_ASYNC);
  fcntl(g_event, F_SETSIG, g_signal);
  fcntl(g_event, F_SETOWN_EX, &owner);
  ioctl(g_event, PERF_EVENT_IOC_REFRESH, 1);
  Burn(0.5);
  ioctl(g_event, PERF_EVENT_IOC_DISABLE, 0);
  std::printf("%s, %d strange\n", g_handled > 25 ? "ticks" : "hardly a tick", g_strange.load());
  return 0;
}

int OwnTimer() {
  struct sigaction action {};
  action.sa_handler = Count;
  sigaction(g_signal, &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = g_signal;
  timer_t timer{};
  timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer);
  const itimerspec times{{0, 20'000'000}, {0, 20'000'000}};
  timer_settime(timer, 0, &times, nullptr);
  Burn(0.5);
  timer_delete(timer);
  std::printf("%s\n", g_handled > 5 && g_handled < 40 ? "ticks" : "too few or too many");
  return 0;
}

// A count of the program's own goes on.
int OwnCounter() {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.exclude_kernel = 1;
  const auto event =
      static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (event < 0) return std::puts("no perf events"), 0;
  SetHandler();
  Burn(0.1);
  Queue();
  const sigset_t set = Only(g_signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  Queue();
  Burn(0.1);
  sigset_t waiting;
  sigpending(&waiting);
  long first = 0, second = 0;
  if (read(event, &first, sizeof first) != sizeof first) return 9;
  Burn(0.1);
  if (read(event, &second, sizeof second) != sizeof second) return 9;
  std::printf("%s\n", second - first > 80'000'000 ? "goes on" : "stands still");
  return 0;
}

// Threads first, then as many timers as the user's limit of waiting signals allows.
int ManyTimers() {
  g_ends = false;
  pthread_t threads[8];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, BurnsBlocked, nullptr);
  Burn(0.1);
  int made = 0;
  for (int i = 0; i < 12; ++i) {
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = g_signal;
    timer_t timer{};
    made += timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 ? 1 : 0;
  }
  g_ends = true;
  for (pthread_t& thread : threads) pthread_join(thread, nullptr);
  std::printf("%d timers\n", made);
  return 0;
}

std::atomic<bool> g_stop{false};
std::atomic<int> g_changed{0};
void* Works(void*) {
  while (!g_stop) Burn(0.005);
  if (getuid() == 1234) ++g_changed;
  return nullptr;
}
int SetsUser() {  // libc changes each thread by a signal of its own
  pthread_t threads[3];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, Works, nullptr);
  Burn(0.2);
  const int result = setresuid(1234, 1234, 1234);
  Burn(0.1);
  g_stop = true;
  for (pthread_t& thread : threads) pthread_join(thread, nullptr);
  std::printf("%d, %d threads changed\n", result, g_changed.load());
  return 0;
}

void* Forever(void*) {
  for (;;) {
    Burn(0.01);
    pthread_testcancel();
  }
}
void* Sleeps(void*) {
  for (;;) pause();
}
void* Asynchronous(void*) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  for (;;) Burn(0.01);
}
int Cancels() {
  for (int i = 0; i < 5; ++i) {
    pthread_t threads[3];
    void* (*const starts[])(void*) = {Forever, Sleeps, Asynchronous};
    int cancelled = 0;
    for (int t = 0; t < 3; ++t) pthread_create(&threads[t], nullptr, starts[t], nullptr);
    Burn(0.03);
    for (pthread_t& thread : threads) pthread_cancel(thread);
    for (pthread_t& thread : threads) {
      void* result = nullptr;
      pthread_join(thread, &result);
      cancelled += result == PTHREAD_CANCELED ? 1 : 0;
    }
    std::printf("%d cancelled\n", cancelled);
  }
  return 0;
}

// What libc keeps for itself stays out of reach, and ends a program that knows nothing of it.
int Refused() {
  struct sigaction action {};
  for (const int signal : {32, 33}) {
    std::printf("%d %d %d\n", sigaction(signal, nullptr, &action),
                ::signal(signal, SIG_IGN) == SIG_ERR, sigaction(signal, &action, nullptr));
  }
  std::fflush(nullptr);
  Burn(0.1);
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 33);
  return 0;
}

int StandardThread(void*) {
  Burn(0.4);
  return 5;
}
int StandardThreads() {
  Burn(0.2);
  thrd_t thread;
  int result = 0;
  thrd_create(&thread, StandardThread, nullptr);
  Burn(0.4);
  thrd_join(thread, &result);
  std::printf("%d\n", result);
  return 0;
}

int Run(std::string_view way) {
  if (way == "show") return Show();
  if (way == "exec-ignored") return Ignore(), Exec();
  if (way == "spawn-ignored") return Ignore(), Spawn();
  if (way == "exec-all-ignored") return IgnoreAll(), Exec();
  if (way == "exec-blocked") return Block(), Exec();
  if (way == "spawn-blocked") return Block(), Spawn();
  if (way == "sigwait") return Waits(All(), TakeBySigwait);
  if (way == "sigwaitinfo") return Waits(All(), TakeByInfo);
  if (way == "sigtimedwait") return Waits(Only(g_signal), TakeByTime);
  if (way == "signalfd") return Waits(All(), TakeByDescriptor);
  if (way == "handler-while-blocked") return HandlerWhileBlocked();
  if (way == "signal") return Handler([] { signal(g_signal, Count); });
  if (way == "sigset") return Handler([] { sigset(g_signal, Count); });
  if (way == "siginterrupt") return Interrupts();
  if (way == "sighold") return Holds();
  if (way.starts_with("late-")) return Burn(0.3), Run(way.substr(5));
  if (way == "sysv_signal")
    return sysv_signal(g_signal, Count), raise(g_signal), Handler([] { signal(g_signal, Count); });
  if (way == "suspend") return Suspends();
  if (way == "looks") return LooksAtWaiting();
  if (way == "outside") return SentFromOutside();
  if (way == "default") return IgnoredByDefault();
  if (way == "ignored-and-blocked") return Ignore(), Waits(Only(g_signal), TakeByTime);
  if (way == "thread") return InheritedByThread();
  if (way == "perf") return OwnPerfEvent();
  if (way == "timers") return ManyTimers();
  if (way == "counter") return OwnCounter();
  if (way == "timer") return OwnTimer();
  if (way == "system")
    return Block(), Ignore(), std::system((std::string(g_program) + " show").c_str());
  if (way == "setuid") return SetsUser();
  if (way == "cancel") return Cancels();
  if (way == "refused") return Refused();
  if (way == "thrd") return StandardThreads();
  return 9;
}

}  // namespace

int main(int count, char** arguments) {
  g_program = arguments[0];
  g_signal = count > 2 ? std::atoi(arguments[2]) : SIGPROF;
  return Run(count > 1 ? arguments[1] : "show");
}
