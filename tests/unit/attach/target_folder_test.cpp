// Where the file for an interpreter may be put: in a root of the target's own, whose /tmp is made
// in each case. Needs root, for chroot(2).
#include "samplers/attach/target_folder.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace gprofx::testing {
using namespace gprofx::attach;
namespace {

namespace fs = std::filesystem;

constexpr uid_t kUser = 12345, kOther = 54321;

// A process that waits in a root of its own, as a user.
class Target {
 public:
  explicit Target(uid_t user) {
    char path[] = "/tmp/gprof-x-root-XXXXXX";
    root_ = mkdtemp(path);
    chmod(root_.c_str(), 0755);
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    child_ = fork();
    if (child_ == 0) {
      const bool is_there =
          chroot(root_.c_str()) == 0 && chdir("/") == 0 && setgid(user) == 0 && setuid(user) == 0;
      if (is_there && write(ready[1], "", 1) == 1) pause();
      _exit(1);
    }
    close(ready[1]);
    char byte;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
  }
  ~Target() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    fs::remove_all(root_);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  fs::path MakeFolder(const char* name, mode_t mode, uid_t owner = 0) const {
    const fs::path path = root_ / name;
    fs::create_directories(path);
    REQUIRE(chown(path.c_str(), owner, owner) == 0);
    REQUIRE(chmod(path.c_str(), mode) == 0);
    return path;
  }
  const fs::path& root() const { return root_; }
  pid_t pid() const { return child_; }

 private:
  fs::path root_;
  pid_t child_ = -1;
};

bool IsRoot() {
  if (geteuid() == 0) return true;
  std::puts("skipped: chroot needs root");
  return false;
}

}  // namespace

TEST_CASE("a folder for the target is in its own /tmp and belongs to its user") {
  if (!IsRoot()) return;
  const Target target(kUser);
  const fs::path tmp = target.MakeFolder("tmp", 01777);
  {
    const auto folder = TargetFolder::Make(ProcessHandle(target.pid()));
    REQUIRE(folder);
    REQUIRE(folder->Put("script", "print(1)"));
    CHECK(folder->Read("script") == "print(1)");
    CHECK(folder->Empty("script"));
    CHECK(folder->Read("script").empty());
    const std::string path = folder->PathOf("script");
    CHECK(path.find("/tmp/gprof-x-") == 0);
    struct stat facts {};
    REQUIRE(stat((target.root().string() + path).c_str(), &facts) == 0);
    CHECK(facts.st_uid == kUser);
    CHECK((facts.st_mode & 07777) == 0600);
    REQUIRE(stat(fs::path(target.root().string() + path).parent_path().c_str(), &facts) == 0);
    CHECK(facts.st_uid == kUser);
    CHECK((facts.st_mode & 07777) == 0700);
  }
  CHECK(fs::is_empty(tmp));
}

TEST_CASE("a /tmp in which others could put another folder in the place of ours is passed over") {
  if (!IsRoot()) return;
  const Target target(kUser);
  SECTION("without the sticky bit") { target.MakeFolder("tmp", 0777); }
  SECTION("another user's") { target.MakeFolder("tmp", 01777, kOther); }
  SECTION("that is none") {}
  CHECK_FALSE(TargetFolder::Make(ProcessHandle(target.pid())));
  target.MakeFolder("dev/shm", 01777);
  const auto folder = TargetFolder::Make(ProcessHandle(target.pid()));
  REQUIRE(folder);
  CHECK(folder->PathOf("x").find("/dev/shm/") == 0);
}

TEST_CASE("a /tmp of the target's user is good for the target") {
  if (!IsRoot()) return;
  const Target target(kUser);
  target.MakeFolder("tmp", 0700, kUser);
  CHECK(TargetFolder::Make(ProcessHandle(target.pid())));
}

TEST_CASE("links do not lead out of the target's root") {
  if (!IsRoot()) return;
  const Target target(kUser);
  SECTION("absolute") { fs::create_symlink("/tmp", target.root() / "tmp"); }
  SECTION("upwards") { fs::create_symlink("../../tmp", target.root() / "tmp"); }
  CHECK_FALSE(TargetFolder::Make(ProcessHandle(target.pid())));
}

TEST_CASE("a place that the target cannot enter is of no use") {
  if (!IsRoot()) return;
  const Target target(kUser);
  const fs::path inside = target.MakeFolder("tmp", 0700);
  CHECK_FALSE(TargetFolder::Make(ProcessHandle(target.pid())));
  CHECK(fs::is_empty(inside));
}

TEST_CASE("a process that has ended gets no folder") {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  CHECK_FALSE(TargetFolder::Make(ProcessHandle(child)));
}

}  // namespace gprofx::testing
