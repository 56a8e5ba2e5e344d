#include "samplers/collector/control_channel.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gprofx {
namespace {

constexpr size_t kMaxText = 4096;
// One call of Take reads at most this many blocks of 512 bytes. That is less than kMaxText, so text
// with complete lines is not discarded.
constexpr int kReadsAtOnce = 4;

// Returns why commands are not accepted from this file. Returns "" if they are.
std::string Refusal(const struct stat& file) {
  if (!S_ISFIFO(file.st_mode)) return "it is not a FIFO";
  if (file.st_uid != geteuid() && file.st_uid != 0) return "it belongs to another user";
  if ((file.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "other users may write to it";
  return "";
}

// Opens the FIFO for reading and writing. A FIFO opened that way neither blocks nor reports its end
// while nobody else has it open. The file is checked first, because opening a device may have side
// effects.
Result<UniqueFd> OpenFifo(const std::string& path) {
  const std::string cannot = "cannot use '" + path + "' for --control: ";
  const std::string way = "create one with mkfifo -m 600";
  const UniqueFd place(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat file {};
  if (!place || fstat(place.get(), &file) != 0) {
    return Error{ErrorId::kControlFifo, cannot + std::strerror(errno), way};
  }
  if (std::string why = Refusal(file); !why.empty()) {
    return Error{ErrorId::kControlFifo, cannot + why, way};
  }
  const std::string same = "/proc/self/fd/" + std::to_string(place.get());
  UniqueFd fd(open(same.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!fd) return Error{ErrorId::kControlFifo, cannot + std::strerror(errno), way};
  return fd;
}

}  // namespace

std::optional<wire::GpuLevel> ParseControl(std::string_view line) {
  constexpr std::pair<std::string_view, wire::GpuLevel> kCommands[] = {
      {"enable", wire::kLevelAuto},     {"disable", wire::kLevelOff},
      {"level off", wire::kLevelOff},   {"level 0", wire::kLevelLaunches},
      {"level 1", wire::kLevelRecords}, {"level auto", wire::kLevelAuto}};
  for (const auto& [command, level] : kCommands) {
    if (line == command) return level;
  }
  return std::nullopt;
}

Result<ControlChannel> ControlChannel::Open(const std::string& where) {
  constexpr std::string_view kPrefix = "fifo:";
  if (!where.starts_with(kPrefix)) {
    return Error{ErrorId::kBadValue,
                 "option '--control' needs fifo:CONTROL[,ACK], not '" + where + "'",
                 "create the pipe with mkfifo CONTROL"};
  }
  const std::string paths = where.substr(kPrefix.size());
  const size_t comma = paths.find(',');
  ControlChannel channel;
  auto control = OpenFifo(paths.substr(0, comma));
  if (!control) return control.error();
  channel.control_ = std::move(*control);
  if (comma != std::string::npos) {
    auto ack = OpenFifo(paths.substr(comma + 1));
    if (!ack) return ack.error();
    channel.ack_ = std::move(*ack);
  }
  return channel;
}

std::optional<ControlChannel::Commands> ControlChannel::Take() {
  char buffer[512];
  // Limit the number of reads. A writer that never stops must not keep the recorder here.
  ssize_t n = 0;
  for (int i = 0; i < kReadsAtOnce && (n = read(fd(), buffer, sizeof buffer)) > 0; ++i) {
    text_.append(buffer, static_cast<size_t>(n));
    if (text_.size() > kMaxText) text_.clear();
  }
  Commands commands{};
  for (size_t end; (end = text_.find('\n')) != std::string::npos; text_.erase(0, end + 1)) {
    const auto level = ParseControl(std::string_view(text_).substr(0, end));
    if (!level) continue;
    ++commands.count;
    commands.latest = *level;
  }
  if (commands.count == 0) return std::nullopt;
  return commands;
}

void ControlChannel::Acknowledge() {
  if (ack_ && write(ack_.get(), "ack\n", 4) < 0) return;  // nobody reads the answer
}

}  // namespace gprofx
