// Packed spans come back as they were, in the order of calls.
#include "formats/importers/gather/span_store.h"

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

namespace gprofx::importers {
namespace {

auto FieldsOf(const HostSpan& span) {
  return std::tuple(span.start, span.duration, span.frame.value, span.correlation, span.sequence,
                    span.forward_thread, span.work, span.is_backward, span.is_range);
}

HostSpan RandomSpan(std::mt19937& random, int64_t times) {
  const auto some = [&](uint32_t value) { return random() % 2 == 0 ? value : 0; };
  HostSpan span;
  span.start = static_cast<int64_t>(random()) % times;
  span.duration = static_cast<int64_t>(random()) % 5;
  span.frame = FrameId{static_cast<uint32_t>(random())};
  span.correlation = some(static_cast<uint32_t>(random()));
  span.sequence = random() % 2 == 0 ? static_cast<int64_t>(random()) << 20 : -1;
  span.forward_thread = some(static_cast<uint32_t>(random()));
  span.work = some(7);
  span.is_backward = random() % 2 == 0;
  span.is_range = random() % 2 == 0;
  return span;
}

std::vector<HostSpan> Sorted(const SpanStore& store) {
  std::vector<HostSpan> spans;
  store.ForSorted([&](const HostSpan& span) { spans.push_back(span); });
  return spans;
}

void CheckEqual(const std::vector<HostSpan>& found, const std::vector<HostSpan>& expected) {
  REQUIRE(found.size() == expected.size());
  const bool are_equal =
      std::equal(found.begin(), found.end(), expected.begin(),
                 [](const HostSpan& a, const HostSpan& b) { return FieldsOf(a) == FieldsOf(b); });
  CHECK(are_equal);
}

}  // namespace

TEST_CASE("spans come back in the order of calls, equal ones in the order of the trace") {
  std::mt19937 random(5);
  for (const size_t count : {size_t{1}, size_t{1024}, size_t{1025}, size_t{20'000}}) {
    for (const int64_t times : {int64_t{3}, int64_t{1'000'000}}) {
      SpanStore store;
      std::vector<HostSpan> spans;
      for (size_t i = 0; i < count; ++i) {
        spans.push_back(RandomSpan(random, times));
        store.Add(spans.back());
      }
      std::stable_sort(spans.begin(), spans.end(), IsOutside);
      CHECK(store.size() == count);
      CheckEqual(Sorted(store), spans);
      CheckEqual(Sorted(store), spans);  // and again
    }
  }
}

TEST_CASE("spans with numbers at their limits come back") {
  std::vector<HostSpan> spans(4);
  spans[0].start = INT64_MIN;
  spans[0].duration = INT64_MAX;
  spans[1].start = INT64_MAX;
  spans[1].sequence = INT64_MAX;
  spans[2].start = INT64_MAX;
  spans[2].sequence = INT64_MIN;
  spans[3].start = INT64_MAX;
  spans[3].frame = FrameId{UINT32_MAX};
  spans[3].correlation = spans[3].forward_thread = spans[3].work = UINT32_MAX;
  SpanStore store;
  for (const HostSpan& span : spans) store.Add(span);
  CheckEqual(Sorted(store), spans);
}

TEST_CASE("spans are removed by a test") {
  SpanStore store;
  for (int64_t i = 0; i < 5000; ++i) {
    HostSpan span;
    span.start = i;
    span.is_backward = i == 4999;
    store.Add(span);
  }
  CHECK(store.has_backward());
  CHECK(store.RemoveIf([](const HostSpan& span) { return span.start % 2 == 1; }) == 2500);
  CHECK(store.size() == 2500);
  CHECK_FALSE(store.has_backward());
  CHECK(Sorted(store).back().start == 4998);
  store.Clear();
  CHECK(store.empty());
  CHECK(Sorted(store).empty());
}

}  // namespace gprofx::importers
