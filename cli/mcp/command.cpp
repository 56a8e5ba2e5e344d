#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include "cli/command.h"
#include "cli/mcp/confine.h"
#include "cli/mcp/mcp.h"
#include "cli/mcp/rpc.h"
#include "cli/options/shared.h"
#include "core/base/file_io.h"

namespace gprofx {
namespace {

constexpr char kCommand[] = "gprof-x mcp";

constexpr OptionSpec kSpecs[] = {
    option::kHelp,
};

// Keeps freed memory in the process. An answer takes about 100 MB, and the next question follows
// soon. A fourth of the time would otherwise be spent on getting the memory from the system again.
void KeepFreedMemory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 1 << 20);
}
constexpr int kNobodyAsksMs = 5000;
void WaitForQuestion() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (poll(&input, 1, kNobodyAsksMs) == 0) malloc_trim(0);
}

// Reads lines from standard input. Skips a line that is too long and reports it as kTooLong.
class Lines {
 public:
  enum class Next { kLine, kTooLong, kEnd };

  Next Read(std::string& line) {
    line.clear();
    bool is_too_long = false;
    while (true) {
      if (at_ == end_ && !Fill()) break;
      const char* const from = buffer_ + at_;
      const auto* newline = static_cast<const char*>(memchr(from, '\n', end_ - at_));
      const size_t count = newline != nullptr ? newline - from : end_ - at_;
      is_too_long = is_too_long || line.size() + count > kLongestLine;
      if (!is_too_long) line.append(from, count);
      at_ += count + (newline != nullptr ? 1 : 0);
      if (newline != nullptr) return is_too_long ? Next::kTooLong : Next::kLine;
    }
    if (is_too_long) return Next::kTooLong;
    return line.empty() ? Next::kEnd : Next::kLine;
  }

 private:
  bool Fill() {
    WaitForQuestion();
    ssize_t got = 0;
    do {
      got = read(STDIN_FILENO, buffer_, sizeof buffer_);
    } while (got < 0 && errno == EINTR);
    at_ = 0;
    end_ = got > 0 ? static_cast<size_t>(got) : 0;
    return got > 0;
  }

  char buffer_[65536];
  size_t at_ = 0, end_ = 0;
};

// Makes sure that this process changes no file. A write to a file then fails with an error, because
// SIGXFSZ is already ignored (command_line.cpp).
void ForbidWriting() {
  struct stat output {};
  // Answers are written to this file.
  if (fstat(STDOUT_FILENO, &output) == 0 && S_ISREG(output.st_mode)) return;
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_FSIZE, &none);
}

}  // namespace

std::span<const OptionSpec> McpOptionSpecs() { return kSpecs; }

std::string McpHelp() {
  return "Usage: gprof-x mcp FOLDER...\n"
         "Answers an assistant's questions about the profiles in these folders and their\n"
         "subfolders. The assistant starts this server. The server uses the Model Context\n"
         "Protocol on standard input and output. The server reads no other files, writes\n"
         "no files and needs no network.\n\n" +
         OptionHelp(kSpecs) +
         "\nSee gprof-x-mcp(1) for the tools and how to add the server to an assistant.\n";
}

int RunMcp(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kCommand, kSpecs, args);
  if (!parsed) return Fail(kCommand, parsed.error());
  if (parsed->Has("help")) return Print(kCommand, McpHelp(), "the help");
  if (parsed->operands.empty()) {
    return Fail(kCommand,
                {ErrorId::kBadOperands, "no FOLDER is given", "run gprof-x mcp /path/to/profiles"});
  }
  Result<ServedFolders> folders = ServedFolders::Open(parsed->operands);
  if (!folders) return Fail(kCommand, folders.error());
  if (isatty(STDIN_FILENO)) {
    fprintf(stderr, "%s: an assistant starts this; it waits for JSON-RPC on standard input\n",
            kCommand);
  }
  signal(SIGPIPE, SIG_IGN);
  ForbidWriting();
  ConfineToReading(folders->paths());
  KeepFreedMemory();
  Rpc rpc{std::move(*folders)};
  Lines lines;
  std::string line;
  for (auto next = lines.Read(line); next != Lines::Next::kEnd; next = lines.Read(line)) {
    const std::string answer = next == Lines::Next::kLine ? rpc.Answer(line) : Rpc::TooLong();
    // If writing fails, the client has ended.
    if (!WriteAll(STDOUT_FILENO, answer.data(), answer.size())) return 0;
  }
  return 0;
}

}  // namespace gprofx
