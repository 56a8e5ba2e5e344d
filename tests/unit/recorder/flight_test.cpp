#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "samplers/recorder/flight/flight_triggers.h"
#include "samplers/recorder/flight/flight_window.h"
#include "samplers/recorder/flight/when_rule.h"
#include "samplers/recorder/flight/when_watch.h"

namespace gprofx {
using namespace recorder;
namespace {

constexpr HostNs kMs = 1'000'000, kSecond = 1'000'000'000;

WhenRule Rule(const char* text) {
  const auto rule = ParseWhen(text);
  INFO(text);
  REQUIRE(rule.ok());
  return *rule;
}

EventTable Kernels(HostNs begin, HostNs duration) {
  EventTable rows(Stream::kKernels);
  for (size_t i = 0; i < rows.columns(); ++i)
    rows.column(i).push_back(i == 0 ? begin : i == 1 ? duration : 0);
  return rows;
}

TEST_CASE("rules are read with their units") {
  CHECK(Rule("step>1.5*p99").limit == 1.5);
  CHECK(Rule("step>1.5*p99").quantile == 99);
  CHECK(Rule(" step > 2 * p50 ").text == "step>2*p50");
  CHECK(Rule("step>p95").limit == 1);
  CHECK(Rule("step>200ms").limit == 200e6);
  CHECK_FALSE(Rule("step>200ms").quantile);
  CHECK(Rule("step>2s").limit == 2e9);
  CHECK(Rule("gpu_idle>30%").limit == Approx(0.3));
  CHECK(Rule("rss>1.5G").limit == 1.5 * 1073741824);
  for (const char* wrong : {"", "step", "step>", "step<1s", "step>0s", "step>-1s", "step>1.5*p98",
                            "step>1.5*", "step>5", "step>1e3s", "gpu_idle>30", "gpu_idle>100%",
                            "rss>20", "rss>20GB", "rss>nan", "cpu>5%"}) {
    INFO(wrong);
    CHECK_FALSE(ParseWhen(wrong).ok());
  }
  CHECK(*ParseSpan("5m") == 300e9);
  CHECK(*ParseSpan("90") == 90e9);
  CHECK_FALSE(ParseSpan("5 m"));
}

TEST_CASE("a step is compared with the steps of its kind before it") {
  WhenWatch watch({Rule("step>1.5*p99")});
  for (int i = 0; i < 60; ++i) {
    watch.AddStep(1, "train", 100 * kMs + i % 7);
    watch.AddStep(1, "validate", 900 * kMs);  // its own measure
    watch.AddStep(2, "train", 300 * kMs);
  }
  CHECK_FALSE(watch.Take());
  watch.AddStep(1, "train", 149 * kMs);
  CHECK_FALSE(watch.Take());
  watch.AddStep(1, "train", 240 * kMs);
  CHECK(watch.Take() == std::string("step>1.5*p99"));
  CHECK_FALSE(watch.Take());
}

TEST_CASE("the first steps are no measure and are not judged by a quantile") {
  WhenWatch watch({Rule("step>2*p50")});
  for (int i = 0; i < 22; ++i) watch.AddStep(1, "train", i < 3 ? 5000 * kMs : 100 * kMs);
  CHECK_FALSE(watch.Take());
  watch.AddStep(1, "train", 500 * kMs);  // 19 are known
  CHECK_FALSE(watch.Take());
  watch.AddStep(1, "train", 500 * kMs);
  CHECK(watch.Take());
  WhenWatch plain({Rule("step>200ms")});
  plain.AddStep(1, "train", 201 * kMs);
  CHECK(plain.Take());
}

TEST_CASE("memory and idle time fire when they begin to hold") {
  WhenWatch watch({Rule("rss>1G")});
  for (const auto& [bytes, fires] : std::map<int64_t, bool>{{1, false}, {2, false}}) {
    watch.Look(kSecond, bytes << 29);
    CHECK(watch.Take().has_value() == fires);
  }
  watch.Look(2 * kSecond, int64_t{3} << 29);
  CHECK(watch.Take());
  watch.Look(3 * kSecond, int64_t{4} << 29);
  CHECK_FALSE(watch.Take());  // it still holds
  watch.Look(4 * kSecond, 1);
  watch.Look(5 * kSecond, int64_t{3} << 29);
  CHECK(watch.Take());

  WhenWatch idle({Rule("gpu_idle>30%")});
  std::set<HostNs> fired;
  for (HostNs now = 0; now < 60 * kSecond; now += kSecond) {
    // Busy for 90 % of each second, from 30 s on for half of it.
    const HostNs busy = now < 30 * kSecond ? 900 * kMs : 500 * kMs;
    idle.AddWork(Kernels(now, busy / 2));
    idle.AddWork(Kernels(now + busy / 2, busy / 2));
    idle.Look(now, 0);
    if (idle.Take()) fired.insert(now / kSecond);
  }
  REQUIRE(fired.size() == 1);
  // 10 s are looked at, and records may be 2 s late: half of them must be idle ones.
  CHECK(*fired.begin() >= 36);
  CHECK(*fired.begin() <= 40);
}

TEST_CASE("rules that fire again at once write no more files, a signal does, and there is a most") {
  FlightTriggers triggers({Rule("rss>1G")});
  const auto hold = [&](HostNs now, int signals) {
    triggers.Look(now, 0, signals);
    triggers.Look(now, int64_t{2} << 30, signals);
  };
  hold(kSecond, 0);
  CHECK(triggers.wanted() == std::string("rss>1G"));
  triggers.Written(kSecond);
  CHECK_FALSE(triggers.wanted());
  hold(10 * kSecond, 0);
  CHECK_FALSE(triggers.wanted());
  CHECK(triggers.not_written() == 1);
  triggers.Look(11 * kSecond, 0, 1);
  CHECK(triggers.wanted() == std::string("SIGUSR2"));
  triggers.Written(11 * kSecond);
  triggers.Look(12 * kSecond, 0, 1);  // no new one
  CHECK_FALSE(triggers.wanted());
  for (int i = 1; i < FlightTriggers::kMax; ++i) {
    CHECK_FALSE(triggers.TakeFull());
    hold(i * 100 * kSecond, 1);
    REQUIRE(triggers.wanted());
    triggers.Written(i * 100 * kSecond);
  }
  CHECK(triggers.TakeFull());
  CHECK_FALSE(triggers.TakeFull());
  hold(9000 * kSecond, 1);
  CHECK_FALSE(triggers.wanted());
  CHECK(triggers.not_written() == 2);
  triggers.Look(9001 * kSecond, 0, 2);
  CHECK(triggers.wanted() == std::string("SIGUSR2"));
}

TEST_CASE("a window begins at the latest mark that holds the time, and counts what came since") {
  FlightWindow window(30 * kSecond);
  Profile profile, other;
  HostNs now = 0;
  for (; now <= 100 * kSecond; now += kSecond) {
    for (Profile* p : {&profile, &other}) {
      p->threads.resize(1);
      p->quality["samples"] = now / kMs;
      p->quality["handler_p99_ns"] = 500;
      p->threads[0].cpu_ns = now / 2;
    }
    window.Follow(now, profile);
  }
  CHECK(window.marks() <= FlightWindow::kParts + 2);
  const HostNs begin = window.Cut(now, 0, profile);
  CHECK(begin <= now - 30 * kSecond);
  CHECK(begin >= now - 32 * kSecond);
  CHECK(profile.quality["samples"] == 100'000 - begin / kMs);
  CHECK(profile.quality["handler_p99_ns"] == 500);  // no sum
  CHECK(profile.threads[0].cpu_ns == 50 * kSecond - begin / 2);
  // Rows that the bound of the file took are missing from its begin.
  const HostNs later = window.Cut(now, 90 * kSecond, other);
  CHECK(later >= 90 * kSecond);
  CHECK(later <= 91 * kSecond);
}

}  // namespace
}  // namespace gprofx
