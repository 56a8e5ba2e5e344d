// The parts that stand below the analysis: keys, logarithms, mergeable spreads, tests.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "core/variability/event.h"
#include "core/variability/plan.h"
#include "core/variability/stages/bytes.h"
#include "core/variability/stages/cells.h"
#include "core/variability/statistics/spread.h"
#include "core/variability/statistics/statistics.h"

using gprofx::ByteReader;
using namespace gprofx::variability;

TEST_CASE("a key and its text are one, and different keys have different hashes") {
  GroupKey key;
  key.kind = Kind::kCopy;
  key.device = "NVIDIA H100";
  key.name = std::string("a\0b", 3);
  key.shape = "[2, 3]";
  key.grid[1] = 7;
  CHECK(KeyOf(TextOf(key)) == key);
  GroupKey other = key;
  other.block[2] = 1;
  CHECK(HashOf(TextOf(key)) != HashOf(TextOf(other)));
  CHECK(HashOf("") != HashOf(std::string(1, '\0')));
}

TEST_CASE("logarithms are those of mathematics within a unit") {
  for (int64_t value = 1; value < int64_t{1} << 60; value = value * 3 / 2 + 1) {
    const double exact = std::log2(static_cast<double>(value)) * kLogOne;
    CHECK(std::abs(static_cast<double>(LogOf(value)) - exact) <= 1.5);
  }
  CHECK(LogOf(0) == 0);
  CHECK(LogOf(-5) == 0);
}

TEST_CASE("a spread is the same whatever order its values come in") {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> distribution(12, 0.5);
  std::vector<uint64_t> values(20'000);
  for (uint64_t& value : values) value = static_cast<uint64_t>(distribution(random));
  Spread whole(256);
  for (const uint64_t value : values) whole.Add(value);
  whole.Settle();
  CHECK(whole.level() > 0);
  CHECK(whole.count() == values.size());
  for (int parts : {2, 3, 17}) {
    std::shuffle(values.begin(), values.end(), random);
    Spread merged(256);
    for (int part = 0; part < parts; ++part) {
      Spread some(256);
      for (size_t i = static_cast<size_t>(part); i < values.size();
           i += static_cast<size_t>(parts)) {
        some.Add(values[i]);
      }
      some.Settle();
      ByteWriter out;
      some.Write(out);
      const std::string bytes = out.Take();
      ByteReader in(bytes);
      merged.Merge(Spread::Read(in, 256));
      CHECK(in.ok());
    }
    CHECK(merged.level() == whole.level());
    CHECK(std::equal(merged.cells().begin(), merged.cells().end(), whole.cells().begin(),
                     whole.cells().end()));
  }
  std::sort(values.begin(), values.end());
  for (const double share : {0.25, 0.5, 0.95}) {
    const auto exact = static_cast<double>(values[static_cast<size_t>(share * 19'999)]);
    CHECK(whole.Quantile(share) == Approx(exact).epsilon(0.01));
  }
}

TEST_CASE("cells are the same however their executions were divided, and in order") {
  std::mt19937_64 random(11);
  const auto add = [](Cells& cells, const CellKey& key, int64_t duration) {
    Cell& cell = cells.At(key);
    ++cell.n;
    cell.sum += duration;
    cell.sum_r -= duration;
    cell.least = std::min(cell.least, duration);
    cell.most = std::max(cell.most, duration);
    cell.beside[key.bin % kBesides] += 1;
  };
  std::array<Cells, 4> parts;
  Cells whole;
  for (int i = 0; i < 20'000; ++i) {
    const auto any = [&](uint32_t of) { return static_cast<uint32_t>(random() % of); };
    const CellKey key{any(40), any(3), any(90)};
    const auto duration = static_cast<int64_t>(random() % 1'000'000);
    add(whole, key, duration);
    add(parts[any(4)], key, duration);
  }
  whole.Settle();
  Cells merged;
  for (Cells& part : parts) {
    part.Settle();
    ByteWriter out;
    part.Write(out);
    const std::string bytes = out.Take();
    ByteReader in(bytes);
    Cells read;
    REQUIRE(Cells::Read(in, read));
    CHECK(in.at_end());
    merged.Merge(std::move(read));
  }
  CHECK(merged.rows().size() > 5'000);
  CHECK(std::ranges::is_sorted(merged.rows(), {}, &CellRow::key));
  CHECK(std::ranges::equal(merged.rows(), whole.rows()));
}

TEST_CASE("cells that are not in order are refused") {
  Cells two;
  two.At({1, 0, 0}).n = 1;
  two.At({1, 0, 5}).n = 1;
  two.Settle();
  ByteWriter out;
  two.Write(out);
  std::string bytes = out.Take();
  const size_t second = bytes.rfind('\5');
  REQUIRE(second != std::string::npos);
  bytes[second] = '\0';
  ByteReader in(bytes);
  Cells read;
  CHECK_FALSE(Cells::Read(in, read));
}

TEST_CASE("what is said of a group is the same behind a message, bit by bit") {
  GroupSummary group;
  group.key = TextOf({Kind::kCompute, "GPU", "gemm", "", {1, 2, 3}, {4, 5, 6}});
  group.warm_up = 3;
  group.sum = static_cast<Int128>(INT64_MAX) * 5;
  Spread durations(4096);
  for (uint64_t i = 0; i < 1000; ++i) durations.Add((i % 4 == 0 ? 500'000 : 100'000) + i);
  durations.Settle();
  Describe(Kind::kCompute, durations, group);
  REQUIRE(group.threshold);
  CHECK(group.clusters[0].n + group.clusters[1].n == group.whole.n);
  CHECK(group.clusters[0].total + group.clusters[1].total == group.whole.total);
  CHECK(group.clusters[0].most <= static_cast<double>(*group.threshold));
  CHECK(group.clusters[1].least > static_cast<double>(*group.threshold));
  ByteWriter out;
  WriteSummary(group, out);
  const std::string bytes = out.Take();
  ByteReader in(bytes);
  const GroupSummary read = ReadSummary(in);
  CHECK((in.ok() && in.at_end()));
  CHECK(read.key == group.key);
  CHECK(read.sum == group.sum);
  CHECK(read.threshold == group.threshold);
  CHECK(read.whole.p99 == group.whole.p99);
  CHECK(read.clusters[1].mad == group.clusters[1].mad);
  // Copies of two sizes are no two kinds of work.
  GroupSummary copies;
  Describe(Kind::kCopy, durations, copies);
  CHECK_FALSE(copies.threshold);
}

TEST_CASE("a small spread is exact") {
  Spread spread;
  for (const uint64_t value : {5, 1, 3, 3, 9}) spread.Add(value);
  spread.Settle();
  CHECK(spread.level() == 0);
  CHECK(spread.Median() == 3);
  CHECK(spread.Mad() == 2);
  CHECK(spread.Quantile(1) == 9);
  CHECK(Spread().Median() == 0);
}

TEST_CASE("the median of distances is that of all of them, sorted") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Spread spread;
    std::vector<double> values, distances;
    const uint64_t n = 1 + RandomAt(seed, 0) % 40, range = 1 + RandomAt(seed, 1) % 60;
    for (uint64_t i = 0; i < n; ++i) {
      const uint64_t value = RandomAt(seed, i + 2) % range;
      spread.Add(value);
      values.push_back(static_cast<double>(value));
    }
    spread.Settle();
    REQUIRE(spread.level() == 0);
    for (const double value : values) distances.push_back(std::abs(value - spread.Median()));
    std::sort(distances.begin(), distances.end());
    CHECK(spread.Mad() == distances[(n + 1) / 2 - 1]);
  }
}

TEST_CASE("bytes that end early or lie about their number are no crash") {
  ByteWriter out;
  out.Put(1'000'000);
  out.PutSigned(-7);
  const std::string bytes = out.Take();
  ByteReader in(bytes);
  CHECK(in.Uleb() == 1'000'000);
  CHECK(in.Zigzag() == -7);
  CHECK(in.ok());
  CHECK(in.Uleb() == 0);
  CHECK_FALSE(in.ok());
  ByteReader lie(bytes);
  CHECK(lie.CountedText().empty());
  CHECK_FALSE(lie.ok());
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    Plan plan;
    CHECK_FALSE(Plan::Read(std::string_view(bytes).substr(0, cut), plan));
  }
}

TEST_CASE("bins are those of exact integers") {
  CHECK(BinAt(0, 0, 100, 10) == 0);
  CHECK(BinAt(9, 0, 100, 10) == 0);
  CHECK(BinAt(10, 0, 100, 10) == 1);
  CHECK(BinAt(100, 0, 100, 10) == 9);
  CHECK(BinAt(-5, 0, 100, 10) == 0);
  CHECK(BinAt(5, 5, 5, 10) == 0);
  const int64_t far = int64_t{1} << 61;
  CHECK(BinAt(far - 1, 0, far, 4096) == 4095);
  CHECK(BinAt(far / 2, 0, far, 4096) == 2048);
}

TEST_CASE("the permutation test agrees with counting all deals") {
  // Two of six, the two largest: 2 of 15 deals are as far on either side.
  const RankedValues ranks = RanksOf(std::vector<double>{1, 2, 3, 4, 50, 60});
  const std::vector<uint32_t> chosen = {4, 5};
  CHECK(PermutationTest(ranks, chosen, 1) == Approx(2.0 / 15).epsilon(0.5));
  CHECK(PermutationTest(ranks, {}, 1) == 1);
  CHECK(PermutationTest(ranks, std::vector<uint32_t>{0, 1, 2, 3, 4, 5}, 1) == 1);
  const RankedValues ties = RanksOf(std::vector<double>(40, 1.0));
  CHECK(PermutationTest(ties, std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 1) == 1);
}

TEST_CASE("false discoveries keep their rate") {
  CHECK(Discoveries(std::vector<double>{0.001, 0.02, 0.03, 0.9}, 0.05) ==
        std::vector<bool>{true, true, true, false});
  CHECK(Discoveries(std::vector<double>{0.04, 0.9, 0.9}, 0.05) == std::vector<bool>(3, false));
  CHECK(Discoveries({}, 0.05).empty());
}

TEST_CASE("tails, medians and slopes") {
  CHECK(BinomialTail(8, 10, 0.5) == Approx(56.0 / 1024));
  CHECK(BinomialTail(0, 10, 0.5) == 1);
  CHECK(SignTest(10, 0) == Approx(2.0 / 1024));
  CHECK(SignTest(5, 5) == 1);
  const auto interval = IntervalOfMedian({{1, 3}, {2, 3}, {3, 3}, {4, 1}});
  REQUIRE(interval);
  CHECK(interval->median == 2);
  CHECK(interval->low == 1);
  CHECK(interval->high == 3);
  CHECK_FALSE(IntervalOfMedian({{1, 5}}));
  CHECK(TheilSen(std::vector<std::pair<double, double>>{{0, 0}, {1, 2}, {2, 4}, {3, 100}}) ==
        Approx(2).margin(32));
  CHECK(TheilSen({}) == 0);
}
