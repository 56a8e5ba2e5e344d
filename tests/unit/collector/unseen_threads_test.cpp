#include "samplers/collector/drain/unseen_threads.h"

#include <catch2/catch.hpp>

namespace gprofx {
namespace {

constexpr HostNs kMs = 1'000'000;

TEST_CASE("a thread is asked for when two looks found it without a slot, and once") {
  UnseenThreads threads;
  threads.Looked(0, {5, 7}, {1});
  CHECK(threads.Next(0, true) == std::nullopt);  // they may be about to take one
  threads.Looked(1 * kMs, {5, 7}, {1});
  CHECK(threads.Next(1 * kMs, true) == std::nullopt);  // still
  threads.Looked(50 * kMs, {7, 9}, {1, 5});
  CHECK(threads.Next(60 * kMs, false) == std::nullopt);  // nobody took the one before
  CHECK(threads.Next(65 * kMs, true) == 7);
  CHECK(threads.Next(70 * kMs, true) == std::nullopt);  // 9 was found once
  CHECK_FALSE(threads.Hurries(70 * kMs));
  threads.Looked(100 * kMs, {7, 9}, {1, 5});
  CHECK(threads.Hurries(100 * kMs));
  CHECK(threads.Next(100 * kMs, true) == 9);
  CHECK(threads.Next(105 * kMs, true) == std::nullopt);
  CHECK_FALSE(threads.Hurries(105 * kMs));
  CHECK(threads.any());
  threads.Looked(150 * kMs, {}, {1, 5, 7});
  CHECK(threads.any());  // 7 came by asking
}

TEST_CASE("where nobody takes requests, or no slot is left, there is no hurry") {
  UnseenThreads threads;
  for (const HostNs now : {900 * kMs, 1000 * kMs}) threads.Looked(now, {5, 7}, {1});
  CHECK_FALSE(threads.Hurries(1000 * kMs));
  CHECK(threads.Next(1000 * kMs, true) == 5);
  CHECK(threads.Hurries(1005 * kMs));
  CHECK_FALSE(threads.Hurries(1200 * kMs));
  CHECK(threads.Next(1300 * kMs, true) == 7);
  threads.Looked(1350 * kMs, {5, 7}, {1});
  CHECK(threads.Next(1400 * kMs, true) == std::nullopt);
  CHECK(threads.Next(2000 * kMs, true) == 5);  // again, a second later
  CHECK_FALSE(threads.Hurries(2350 * kMs));    // the other is due again, without hurry
  CHECK(threads.Next(2350 * kMs, true) == 7);
}

TEST_CASE("a number that came back is a new thread") {
  UnseenThreads threads;
  for (const HostNs now : {0 * kMs, 50 * kMs}) threads.Looked(now, {5}, {1});
  threads.Looked(100 * kMs, {}, {1});
  threads.Looked(150 * kMs, {5}, {1});
  CHECK(threads.Next(160 * kMs, true) == std::nullopt);
  threads.Looked(200 * kMs, {}, {1});
  CHECK_FALSE(threads.any());
}

}  // namespace
}  // namespace gprofx
