// A program that lives by its own signal handlers: SIGPROF from setitimer counted, SIGSEGV caught
// and repaired by siglongjmp or by mapping the page, SIGTRAP raised by itself. Prints what it saw;
// anything unexpected is printed as an error.
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

static volatile sig_atomic_t profs, faults, traps, mapped;
static sigjmp_buf jump;
static char* lazy_page;
static volatile double sink;

static void OnProf(int, siginfo_t* info, void*) {
  if (info->si_code == SI_KERNEL) profs = profs + 1;
}

static void OnFault(int, siginfo_t* info, void*) {
  faults = faults + 1;
  if (info->si_addr == lazy_page) {
    mprotect(lazy_page, 4096, PROT_READ | PROT_WRITE);
    mapped = mapped + 1;
    return;
  }
  siglongjmp(jump, 1);
}

static void OnTrap(int) { traps = traps + 1; }

int main(int, char** argv) {
  const double seconds = std::atof(argv[1]);
  struct sigaction action {
  }, seen{};
  sigaction(SIGPROF, nullptr, &seen);
  if (seen.sa_handler != SIG_DFL) std::puts("error: SIGPROF is not at its default");
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  action.sa_sigaction = OnProf;
  sigaction(SIGPROF, &action, nullptr);
  sigaction(SIGPROF, nullptr, &seen);
  constexpr int kRestorer = 0x04000000;  // which libc sets and shows
  if (seen.sa_sigaction != OnProf || (seen.sa_flags & ~kRestorer) != (SA_SIGINFO | SA_RESTART))
    std::puts("error: SIGPROF action changed");
  action.sa_sigaction = OnFault;
  sigaction(SIGSEGV, &action, nullptr);
  signal(SIGTRAP, OnTrap);

  itimerval timer{{0, 20000}, {0, 20000}};
  setitimer(ITIMER_PROF, &timer, nullptr);
  lazy_page =
      static_cast<char*>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  volatile int caught = 0;
  timespec begin, now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  int rounds = 0;
  do {
    for (int i = 0; i < 200000; ++i) sink = sink + i;
    if (sigsetjmp(jump, 1) == 0) {
      *reinterpret_cast<volatile int*>(8) = 1;
      std::puts("error: a bad write went through");
    } else {
      caught = caught + 1;
    }
    lazy_page[0] = 1;
    mprotect(lazy_page, 4096, PROT_NONE);
    raise(SIGTRAP);
    ++rounds;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  } while (static_cast<double>(now.tv_sec - begin.tv_sec) +
               static_cast<double>(now.tv_nsec - begin.tv_nsec) * 1e-9 <
           seconds);
  timer = {};
  setitimer(ITIMER_PROF, &timer, nullptr);
  if (caught != rounds || mapped != rounds || traps != rounds) {
    std::printf("error: %d rounds, %d caught, %d mapped, %d traps\n", rounds,
                static_cast<int>(caught), static_cast<int>(mapped), static_cast<int>(traps));
  }
  const double expected = seconds / 0.02;
  // The kernel counts this timer in ticks, which on a busy machine are far off.
  if (profs < expected * 0.4 || profs > expected * 2.5)
    std::printf("error: %d SIGPROF, expected %.0f\n", static_cast<int>(profs), expected);
  std::puts("own handlers done");
  if (argv[2] != nullptr) {  // end by a fault at default action
    signal(SIGSEGV, SIG_DFL);
    std::fflush(nullptr);
    *reinterpret_cast<volatile int*>(16) = 1;
  }
}
