// A process that owns its mount namespace attacks the folder which root makes for it. Needs root;
// by default tens of tries for each attack, GPROFX_LOOPS=1000 makes a thousand.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "samplers/attach/target_folder.h"

namespace gprofx::testing {
using namespace gprofx::attach;
namespace {

namespace fs = std::filesystem;

constexpr uid_t kUser = 12345;
constexpr char kScript[] = "enter.py";

enum class Attack {
  kMountOverFolder,  // root's folder, between mkdirat and openat
  kMountOverScript,  // root's file
  kLinkForFolder,    // a symbolic link to root's folder
  kLinkForScript,    // a symbolic link to root's file
  kFolderForFolder,  // another folder of the attacker's, with links to root's files in it
};

int Tries() {
  const char* loops = std::getenv("GPROFX_LOOPS");
  return loops == nullptr ? 40 : std::atoi(loops);
}

void Write(const char* path, const std::string& text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text.data(), text.size()) < 0) _exit(2);
  close(file);
}

// What only root may change: a folder that only root may enter, and a file. Beside it a /tmp.
class Treasure {
 public:
  Treasure() {
    char path[] = "/tmp/gprofx-treasure-XXXXXX";
    whole_ = mkdtemp(path);
    folder_ = whole_ / "t";
    for (const fs::path& made : {folder_, tmp()}) fs::create_directory(made);
    chmod(whole_.c_str(), 0755);
    chmod(tmp().c_str(), 01777);
    fs::create_directory(folder_ / "vault");
    chmod((folder_ / "vault").c_str(), 0700);
    for (const char* name : {"file", "vault/file"}) {
      std::ofstream(folder_ / name) << "only root's";
      chmod((folder_ / name).c_str(), 0600);
    }
    facts_ = Facts();
  }
  ~Treasure() { fs::remove_all(whole_); }
  Treasure(const Treasure&) = delete;
  Treasure& operator=(const Treasure&) = delete;

  const fs::path& folder() const { return folder_; }
  fs::path tmp() const { return whole_ / "tmp"; }
  // Puts back what was changed; true if something was.
  bool WasChanged() {
    if (Facts() == facts_) return false;
    fs::remove_all(folder_ / "vault");
    fs::create_directory(folder_ / "vault");
    for (const char* name : {"file", "vault/file"}) std::ofstream(folder_ / name) << "only root's";
    for (const char* name : {"vault", "file", "vault/file"}) {
      REQUIRE(chown((folder_ / name).c_str(), 0, 0) == 0);
      chmod((folder_ / name).c_str(), std::strcmp(name, "vault") == 0 ? 0700 : 0600);
    }
    facts_ = Facts();
    return true;
  }

 private:
  std::string Facts() const {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      struct stat facts {};
      lstat(entry.path().c_str(), &facts);
      all += entry.path().string() + " " + std::to_string(facts.st_uid) + " " +
             std::to_string(facts.st_gid) + " " + std::to_string(facts.st_mode) + " " +
             std::to_string(facts.st_ino) + " " + std::to_string(facts.st_mtim.tv_sec) + "." +
             std::to_string(facts.st_mtim.tv_nsec);
      std::ifstream text(entry.path());
      if (entry.is_regular_file()) all.append(std::istreambuf_iterator<char>(text), {});
      all += "\n";
    }
    return all;
  }

  fs::path whole_, folder_;
  std::string facts_;
};

// An ordinary user with a user and a mount namespace, whose root is a tmpfs. What is mounted there,
// /tmp and the treasure, is of the machine's own file system: root may make folders in it.
class Attacker {
 public:
  Attacker(const Treasure& treasure, Attack attack) {
    void* shared =
        mmap(nullptr, sizeof *done_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    done_ = new (shared) std::atomic<int>(0);
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    child_ = fork();
    if (child_ == 0) {
      close(ready[0]);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      Begin(treasure);
      if (write(ready[1], "", 1) != 1) _exit(1);
      close(ready[1]);
      Wait(attack);
      _exit(1);
    }
    close(ready[1]);
    char byte;
    is_ready_ = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
  }
  ~Attacker() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    munmap(static_cast<void*>(done_), sizeof *done_);
  }
  Attacker(const Attacker&) = delete;
  Attacker& operator=(const Attacker&) = delete;

  bool is_ready() const { return is_ready_; }
  pid_t pid() const { return child_; }
  int done() const { return done_->load(); }
  // Until it has done what it can, or 50 ms.
  void WaitFor(int more_than) const {
    for (int i = 0; i < 100 && done() <= more_than; ++i) {
      const timespec pause{0, 500'000};
      nanosleep(&pause, nullptr);
    }
  }

 private:
  static void Begin(const Treasure& treasure) {
    if (setgid(kUser) != 0 || setuid(kUser) != 0) _exit(1);
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) _exit(1);
    prctl(PR_SET_DUMPABLE, 1);
    Write("/proc/self/setgroups", "deny");
    Write("/proc/self/uid_map", "0 12345 1");
    Write("/proc/self/gid_map", "0 12345 1");
    if (mount("none", "/mnt", "tmpfs", 0, "mode=755") != 0) _exit(1);
    for (const char* name : {"/mnt/tmp", "/mnt/t"}) mkdir(name, 0755);
    const bool mounted =
        mount(treasure.folder().c_str(), "/mnt/t", nullptr, MS_BIND, nullptr) == 0 &&
        mount(treasure.tmp().c_str(), "/mnt/tmp", nullptr, MS_BIND, nullptr) == 0;
    if (!mounted) _exit(1);
    if (chroot("/mnt") != 0 || chdir("/tmp") != 0) _exit(1);
  }

  // Sleeps until a folder is made: on the processor of the one who makes it, it is woken before
  // that one goes on.
  void Wait(Attack attack) {
    alignas(inotify_event) char events[4096];
    const int watch = inotify_init1(IN_CLOEXEC);
    inotify_add_watch(watch, ".", IN_CREATE);
    for (ssize_t got; (got = read(watch, events, sizeof events)) > 0;) {
      for (ssize_t at = 0; at < got;) {
        const auto* event = reinterpret_cast<const inotify_event*>(events + at);
        at += static_cast<ssize_t>(sizeof *event + event->len);
        if (std::strncmp(event->name, "gprof-x-", 8) != 0) continue;
        for (int i = 0; i < 100 && !Strike(attack, event->name) && access(event->name, F_OK) == 0;
             ++i)
          sched_yield();
      }
    }
  }

  bool Strike(Attack attack, const std::string& folder) {
    const std::string script = folder + "/" + kScript, aside = "aside";
    bool done = false;
    switch (attack) {
      case Attack::kMountOverFolder:
        done = mount("/t/vault", folder.c_str(), nullptr, MS_BIND, nullptr) == 0;
        break;
      case Attack::kMountOverScript:
        done = mount("/t/file", script.c_str(), nullptr, MS_BIND, nullptr) == 0;
        break;
      case Attack::kLinkForFolder:
        done =
            rename(folder.c_str(), aside.c_str()) == 0 && symlink("/t/vault", folder.c_str()) == 0;
        break;
      case Attack::kLinkForScript:
        done = unlink(script.c_str()) == 0 && symlink("/t/file", script.c_str()) == 0;
        break;
      case Attack::kFolderForFolder:
        done = rename(folder.c_str(), aside.c_str()) == 0 && mkdir(folder.c_str(), 0700) == 0 &&
               symlink("/t/file", script.c_str()) == 0;
        break;
    }
    if (!done) return false;
    done_->fetch_add(1);
    const timespec pause{0, 5'000'000};  // root goes on
    nanosleep(&pause, nullptr);
    umount2(script.c_str(), MNT_DETACH);
    umount2(folder.c_str(), MNT_DETACH);
    std::error_code error;
    fs::remove_all(aside, error);
    fs::remove_all(folder, error);
    return true;
  }

  std::atomic<int>* done_ = nullptr;
  pid_t child_ = -1;
  bool is_ready_ = false;
};

// This thread and its children share a processor while it lives.
class OneProcessor {
 public:
  OneProcessor() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { sched_setaffinity(0, sizeof before_, &before_); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t before_;
};

void Try(Attack attack, const char* name) {
  if (geteuid() != 0) {
    std::puts("skipped: an attack on root needs root");
    return;
  }
  const OneProcessor together;
  Treasure treasure;
  const Attacker attacker(treasure, attack);
  if (!attacker.is_ready()) {
    std::puts("skipped: users may not make namespaces here");
    return;
  }
  const ProcessHandle process(attacker.pid());
  int succeeded = 0, made = 0;
  const int tries = Tries();
  for (int i = 0; i < tries; ++i) {
    const int before = attacker.done();
    {
      const auto folder = TargetFolder::Make(process);
      if (folder) {
        ++made;
        folder->Put("answer", "");
        if (folder->Put(kScript, "print(1)")) attacker.WaitFor(before);
        folder->Empty(kScript);
        folder->Read("answer");
      }
    }
    succeeded += treasure.WasChanged() ? 1 : 0;
  }
  std::printf("%s: %d tries, %d folders made, %d attacks carried out, %d succeeded\n", name, tries,
              made, attacker.done(), succeeded);
  CHECK(succeeded == 0);
  CHECK(attacker.done() > 0);
}

}  // namespace

TEST_CASE("a mount over the folder gains nothing") {
  Try(Attack::kMountOverFolder, "mount over the folder");
}
TEST_CASE("a mount over the script gains nothing") {
  Try(Attack::kMountOverScript, "mount over the script");
}
TEST_CASE("a link in the place of the folder gains nothing") {
  Try(Attack::kLinkForFolder, "link for the folder");
}
TEST_CASE("a link in the place of the script gains nothing") {
  Try(Attack::kLinkForScript, "link for the script");
}
TEST_CASE("another folder in the place of the folder gains nothing") {
  Try(Attack::kFolderForFolder, "folder for the folder");
}

}  // namespace gprofx::testing
