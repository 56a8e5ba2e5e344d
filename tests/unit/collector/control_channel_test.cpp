#include "samplers/collector/control_channel.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>

namespace gprofx {
namespace {

struct Fifos {
  Fifos() {
    char name[] = "/tmp/gprofx-control-XXXXXX";
    folder = mkdtemp(name);
    mkfifo((folder + "/c").c_str(), 0600);
    mkfifo((folder + "/a").c_str(), 0600);
  }
  ~Fifos() {
    for (const char* file : {"/c", "/a", ""}) std::remove((folder + file).c_str());
  }
  std::string folder;
};

TEST_CASE("commands are those of perf, and levels") {
  CHECK(ParseControl("enable") == wire::kLevelAuto);
  CHECK(ParseControl("disable") == wire::kLevelOff);
  CHECK(ParseControl("level 1") == wire::kLevelRecords);
  CHECK_FALSE(ParseControl("level 7"));
  CHECK_FALSE(ParseControl(""));
}

TEST_CASE("the latest whole line counts, whatever came with it") {
  const Fifos fifos;
  auto channel = ControlChannel::Open("fifo:" + fifos.folder + "/c," + fifos.folder + "/a");
  REQUIRE(channel.ok());
  CHECK_FALSE(channel->Take());
  const int writer = open((fifos.folder + "/c").c_str(), O_WRONLY | O_NONBLOCK);
  const auto write_text = [&](const std::string& text) {
    REQUIRE(write(writer, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  };
  write_text("level off\nnonsense\nlevel 0\nlev");
  auto taken = channel->Take();
  REQUIRE(taken);
  CHECK(taken->latest == wire::kLevelLaunches);
  CHECK(taken->count == 2);  // each is answered
  CHECK_FALSE(channel->Take());
  write_text("el auto\n");
  taken = channel->Take();
  REQUIRE(taken);
  CHECK(taken->latest == wire::kLevelAuto);
  // A flood without a line's end is forgotten.
  for (int i = 0; i < 10; ++i) write_text(std::string(1000, 'x')), channel->Take();
  write_text("\nenable\n");
  taken = channel->Take();
  REQUIRE(taken);
  CHECK(taken->count == 1);
  close(writer);
  const int reader = open((fifos.folder + "/a").c_str(), O_RDONLY | O_NONBLOCK);
  channel->Acknowledge();
  char answer[8] = {};
  CHECK(read(reader, answer, sizeof answer) == 4);
  CHECK(std::string(answer) == "ack\n");
  close(reader);
}

TEST_CASE("a FIFO that another user can write to gives no commands") {
  const Fifos fifos;
  const std::string control = fifos.folder + "/c", ack = fifos.folder + "/a";
  const auto refused = [&](const std::string& where) {
    const auto channel = ControlChannel::Open("fifo:" + where);
    return channel.ok() ? "" : channel.error().what;
  };
  CHECK(refused(control + "," + ack).empty());
  for (const mode_t mode : {0622, 0620, 0602, 0666}) {
    REQUIRE(chmod(ack.c_str(), mode) == 0);
    CHECK(refused(ack).find("other users may write") != std::string::npos);
    CHECK(refused(control + "," + ack).find("other users may write") != std::string::npos);
  }
  REQUIRE(chmod(ack.c_str(), 0600) == 0);
  const std::string link = fifos.folder + "/l", file = fifos.folder + "/f";
  REQUIRE(symlink(control.c_str(), link.c_str()) == 0);
  CHECK_FALSE(refused(link).empty());
  close(open(file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  CHECK(refused(file).find("not a FIFO") != std::string::npos);
  CHECK(refused("/dev/null").find("not a FIFO") != std::string::npos);
  if (geteuid() == 0) {
    REQUIRE(chown(control.c_str(), 12345, 12345) == 0);
    CHECK(refused(control).find("another user") != std::string::npos);
  }
  std::remove(link.c_str());
  std::remove(file.c_str());
}

TEST_CASE("a flood is read in pieces") {
  const Fifos fifos;
  auto channel = ControlChannel::Open("fifo:" + fifos.folder + "/c");
  REQUIRE(channel.ok());
  const int writer = open((fifos.folder + "/c").c_str(), O_WRONLY | O_NONBLOCK);
  const std::string line = "enable\n";
  int written = 0, taken = 0, looks = 0;
  while (write(writer, line.data(), line.size()) == static_cast<ssize_t>(line.size())) ++written;
  REQUIRE(written > 5000);
  while (const auto commands = channel->Take()) {
    CHECK(commands->count <= 1200);
    taken += commands->count;
    ++looks;
  }
  CHECK(looks > 4);
  CHECK(taken == written);
  close(writer);
}

TEST_CASE("what cannot be opened is one line with a way out") {
  for (const char* where : {"pipe:x", "fifo:/nowhere/at/all", "fifo:"}) {
    const auto channel = ControlChannel::Open(where);
    REQUIRE_FALSE(channel.ok());
    CHECK_FALSE(channel.error().fix.empty());
  }
}

}  // namespace
}  // namespace gprofx
