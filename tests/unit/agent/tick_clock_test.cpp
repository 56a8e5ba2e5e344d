#include "samplers/agent/calls/tick_clock.h"

#include <catch2/catch.hpp>

#include "samplers/agent/machine/machine.h"
#include "samplers/agent/process/session.h"

using namespace gprofx::agent;

namespace {

constexpr uint64_t kStart = 1'000'000'000;

// A counter that makes `per_us` ticks in a microsecond, read at `ns`.
TickClock::Reading At(int64_t ns, uint64_t per_us = 3000) {
  return {kStart + static_cast<uint64_t>(ns) * per_us / 1000, ns};
}

// -1: it would ask the real clock.
int64_t Told(TickClock& clock, uint64_t ticks) {
  return clock.Knows(ticks) ? clock.Now(ticks) : -1;
}

}  // namespace

TEST_CASE("a clock by ticks says what the real one would, once the rate is known") {
  for (const uint64_t per_us : {25, 1000, 3187}) {
    TickClock clock;
    clock.Add(At(1'000'000, per_us));
    CHECK(Told(clock, At(1'100'000, per_us).ticks) == -1);
    clock.Add(At(2'000'000, per_us));  // too near
    CHECK(Told(clock, At(2'100'000, per_us).ticks) == -1);
    for (int64_t ns = 6'000'000; ns < 900'000'000; ns += 5'100'000) {
      clock.Add(At(ns, per_us));
      for (const int64_t later : {0, 1'000, 2'500'000, 4'990'000}) {
        const int64_t told = Told(clock, At(ns + later, per_us).ticks);
        CHECK(std::abs(told - (ns + later)) <= 400);
      }
      CHECK(Told(clock, At(ns + 5'020'000, per_us).ticks) == -1);
    }
  }
}

TEST_CASE("a counter that is not even is not used again") {
  TickClock clock;
  clock.Add(At(1'000'000));
  clock.Add(At(6'000'000));
  REQUIRE(Told(clock, At(6'100'000).ticks) > 0);
  SECTION("its rate changes") { clock.Add({At(6'000'000).ticks + 15'200'000, 11'000'000}); }
  SECTION("another processor's lies behind") {
    clock.Add({At(11'000'000).ticks - 60'000, 11'000'000});
  }
  SECTION("it goes back") { clock.Add({At(5'000'000).ticks, 11'000'000}); }
  const uint64_t at = At(16'000'000).ticks;
  clock.Add({at, 16'000'000});
  clock.Add({at + 15'000'000, 21'000'000});
  CHECK(Told(clock, at + 15'000'100) == -1);
}

TEST_CASE("a clock by ticks goes on after a pause of the program") {
  TickClock clock;
  clock.Add(At(1'000'000));
  clock.Add(At(6'000'000));
  clock.Add(At(700'000'000));
  CHECK(Told(clock, At(700'100'000).ticks) == -1);
  clock.Add(At(705'000'000));
  CHECK(std::abs(Told(clock, At(705'100'000).ticks) - 705'100'000) < 100);
}

TEST_CASE("the real clock and this one agree while a thread works") {
  if (machine::LeastTicksPerMicrosecond() == 0) return;
  TickClock clock;
  int64_t worst = 0;
  for (const int64_t end = g_session.Now() + 200'000'000; g_session.Now() < end;) {
    const int64_t before = g_session.Now();
    const int64_t told = clock.Now(machine::Ticks());
    const int64_t after = g_session.Now();
    // Whatever else ran between the three looks says nothing.
    if (after - before < 2'000) worst = std::max({worst, before - told, told - after});
  }
  CHECK(worst < 10'000);
}
