#include "samplers/attach/refusal.h"

#include <catch2/catch.hpp>

using namespace gprofx;
using namespace gprofx::attach;

namespace {

TargetFacts Good() {
  TargetFacts facts;
  facts.pid = facts.thread_group = 42;
  facts.exists = facts.readable = facts.has_c_library = true;
  facts.state = 'S';
  facts.user = facts.own_user = 1000;
  facts.fitness = wire::Fitness::kFits;
  return facts;
}

template <class Change>
std::string Why(Change change) {
  TargetFacts facts = Good();
  change(facts);
  const Status why = WhyNot(facts);
  return why ? "" : why.error().Text();
}

}  // namespace

TEST_CASE("what /proc says") {
  TargetFacts facts;
  ReadStatus(
      "Name:\ta b\nState:\tS (sleeping)\nTgid:\t7\nPid:\t8\nTracerPid:\t9\nUid:\t1000\t1001\t0\t0\n"
      "VmSize:\t  100 kB\nSeccomp:\t2\n",
      facts);
  CHECK(facts.state == 'S');
  CHECK(facts.thread_group == 7);
  CHECK(facts.tracer == 9);
  CHECK(facts.user == 1001);
  CHECK(!facts.kernel_thread);
  ReadStatus("Name:\tkthreadd\nState:\tS (sleeping)\nTgid:\t2\n", facts);
  CHECK(facts.kernel_thread);
  ReadStatus("Name:\tx\nState:\tZ (zombie)\nTgid:\t2\n", facts);
  CHECK(!facts.kernel_thread);
}

TEST_CASE("one line with the way out for each reason") {
  if (!wire::kEntersPrograms) {
    CHECK(Why([](TargetFacts&) {}).find("gprof-x records only programs that it starts") !=
          std::string::npos);
    return;
  }
  CHECK(Why([](TargetFacts&) {}).empty());
  CHECK(Why([](TargetFacts& f) { f.exists = false; }).find("there is no process 42") == 0);
  CHECK(Why([](TargetFacts& f) { f.is_self = true; }).find("is gprof-x itself") !=
        std::string::npos);
  CHECK(Why([](TargetFacts& f) { f.thread_group = 41; }) ==
        "42 is a thread of process 41; use --pid 41");
  CHECK(Why([](TargetFacts& f) { f.state = 'Z'; }).find("zombie") != std::string::npos);
  CHECK(Why([](TargetFacts& f) {
          f.state = 'Z';
          f.others_run = true;
        }).find("process 42: its first thread has ended") != std::string::npos);
  CHECK(Why([](TargetFacts& f) { f.kernel_thread = true; }).find("kernel") != std::string::npos);
  CHECK(Why([](TargetFacts& f) { f.state = 'T'; }) ==
        "process 42 is stopped; continue it with kill -CONT 42");
  CHECK(Why([](TargetFacts& f) { f.seccomp = 2; }).find("seccomp") != std::string::npos);
  CHECK(Why([](TargetFacts& f) { f.in_vfork = true; }).find("vfork") != std::string::npos);
  CHECK(Why([](TargetFacts& f) { f.musl = true; }).find("musl") != std::string::npos);
  CHECK(Why([](TargetFacts& f) { f.fitness = wire::Fitness::k32Bit; }).find("32-bit") !=
        std::string::npos);
  CHECK(Why([](TargetFacts& f) {
          f.fitness = wire::Fitness::kStatic;
          f.has_c_library = false;
        }).find("statically linked") != std::string::npos);
  // Started through the loader: the file that runs has none, the process has.
  CHECK(Why([](TargetFacts& f) { f.fitness = wire::Fitness::kStatic; }).empty());
  const std::string traced = Why([](TargetFacts& f) {
    f.tracer = 5;
    f.tracer_name = "strace";
  });
  CHECK(traced == "process 42 is traced by process 5 (strace); end that debugger or tracer first");
}

TEST_CASE("one whose loader has only begun is looked at again, and no other") {
  if (!wire::kEntersPrograms) return;
  TargetFacts facts = Good();
  CHECK(!IsBeingLoaded(facts));
  facts.has_c_library = false;
  CHECK(IsBeingLoaded(facts));
  CHECK(!WhyNot(facts));
  const auto but = [&facts](auto change) {
    TargetFacts other = facts;
    change(other);
    return IsBeingLoaded(other);
  };
  CHECK(!but([](TargetFacts& f) { f.fitness = wire::Fitness::kStatic; }));
  CHECK(!but([](TargetFacts& f) { f.fitness = wire::Fitness::kNoLibrary; }));
  CHECK(!but([](TargetFacts& f) { f.musl = true; }));
  CHECK(!but([](TargetFacts& f) { f.state = 'T'; }));
  CHECK(!but([](TargetFacts& f) { f.exists = false; }));
}

TEST_CASE("where tracing is not permitted, the line that permits it") {
  TargetFacts facts = Good();
  facts.user = 0;
  CHECK(Forbidden(facts).Text().find(
            "runs as another user (uid 0); run gprof-x as that user or as root") !=
        std::string::npos);
  facts.user = 1000;
  facts.yama = 1;
  CHECK(Forbidden(facts).Text().find("sudo sysctl kernel.yama.ptrace_scope=0") !=
        std::string::npos);
  facts.yama = 2;
  CHECK(Forbidden(facts).Text().find("sudo sysctl kernel.yama.ptrace_scope=1") !=
        std::string::npos);
  facts.yama = 3;
  CHECK(Forbidden(facts).Text().find("next boot") != std::string::npos);
  facts.yama = 0;
  CHECK(Forbidden(facts).Text().find("--cap-add=SYS_PTRACE") != std::string::npos);
}
