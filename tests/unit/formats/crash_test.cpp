// Kills, full disks, and files that are in the way.
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <random>

#include "formats/profile/profile_db.h"
#include "tests/unit/core/random_profile.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
namespace {

using test::ReadEvents;
using test::TempFolder;

pid_t Fork(const std::function<int()>& child) {
  const pid_t pid = fork();
  if (pid == 0) _exit(child());
  REQUIRE(pid > 0);
  return pid;
}

int ExitStatus(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// Commits as fast as it can and tells each acknowledged commit by one byte in `pipe`.
int CommitForEver(const std::string& path, int pipe) {
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  if (!writer) return 1;
  Profile profile = test::RandomProfile(1, 300);
  for (uint32_t round = 1;; ++round) {
    profile.AddSelf(profile.Child(NodeId{round}, FrameId{1 + round % 20}), ThreadId{1}, MetricId{1},
                    1);
    profile.quality["round"] = round;
    writer->AppendSamples(test::SomeSamples(profile, 100, round * 1000000LL));
    if (!writer->Commit(profile)) return 2;
    if (write(pipe, "x", 1) != 1) return 3;
  }
}

// Returns in the midst of a commit, if this thread gets a processor in time.
void AwaitCommit(const std::string& journal) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (!Exists(journal) && std::chrono::steady_clock::now() < until) continue;
}

TEST_CASE("open_after_kill_during_commit: 30 kills lose no acknowledged commit") {
  std::mt19937 random(1);
  int journals = 0;
  // More than 30 only where none of them hit a commit: the test would prove nothing.
  for (int kill_round = 0; kill_round < 30 || (journals == 0 && kill_round < 300); ++kill_round) {
    TempFolder folder;
    const std::string path = folder / "profile.gprofx";
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    const pid_t writer = Fork([&] { return CommitForEver(path, pipe_ends[1]); });
    close(pipe_ends[1]);
    char byte;
    REQUIRE(read(pipe_ends[0], &byte, 1) == 1);
    usleep(static_cast<useconds_t>(random() % 60000));
    if (kill_round % 2 == 1) AwaitCommit(path + "-journal");
    kill(writer, SIGKILL);
    CHECK(ExitStatus(writer) == 128 + SIGKILL);
    int64_t acknowledged = 1;
    while (read(pipe_ends[0], &byte, 1) == 1) ++acknowledged;
    close(pipe_ends[0]);

    journals += Exists(path + "-journal");
    const Result<Profile> loaded = LoadProfile(path);
    INFO((loaded ? "" : loaded.error().Text()));
    REQUIRE(loaded.ok());
    CHECK(loaded->meta.at("complete") == "no");
    CHECK(loaded->quality.at("round") >= acknowledged);
    CHECK(loaded->quality.at("round") <= acknowledged + 1);
    CHECK(loaded->sample_rows == loaded->quality.at("round") * 100);
    CHECK(test::AllSamples(path).size() == static_cast<size_t>(loaded->sample_rows));
  }
  CHECK(journals > 0);
}

TEST_CASE("a profile and its unfinished commit move away together") {
  TempFolder folder;
  const std::string path = folder / "profile.gprofx";
  test::WriteFinished(folder, test::RandomProfile(1, 50), 10);
  test::WriteBytes(path + "-journal", std::string("stale"));
  test::WriteBytes(path + ".old-journal", std::string("of an older one"));
  const Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  CHECK_FALSE(Exists(path + "-journal"));
  CHECK(test::ReadBytes(path + ".old-journal") == "stale");
  CHECK(LoadProfile(path).ok());
  CHECK(LoadProfile(path + ".old").ok());
}

TEST_CASE("profile_file_mode_0600, whatever the umask") {
  TempFolder folder;
  const mode_t before = umask(0);
  const std::string path = folder / "profile.gprofx";
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  struct stat info;
  REQUIRE(writer.ok());
  REQUIRE(stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0600);
  const Status finished = writer->Finish(test::RandomProfile(1, 10), {});
  umask(before);
  REQUIRE(finished.ok());
  REQUIRE(stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0600);
}

TEST_CASE("symlink_output_refused, and other things in the way") {
  TempFolder folder;
  const auto refusal = [](const std::string& path) {
    const Result<ProfileWriter> writer = ProfileWriter::Create(path);
    return writer ? "" : writer.error().Text();
  };
  test::WriteBytes(folder / "target", std::string("precious"));
  REQUIRE(symlink((folder / "target").c_str(), (folder / "link").c_str()) == 0);
  CHECK_THAT(refusal(folder / "link"), Catch::Contains("symbolic link"));
  CHECK(test::ReadBytes(folder / "target") == "precious");
  REQUIRE(symlink("nowhere", (folder / "dangling").c_str()) == 0);
  CHECK_THAT(refusal(folder / "dangling"), Catch::Contains("symbolic link"));
  mkdir((folder / "directory").c_str(), 0700);
  CHECK_THAT(refusal(folder / "directory"), Catch::Contains("is a folder"));
  CHECK_THAT(refusal(folder / "missing/profile.gprofx"), Catch::Contains("does not exist"));
  CHECK_THAT(refusal(folder / "target/profile.gprofx"), Catch::Contains("is not a folder"));
  CHECK_THAT(refusal(""), Catch::Contains("is empty"));
  mkfifo((folder / "pipe").c_str(), 0600);
  CHECK_THAT(refusal(folder / "pipe"), Catch::Contains("not a regular file"));
  if (geteuid() != 0) {
    mkdir((folder / "closed").c_str(), 0500);
    CHECK_THAT(refusal(folder / "closed/profile.gprofx"), Catch::Contains("no permission"));
  }
}

TEST_CASE("a recording whose file is replaced says so and leaves the other alone") {
  TempFolder folder;
  const std::string path = folder / "profile.gprofx";
  const std::string other = test::WriteFinished(folder, test::RandomProfile(1, 50), 10);
  REQUIRE(rename(other.c_str(), (folder / "other").c_str()) == 0);
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  REQUIRE(rename((folder / "other").c_str(), path.c_str()) == 0);
  const Profile profile = test::RandomProfile(2, 70);
  const Status commit = writer->Commit(profile);
  REQUIRE_FALSE(commit.ok());
  CHECK_THAT(commit.error().Text(), Catch::Contains("was replaced"));
  CHECK_FALSE(writer->Finish(profile, {}).ok());
  CHECK(LoadProfile(path)->nodes.size() == 50);
}

// Runs in a child: a limit of file sizes is the full disk that every user can have.
int CommitUnderSizeLimit(const std::string& path) {
  signal(SIGXFSZ, SIG_IGN);
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  const Profile small = test::RandomProfile(1, 100);
  const Profile large = test::RandomProfile(1, 30000);
  if (!writer || !writer->Commit(small)) return 1;
  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = 400000;
  setrlimit(RLIMIT_FSIZE, &limit);
  writer->AppendSamples(test::SomeSamples(small, 1000, 0));
  writer->AppendEvents(test::SomeEvents(small, Stream::kKernels, 1000, 0));
  const Status commit = writer->Commit(large);
  if (commit || commit.error().Text().find("the file size limit is reached") == std::string::npos)
    return 2;
  if (writer->Finish(large, {})) return 3;
  const Result<Profile> kept = LoadProfile(path);
  if (!kept || kept->nodes.size() != 100 || kept->sample_rows != 0) return 4;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
  if (!writer->Commit(large)) return 5;  // space was freed: nothing of it is lost
  const Result<Profile> all = LoadProfile(path);
  if (!all || all->nodes.size() != 30000 || all->sample_rows != 1000) return 6;
  const Result<int64_t> kernels =
      ReadEvents(path, Stream::kKernels, {}, 0, INT64_MAX, [](const EventTable&) {});
  if (!kernels || *kernels != 1000) return 8;
  return writer->Finish(large, {}) ? 0 : 7;
}

TEST_CASE("a commit that does not fit is one error; the last one stays, the next one works") {
  TempFolder folder;
  CHECK(ExitStatus(Fork([&] { return CommitUnderSizeLimit(folder / "profile.gprofx"); })) == 0);
  CHECK(folder.Names() == std::vector<std::string>{"profile.gprofx"});
  CHECK(LoadProfile(folder / "profile.gprofx")->meta.at("complete") == "yes");
}

TEST_CASE("full disk: one clear line, the last commit stays readable") {
  TempFolder folder;
  const std::string disk = folder / "disk";
  mkdir(disk.c_str(), 0700);
  if (mount("none", disk.c_str(), "tmpfs", 0, "size=1m") != 0) {
    WARN("skipped: mounting a small file system needs root");
    return;
  }
  std::string commit_error, finish_error;
  size_t kept_nodes = 0;
  {
    const std::string path = disk + "/profile.gprofx";
    Result<ProfileWriter> writer = ProfileWriter::Create(path);
    if (writer && writer->Commit(test::RandomProfile(1, 100))) {
      const Profile large = test::RandomProfile(1, 60000);
      const Status commit = writer->Commit(large);
      if (!commit) commit_error = commit.error().Text();
      const Status finish = writer->Finish(large, {});
      if (!finish) finish_error = finish.error().Text();
      if (const Result<Profile> kept = LoadProfile(path)) kept_nodes = kept->nodes.size();
    }
  }
  umount(disk.c_str());
  CHECK_THAT(commit_error, Catch::Contains("the disk is full") && Catch::Contains("-o"));
  CHECK_THAT(finish_error, Catch::Contains("the disk is full"));
  CHECK(kept_nodes == 100);
}

TEST_CASE("a killed recording is read where nothing may be written, and stays as it is") {
  std::mt19937 random(2);
  bool found = false;
  for (int kill_round = 0; kill_round < 300 && !found; ++kill_round) {
    TempFolder folder;
    const std::string path = folder / "profile.gprofx", journal = path + "-journal";
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    const pid_t writer = Fork([&] { return CommitForEver(path, pipe_ends[1]); });
    close(pipe_ends[1]);
    char byte;
    REQUIRE(read(pipe_ends[0], &byte, 1) == 1);
    usleep(static_cast<useconds_t>(random() % 20000));
    AwaitCommit(journal);
    kill(writer, SIGKILL);
    ExitStatus(writer);
    close(pipe_ends[0]);
    if (!Exists(journal)) continue;
    found = true;
    const std::string before = test::ReadBytes(path), unfinished = test::ReadBytes(journal);
    chmod(path.c_str(), 0400);
    chmod(journal.c_str(), 0400);
    const Result<Profile> loaded = LoadProfile(path);
    chmod(path.c_str(), 0600);
    INFO((loaded ? "" : loaded.error().Text()));
    CHECK(loaded.ok());
    CHECK(test::ReadBytes(path) == before);
    CHECK(test::ReadBytes(journal) == unfinished);
    // The next recording keeps both.
    CHECK(ProfileWriter::Create(path).ok());
    CHECK(test::ReadBytes(path + ".old-journal") == unfinished);
    CHECK(LoadProfile(path + ".old").ok());
  }
  CHECK(found);
}

}  // namespace
}  // namespace gprofx
