#include "samplers/collector/control_channel.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gprofx {
namespace {

constexpr size_t kMostText = 4096;

// For both ways: a FIFO that nobody else has open neither blocks nor ends.
Result<UniqueFd> OpenFifo(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (fd) return fd;
  return Error{"cannot open the FIFO '" + path + "': " + std::strerror(errno),
               "make it with mkfifo"};
}

}  // namespace

std::optional<wire::GpuLevel> ParseControl(std::string_view line) {
  constexpr std::pair<std::string_view, wire::GpuLevel> kCommands[] = {
      {"enable", wire::kLevelAuto},      {"disable", wire::kLevelOff},
      {"level off", wire::kLevelOff},    {"level 0", wire::kLevelLaunches},
      {"level 1", wire::kLevelRecords},
      {"level auto", wire::kLevelAuto}};
  for (const auto& [command, level] : kCommands) {
    if (line == command) return level;
  }
  return std::nullopt;
}

Result<ControlChannel> ControlChannel::Open(const std::string& where) {
  constexpr std::string_view kPrefix = "fifo:";
  if (!where.starts_with(kPrefix)) {
    return Error{"--control cannot be '" + where + "'", "it takes fifo:CONTROL[,ACK]"};
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
  for (ssize_t n; (n = read(fd(), buffer, sizeof buffer)) > 0;) {
    text_.append(buffer, static_cast<size_t>(n));
    if (text_.size() > kMostText) text_.clear();
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
  if (ack_ && write(ack_.get(), "ack\n", 4) < 0) return;  // nobody reads: nobody waits
}

}  // namespace gprofx
