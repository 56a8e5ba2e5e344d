// The same result for any number of ranks and threads: ranks are threads here, and talk over
// queues.
#include <catch2/catch.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "core/variability/rank_tree.h"
#include "core/variability/windows.h"
#include "synthetic.h"

using namespace gprofx;
using namespace gprofx::variability;

namespace {

class Mail {
 public:
  void Put(uint32_t from, uint32_t to, std::string bytes) {
    const std::lock_guard lock(mutex_);
    letters_[{from, to}].push_back(std::move(bytes));
    arrived_.notify_all();
  }
  // Until it is taken, as MPI does with what is large.
  void Hand(uint32_t from, uint32_t to, std::string bytes) {
    Put(from, to, std::move(bytes));
    std::unique_lock lock(mutex_);
    taken_.wait(lock, [&] { return letters_[{from, to}].empty(); });
  }
  std::string Take(uint32_t from, uint32_t to) {
    std::unique_lock lock(mutex_);
    std::deque<std::string>& box = letters_[{from, to}];
    arrived_.wait(lock, [&] { return !box.empty(); });
    std::string bytes = std::move(box.front());
    box.pop_front();
    taken_.notify_all();
    return bytes;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_, taken_;
  std::map<std::pair<uint32_t, uint32_t>, std::deque<std::string>> letters_;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(Mail& mail, uint32_t rank, uint32_t size) : mail_(mail), rank_(rank), size_(size) {}
  uint32_t rank() const override { return rank_; }
  uint32_t size() const override { return size_; }
  Status Send(uint32_t to, const std::string& bytes) override {
    mail_.Hand(rank_, to, bytes);
    return Ok();
  }
  Result<std::string> Receive(uint32_t from) override { return mail_.Take(from, rank_); }

 private:
  Mail& mail_;
  uint32_t rank_, size_;
};

// All that is computed last: if these are the same, so is the rest.
std::vector<double> Digest(const Model& model) {
  std::vector<double> out = {static_cast<double>(model.kernels), static_cast<double>(model.begin),
                             static_cast<double>(model.end), model.waiting_ns};
  for (const GroupRow& row : model.groups) {
    for (const double n : {row.median, row.mad, row.p99, row.excess_ns, row.lag1, row.trend}) {
      out.push_back(n);
    }
  }
  for (const ShardRow& row : model.shards) {
    for (const double n : {row.ratio, row.relative_iqr, row.excess_ns, row.p}) out.push_back(n);
  }
  for (const Finding& finding : model.findings) out.push_back(finding.excess_ns);
  for (const EffectRow& effect : model.effects) out.push_back(effect.ratio);
  for (const CauseRow& row : model.causes) out.push_back(row.excess_ns);
  out.push_back(model.unexplained.excess_ns);
  for (const CollectiveRow& row : model.collectives) {
    out.insert(out.end(), {static_cast<double>(row.n), row.waiting_ns, row.transfer_ns});
  }
  for (const LateRow& row : model.late) {
    out.insert(out.end(), {static_cast<double>(row.last), row.caused_ns, row.waited_ns, row.p,
                           row.more_busy_ns});
  }
  for (const StepPart& part : model.steps.parts) {
    out.push_back(part.share);
    out.insert(out.end(), part.covariance.begin(), part.covariance.end());
  }
  for (const LaneSteps& row : model.steps.lanes) {
    out.insert(out.end(), row.shares.begin(), row.shares.end());
  }
  out.insert(out.end(), model.heat.begin(), model.heat.end());
  return out;
}

void CheckOverRanks(const Recordings& files, const Options& options,
                    const std::vector<double>& expected) {
  CHECK(Digest(ModelOf(files, options, 4)) == expected);
  for (const uint32_t size : {2U, 3U, 8U, 16U}) {
    Mail mail;
    std::vector<std::thread> ranks;
    std::optional<Model> model;
    for (uint32_t rank = 0; rank < size; ++rank) {
      ranks.emplace_back([&, rank] {
        ThreadRanks own(mail, rank, size);
        Result<std::optional<Model>> result =
            Analyze(AnalysisOf(files, options, 1 + rank % 2), own);
        if (rank == 0 && result) model = std::move(*result);
      });
    }
    for (std::thread& rank : ranks) rank.join();
    REQUIRE(model);
    CHECK(Digest(*model) == expected);
  }
}

}  // namespace

TEST_CASE("results do not depend on ranks and threads") {
  Recordings files;
  for (uint64_t i = 0; i < 5; ++i) {
    files["file" + std::to_string(i)] =
        Steady(i, i == 0 ? 30'000 : 200, 4, 0.1,
               [i](int step, int group) { return i == 3 && group == 1 && step > 150 ? 1.4 : 1.0; });
  }
  // Steps of one of them, and what is known of their causes.
  Recording& told = files["file3"];
  ProcessSteps steps;
  ProcessEvidence evidence;
  for (size_t i = 0; i + 4 <= told.events.size(); i += 4) {
    steps.steps.push_back({told.events[i].start, told.events[i + 3].end()});
    std::array<int64_t, kWitnesses> row;
    row.fill(-1);
    row[static_cast<size_t>(Witness::kLoader)] = i / 4 > 150 ? 30'000 : 0;
    evidence.steps.push_back(row);
  }
  told.facts.processes.push_back(steps);
  told.evidence.push_back(evidence);
  const Options options{Axis::kTime, 10};
  const std::vector<double> expected = Digest(ModelOf(files, options));
  REQUIRE(ModelOf(files, options).causes.size() == 1);
  CHECK(AnalysisOf(files).files[0].parts > 1);  // a file that ranks share
  CheckOverRanks(files, options, expected);
}

TEST_CASE("why GPUs idle is the same for any number of ranks, over windows that cut steps") {
  Recordings files = {{"large", Steady(1, 70'000, 4, 0.1, [](int, int) { return 1.0; })}};
  Recording& large = files["large"];
  ProcessSteps steps;
  ProcessHost host;
  large.host.calls = {"cuStreamSynchronize"};
  // Gaps of 2 us are behind each kernel; what the host did reaches over them.
  for (size_t i = 0; i + 7 < large.events.size(); i += 7) {
    const int64_t begin = large.events[i].start, end = large.events[i + 7].start;
    steps.steps.push_back({begin, end});
    host.samples.push_back(
        {end - 5'000, end, i % 3 == 0 ? HostClass::kPython : HostClass::kNative});
    if (i % 5 == 0) host.waits.push_back({end - 4'000, end - 1'000, 0});
  }
  large.facts.processes.push_back(steps);
  large.facts.tells_idle = true;
  large.host.processes.push_back(host);
  CHECK(AnalysisOf(files).files[0].parts > 1);
  const Options options{Axis::kTime, 10};
  const Model model = ModelOf(files, options);
  REQUIRE(model.steps.parts.size() == 3 + 4);  // one call, two classes, unexplained
  CheckOverRanks(files, options, Digest(model));
}

TEST_CASE(
    "groups of two clusters, copies beside them and a shard that is listed are the same for any "
    "number of ranks") {
  Recordings files;
  for (int rank = 0; rank < 2; ++rank) {
    Recording& recording = files["rank" + std::to_string(rank)];
    recording.facts.rank = rank;
    const uint32_t gemm = recording.Group("gemm"), other = recording.Group("other");
    const uint32_t copy = recording.Group("copy", Kind::kCopy);
    const uint32_t reduce = recording.Group("ncclDevKernel_AllReduce", Kind::kCollective);
    int64_t now = 1'000'000;
    for (int i = 0; i < 30'000; ++i) {
      const int64_t ns = (i % 4 == 0 ? 500'000 : 100'000) + i * 7 % 5'003;
      if (i % 9 == 0) recording.Add(copy, now - 100, ns + 200, 7);
      recording.Add(gemm, now, ns + (i % 9 == 0 ? 30'000 : 0));
      recording.Add(other, now + ns + 40'000, 20'000 + i * 11 % 997);
      recording.Add(reduce, now + ns + 70'000 + rank * 3'000, 20'000 - rank * 3'000, 2);
      now += ns + 100'000;
    }
  }
  CHECK(AnalysisOf(files).files[0].parts > 1);
  const Options options{Axis::kTime, 10, 3, 20};
  const Model model = ModelOf(files, options);
  int clusters = 0;
  for (const GroupRow& row : model.groups) clusters += row.cluster;
  CHECK(clusters == 1 + 2);
  CHECK(model.late.size() == 2);
  REQUIRE(model.collectives.size() == 1);
  CHECK(model.collectives[0].n > 29'900);  // of 30,000: those at borders of slices are cut
  CHECK_FALSE(model.effects.empty());
  CHECK(model.events.size() == 20);
  CheckOverRanks(files, options, Digest(model));
}

TEST_CASE("in an exchange each rank has a word of each other one, and nobody waits in a circle") {
  for (const uint32_t size : {1U, 2U, 3U, 8U, 16U, 17U}) {
    Mail mail;
    std::vector<std::set<std::string>> heard(size);
    std::vector<std::thread> ranks;
    for (uint32_t rank = 0; rank < size; ++rank) {
      ranks.emplace_back([&, rank] {
        ThreadRanks own(mail, rank, size);
        const auto give = [rank](uint32_t to) {
          return std::to_string(rank) + " to " + std::to_string(to);
        };
        (void)Exchange(own, give,
                       [&](const std::string& word) { return heard[rank].insert(word).second; });
      });
    }
    for (std::thread& rank : ranks) rank.join();
    for (uint32_t rank = 0; rank < size; ++rank) {
      CHECK(heard[rank].size() == size - 1);
      for (const std::string& word : heard[rank]) {
        CHECK(word.ends_with(" to " + std::to_string(rank)));
      }
    }
  }
}

TEST_CASE("windows hold each row once, and what reaches into them") {
  std::vector<Block> blocks;
  for (int64_t i = 0; i < 40; ++i) {
    blocks.push_back(
        {{0, i, 1}, true, 65536, i * 1000, i * 1000 + 999, i * 1000 + (i == 3 ? 30'000 : 1200)});
  }
  const std::vector<WindowBlocks> windows = WindowsOf(blocks);
  REQUIRE(windows.size() > 5);
  CHECK(windows.front().begin == INT64_MIN);
  CHECK(windows.back().end == INT64_MAX);
  for (size_t i = 1; i < windows.size(); ++i) CHECK(windows[i].begin == windows[i - 1].end);
  int with_long = 0;
  for (const WindowBlocks& window : windows) {
    for (const BlockId& block : window.blocks) with_long += block.first == 3 ? 1 : 0;
  }
  CHECK(with_long > 5);
  CHECK(WindowsOf({}).empty());
}
