// Commits in the background: nobody waits for them, and nothing is lost when they fail.
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <random>

#include "formats/database/worker.h"
#include "formats/profile/profile_db.h"
#include "tests/unit/core/random_profile.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
namespace {

using test::ReadEvents;
using test::TempFolder;
using Clock = std::chrono::steady_clock;

double Since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Holds a read transaction, as a program does that reads a long answer.
class SlowReader {
 public:
  explicit SlowReader(const std::string& path) {
    sqlite3_open_v2(path.c_str(), &db_, SQLITE_OPEN_READONLY, nullptr);
    sqlite3_exec(db_, "BEGIN; SELECT count(*) FROM node", nullptr, nullptr, nullptr);
  }
  ~SlowReader() { sqlite3_close(db_); }

 private:
  sqlite3* db_ = nullptr;
};

void WaitForOutcome(ProfileWriter& writer) {
  std::optional<Status> outcome;
  const auto begin = Clock::now();
  while (!(outcome = writer.TakeOutcome()) && Since(begin) < 20) usleep(1000);
  REQUIRE(outcome);
  INFO((*outcome ? "" : outcome->error().Text()));
  CHECK(outcome->ok());
}

TEST_CASE("a reader that keeps the file locked neither stops the recording nor costs it a row") {
  TempFolder folder;
  const std::string path = folder / "p.gprofx";
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  Profile profile = test::RandomProfile(1, 300);
  REQUIRE(writer->Commit(profile).ok());
  int64_t rows = 0;
  int late = 0;
  {
    const SlowReader reader(path);
    for (int round = 1; round <= 30; ++round) {
      const auto begin = Clock::now();
      profile.AddSelf(profile.Child(NodeId{1}, FrameId{1}), ThreadId{1}, MetricId{1}, 1);
      writer->AppendSamples(test::SomeSamples(profile, 100, round * 1000000LL));
      writer->AppendEvents(test::SomeEvents(profile, Stream::kKernels, 50, round * 1000000LL));
      rows += 100;
      writer->CommitInBackground(profile);
      late += Since(begin) > 0.5 ? 1 : 0;  // one that waited for the reader would take a second
      CHECK_FALSE(writer->TakeOutcome());
      usleep(10000);
    }
  }
  CHECK(late < 5);  // now and then it may have had no processor
  writer->EndThread();
  REQUIRE(writer->Commit(profile).ok());
  CHECK(LoadProfile(path)->sample_rows == rows);
  CHECK(writer->dropped_rows() == 0);
  REQUIRE(writer->Finish(profile, {}).ok());
  CHECK(test::AllSamples(path).size() == static_cast<size_t>(rows));
  CHECK(*ReadEvents(path, Stream::kKernels, {}, 0, INT64_MAX, [](const EventTable&) {}) ==
        rows / 2);
}

TEST_CASE("a recording can end while a reader keeps the file locked") {
  TempFolder folder;
  const std::string path = folder / "p.gprofx";
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  const Profile profile = test::RandomProfile(1, 300);
  REQUIRE(writer->Commit(profile).ok());
  const SlowReader reader(path);
  writer->AppendSamples(test::SomeSamples(profile, 100, 0));
  REQUIRE(writer->CommitInBackground(profile));
  const auto begin = Clock::now();
  writer->EndThread();
  CHECK(Since(begin) < 0.5);
  writer->AppendSamples(test::SomeSamples(profile, 100, 1000000));
  REQUIRE(writer->Finish(profile, {}).ok());
  CHECK(LoadProfile(path)->meta.at("complete") == "yes");
  CHECK(test::AllSamples(path).size() == 200);
}

TEST_CASE("a writer begins in the background, and says when it could not") {
  TempFolder folder;
  const std::string inner = folder / "inner", path = inner + "/p.gprofx";
  REQUIRE(mkdir(inner.c_str(), 0700) == 0);
  const Profile profile = test::RandomProfile(1, 300);
  const auto claim = [&] {
    ClaimTrouble trouble{};
    Result<ProfileWriter> writer = ProfileWriter::Claim(path, Existing::kKeepOld, trouble);
    REQUIRE(writer.ok());
    return writer;
  };
  {
    auto writer = claim();
    writer->BeginInBackground();
    WaitForOutcome(*writer);
    REQUIRE(writer->CommitInBackground(profile));
    WaitForOutcome(*writer);
    CHECK(writer->writing_ns() > 0);
    REQUIRE(writer->Finish(profile, {}).ok());
  }
  {
    auto writer = claim();
    writer->BeginInBackground();
    writer->EndThread();  // a program that ends at once
    REQUIRE(writer->Finish(profile, {}).ok());
    CHECK(access((path + ".old").c_str(), F_OK) == 0);
  }
  auto writer = claim();
  REQUIRE(rename(inner.c_str(), (folder / "moved").c_str()) == 0);
  writer->BeginInBackground();
  writer->EndThread();
  const std::optional<Status> outcome = writer->TakeOutcome();
  REQUIRE(outcome);
  CHECK_FALSE(outcome->ok());
  CHECK_FALSE(writer->Finish(profile, {}).ok());
}

TEST_CASE("commits in the background follow a profile that grows meanwhile") {
  TempFolder folder;
  const std::string path = folder / "p.gprofx";
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  Profile profile = test::RandomProfile(1, 50);
  int64_t rows = 0, started = 0;
  const auto begin = Clock::now();
  for (uint32_t round = 1; Since(begin) < 1; ++round) {
    const FunctionId function =
        profile.Intern(Function{profile.Intern("function " + std::to_string(round)), {}, 0, {}});
    const FrameId frame = profile.Intern(Frame{FrameKind::kPython, function, {}, round, {}, 0});
    profile.AddSelf(profile.Child(profile.root(), frame), ThreadId{1}, MetricId{1}, round);
    profile.threads[0].cpu_ns += 5;
    writer->AppendSamples(test::SomeSamples(profile, 10, round * 1000000LL));
    rows += 10;
    started += writer->CommitInBackground(profile);
  }
  CHECK(started > 3);
  writer->EndThread();
  REQUIRE(writer->CommitInBackground(profile));
  WaitForOutcome(*writer);
  const Result<Profile> loaded = LoadProfile(path);
  REQUIRE(loaded.ok());
  test::CheckSame(profile, *loaded);
  CHECK(loaded->sample_rows == rows);
}

// Runs in a child: the rows that are too many while nothing can be written are counted, of every
// stream.
int FillWithoutSpace(const std::string& path) {
  signal(SIGXFSZ, SIG_IGN);
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  const Profile profile = test::RandomProfile(1, 20000);
  if (!writer || !writer->Commit(profile)) return 1;
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = 4096;
  setrlimit(RLIMIT_FSIZE, &limit);
  constexpr size_t kRows = 1 << 16;
  int64_t samples = 0, kernels = 0;
  // Numbers that cannot be compressed, so that few rows fill the memory.
  EventTable events = test::SomeEvents(profile, Stream::kKernels, kRows, 0);
  std::mt19937_64 random(1);
  for (const size_t column : {column::kKernelDuration, column::kKernelLaunch,
                              column::kKernelCorrelation, column::kKernelGraphNode}) {
    for (int64_t& value : events.column(column)) value = static_cast<int64_t>(random() >> 16);
  }
  while (writer->dropped_rows() == 0 && kernels < 1 << 24) {
    writer->AppendEvents(events);
    kernels += kRows;
  }
  const auto many = test::SomeSamples(profile, 10 * kRows, 0);
  while (samples < 1 << 24) {  // what is small may still fit for a while
    writer->AppendSamples(many);
    samples += static_cast<int64_t>(many.size());
  }
  if (writer->Commit(profile)) return 2;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
  if (!writer->Commit(profile)) return 3;
  if (!writer->Commit(profile)) return 4;
  const Result<Profile> loaded = LoadProfile(path);
  if (!loaded) return 5;
  const int64_t stored_kernels =
      *ReadEvents(path, Stream::kKernels, {}, 0, INT64_MAX, [](const EventTable&) {});
  const auto counter = [&](const char* name) {
    const auto found = loaded->quality.find(name);
    return found == loaded->quality.end() ? 0 : found->second;
  };
  if (counter("timeline_rows_dropped") == 0 || counter("kernels_rows_dropped") == 0) return 6;
  if (loaded->sample_rows + counter("timeline_rows_dropped") != samples) return 7;
  if (stored_kernels + counter("kernels_rows_dropped") != kernels) return 8;
  if (writer->dropped_rows() != samples + kernels - loaded->sample_rows - stored_kernels) return 9;
  return 0;
}

TEST_CASE("rows that could not be kept while nothing could be written are counted by stream") {
  TempFolder folder;
  const pid_t child = fork();
  if (child == 0) _exit(FillWithoutSpace(folder / "p.gprofx"));
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a worker does its jobs one by one, also where no thread can be had") {
  std::atomic<int> done = 0;
  std::atomic<bool> goes_on = false;
  {
    Worker worker;
    for (int i = 0; i < 100; ++i) {
      worker.Start([&] { ++done; });
      worker.Wait();
      CHECK(done == i + 1);
    }
    worker.End();
    worker.Start([&] { ++done; });  // after an end it begins anew
    worker.End();
    CHECK(done == 101);
    worker.Start([&] {
      for (int i = 0; i < 20'000 && !goes_on; ++i) usleep(1000);
      ++done;
    });
    CHECK(worker.IsBusy());
    goes_on = true;
  }
  CHECK(done == 102);
  if (geteuid() == 0) {  // the limit does not hold for root: as somebody else
    const pid_t child = fork();
    if (child == 0) {
      rlimit none{0, 0};
      if (setrlimit(RLIMIT_NPROC, &none) != 0 || setuid(65533) != 0) _exit(2);
      bool ran = false;
      Worker worker;
      worker.Start([&] { ran = true; });
      worker.Wait();
      _exit(ran && !worker.IsBusy() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
}

}  // namespace
}  // namespace gprofx
