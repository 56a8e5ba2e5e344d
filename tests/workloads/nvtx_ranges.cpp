// A program that names what it does by NVTX 3, in every way that its headers offer.
// usage: nvtx_ranges WHAT: all, flood, cost, fork or silent
#include <nvtx3/nvToolsExt.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

long long Now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

volatile unsigned g_sink;
void Work(int ms) {
  const long long end = Now() + ms * 1000000ll;
  while (Now() < end) g_sink = g_sink + 1;
}

nvtxEventAttributes_t Attributes(int32_t type) {
  nvtxEventAttributes_t attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = type;
  return attributes;
}

void All() {
  nvtxRangePushA("outer");
  Work(20);
  nvtxRangePushW(L"inner \u00e9\u4e2d");
  Work(10);
  nvtxMarkA("moment");
  nvtxRangePop();
  nvtxRangePop();

  const nvtxDomainHandle_t domain = nvtxDomainCreateA("my domain");
  nvtxEventAttributes_t registered = Attributes(NVTX_MESSAGE_TYPE_REGISTERED);
  registered.message.registered = nvtxDomainRegisterStringA(domain, "registered");
  // Domains nest by themselves.
  nvtxRangePushA("default");
  nvtxDomainRangePushEx(domain, &registered);
  Work(10);
  nvtxRangePop();
  Work(10);
  nvtxDomainRangePop(domain);

  const nvtxRangeId_t one = nvtxRangeStartA("one");
  nvtxEventAttributes_t ascii = Attributes(NVTX_MESSAGE_TYPE_ASCII);
  ascii.message.ascii = "two";
  const nvtxRangeId_t two = nvtxDomainRangeStartEx(domain, &ascii);
  Work(10);
  std::thread([&] {
    nvtxRangePushA("of a thread");
    nvtxRangeEnd(one);
    Work(10);
    nvtxRangePop();
  }).join();
  nvtxDomainRangeEnd(domain, two);

  const std::string name(3000, 'x');
  nvtxRangePushA(name.c_str());
  nvtxRangePop();
  nvtxRangePushA("bad \xff\xfe utf");
  nvtxRangePop();
  nvtxRangePushA(nullptr);
  nvtxRangePop();
  nvtxRangePop();  // one too many
  nvtxRangePushA("never ends");
  nvtxRangeStartA("never ends either");
  std::printf("%d\n", nvtxRangePushA("level"));
}

// What nobody can keep up with.
void Flood() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int j = 0; j < 500000; ++j) {
        nvtxRangePushA(j % 2 == 0 ? "even" : "odd");
        nvtxRangePushA("inside");
        nvtxRangePop();
        nvtxRangePop();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::puts("done");
}

// Nanoseconds for a push and its pop.
void Cost() {
  constexpr int kRounds = 20000;
  nvtxRangePushA("first");
  nvtxRangePop();
  for (int i = 0; i < 20; ++i) {
    const long long begin = Now();
    for (int j = 0; j < kRounds; ++j) {
      nvtxRangePushA("a range of a program");
      nvtxRangePop();
    }
    std::printf("%lld\n", (Now() - begin) / kRounds);
    timespec rest{0, 250000000};  // the ring is emptied meanwhile
    nanosleep(&rest, nullptr);
  }
}

void Fork() {
  nvtxRangePushA("parent");
  const pid_t child = fork();
  if (child == 0) {
    nvtxRangePushA("child");
    Work(30);
    nvtxRangePop();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  nvtxRangePop();
  nvtxMarkA("after");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "all";
  if (what == "all") All();
  if (what == "flood") Flood();
  if (what == "cost") Cost();
  if (what == "fork") Fork();
  if (what == "silent") Work(20);
  return 0;
}
