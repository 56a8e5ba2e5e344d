#include "samplers/collector/unseen_threads.h"

#include <catch2/catch.hpp>
#include <string>

#include "samplers/collector/ask_thread.h"

namespace gprofx {
namespace {

constexpr HostNs kMs = 1'000'000;

TEST_CASE("a thread is asked for when two looks found it without a slot, and once") {
  UnseenThreads threads;
  threads.Looked({1, 5, 7}, {1});
  CHECK(threads.Next(0, true) == std::nullopt);  // they may be about to take one
  threads.Looked({1, 5, 7, 9}, {1, 5});
  CHECK(threads.Next(100 * kMs, false) == std::nullopt);  // nobody took the one before
  CHECK(threads.Next(105 * kMs, true) == 7);
  CHECK(threads.NextLook() == UnseenThreads::kLookAgain);  // 9 was found once
  CHECK(threads.Hurries(106 * kMs));
  threads.Looked({1, 5, 7, 9}, {1, 5});
  CHECK(threads.NextLook() == UnseenThreads::kLookEvery);
  CHECK(threads.Hurries(110 * kMs));
  CHECK(threads.Next(110 * kMs, true) == 9);
  CHECK(threads.Next(115 * kMs, true) == std::nullopt);
  CHECK_FALSE(threads.Hurries(115 * kMs));
  CHECK_FALSE(threads.any());
  threads.Looked({1, 5, 7, 9}, {1, 5, 7});
  CHECK(threads.any());
}

TEST_CASE("where nobody takes requests, or no slot is left, there is no hurry") {
  UnseenThreads threads;
  for (int look = 0; look < 2; ++look) threads.Looked({1, 5, 7}, {1});
  CHECK(threads.Next(1000 * kMs, true) == 5);
  CHECK(threads.Hurries(1005 * kMs));
  CHECK_FALSE(threads.Hurries(1200 * kMs));
  CHECK(threads.Next(1300 * kMs, true) == 7);
  threads.Looked({1, 5, 7}, {1});
  CHECK(threads.Next(1400 * kMs, true) == std::nullopt);
  CHECK_FALSE(threads.any());
  CHECK(threads.Next(2000 * kMs, true) == 5);  // again, a second later
}

TEST_CASE("who was asked itself is not asked for") {
  UnseenThreads threads;
  for (int look = 0; look < 2; ++look) threads.Looked({1, 5, 7}, {1});
  CHECK(threads.Due(1000 * kMs) == std::vector<int64_t>{5, 7});
  threads.Asked(5, 1000 * kMs);
  CHECK(threads.Due(1000 * kMs) == std::vector<int64_t>{7});
  CHECK(threads.Next(1000 * kMs, true) == 7);
}

TEST_CASE("only a running thread with SIGPROF open and caught is asked itself") {
  const auto status = [](const char* state, const char* blocked, const char* caught) {
    return std::string("Name:\tState:\tR\nState:\t") + state +
           "\nSigPnd:\t0000000000000000\nSigBlk:\t" + blocked +
           "\nSigIgn:\t0000000004000000\nSigCgt:\t" + caught + "\n";
  };
  const char* none = "0000000000000000";
  const char* profiling = "0000000004000440";  // 27, and two more
  CHECK(MayBeAsked(status("R (running)", none, profiling)));
  CHECK_FALSE(MayBeAsked(status("S (sleeping)", none, profiling)));
  CHECK_FALSE(MayBeAsked(status("R (running)", profiling, profiling)));
  CHECK_FALSE(MayBeAsked(status("R (running)", none, none)));
  CHECK_FALSE(MayBeAsked(""));
}

TEST_CASE("a number that came back is a new thread") {
  UnseenThreads threads;
  for (int look = 0; look < 2; ++look) threads.Looked({1, 5}, {1});
  threads.Looked({1}, {1});
  threads.Looked({1, 5}, {1});
  CHECK(threads.Next(300 * kMs, true) == std::nullopt);
}

}  // namespace
}  // namespace gprofx
