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

TEST_CASE("what cannot be opened is one line with a way out") {
  for (const char* where : {"pipe:x", "fifo:/nowhere/at/all", "fifo:"}) {
    const auto channel = ControlChannel::Open(where);
    REQUIRE_FALSE(channel.ok());
    CHECK_FALSE(channel.error().fix.empty());
  }
}

}  // namespace
}  // namespace gprofx
