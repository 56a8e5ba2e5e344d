#include "symbolize/sandbox/sandbox.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/base/byte_reader.h"
#include "core/base/child_process.h"
#include "symbolize/dwarf/debuginfod.h"
#include "symbolize/names/names_codec.h"
#include "symbolize/sandbox/sandbox_child.h"

namespace gprofx {
namespace {

using Clock = std::chrono::steady_clock;

// The time and memory that are left for all remaining modules.
struct Budget {
  Clock::time_point deadline;
  uint64_t name_bytes = kMaxNameBytes;

  bool IsSpent() const { return name_bytes == 0 || Clock::now() >= deadline; }
};

// Handles one child in the parent. Reads its messages until it finishes, dies, times out or sends
// an invalid message.
class ChildReader {
 public:
  // The child works on the requests [first, end).
  ChildReader(const std::vector<SymbolRequest>& requests, size_t first, size_t end,
              const SymbolizeOptions& options, Budget& budget, std::vector<ModuleOutcome>& outcomes,
              int socket)
      : requests_(requests),
        options_(options),
        budget_(budget),
        outcomes_(outcomes),
        next_(first),
        end_(end),
        socket_(socket) {
    GiveTime(options_.module_seconds);
  }

  // Reads until the child ends. Returns why the child must be stopped; empty if it closed the
  // socket itself.
  std::string Read() {
    std::vector<char> buffer(size_t{1} << 18);
    while (true) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
      if (budget_.IsSpent()) return "took too long with others";
      if (left <= 0) return "took longer than " + std::to_string(options_.module_seconds) + " s";
      struct pollfd wait = {socket_, POLLIN, 0};
      // In ms. Check this often, because the total budget may be used up before the module's time.
      constexpr int64_t kLookAgain = 1000;
      if (poll(&wait, 1, static_cast<int>(std::min(left, kLookAgain))) <= 0) continue;
      const ssize_t got = read(socket_, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return {};
      pending_.append(buffer.data(), static_cast<size_t>(got));
      if (!TakeMessages()) return "sent an invalid answer";
    }
  }

  size_t next() const { return next_; }
  // Returns why the child opens no file; empty if it opens files.
  const std::string& refused() const { return refused_; }

 private:
  void GiveTime(int seconds) { deadline_ = Clock::now() + std::chrono::seconds(seconds); }

  bool TakeMessages() {
    size_t done = 0;
    while (pending_.size() - done >= sizeof(uint32_t)) {
      uint32_t size = 0;
      std::memcpy(&size, pending_.data() + done, sizeof(size));
      if (size == 0 || size > kMaxSandboxMessage) return false;
      if (pending_.size() - done - sizeof(size) < size) break;
      if (!Take(std::string_view(pending_).substr(done + sizeof(size), size))) return false;
      done += sizeof(size) + size;
    }
    pending_.erase(0, done);
    return true;
  }

  bool Take(std::string_view message) {
    ByteReader reader(message);
    const auto kind = static_cast<SandboxMessage>(reader.Number<uint8_t>());
    if (kind == SandboxMessage::kBegin) return Begin(reader.Number<uint32_t>());
    if (kind == SandboxMessage::kRefused) {
      refused_ = reader.rest();
      return true;
    }
    if (!in_module_) return false;
    ModuleOutcome& outcome = outcomes_[next_];
    switch (kind) {
      case SandboxMessage::kNames:
        return TakeNames(reader.rest(), outcome);
      case SandboxMessage::kProblem:
        return TakeProblem(reader.rest(), outcome);
      case SandboxMessage::kWitnesses:
        return TakeWitnesses(reader, outcome);
      case SandboxMessage::kDebugFile:
        return SendDebugFile(std::string(reader.rest()));
      case SandboxMessage::kEnd:
        outcome.complete = outcome.problems.empty();
        in_module_ = false;
        next_++;
        return true;
      default:
        return false;
    }
  }

  bool Begin(uint32_t index) {
    if (in_module_ || index != next_ || index >= end_) return false;
    in_module_ = true;
    fetched_ = false;
    wanted_ = {requests_[index].addresses.begin(), requests_[index].addresses.end()};
    GiveTime(options_.module_seconds);
    return true;
  }

  // Fetches a debug file for the child, which has no network. Does so at most once per module, and
  // only if the user allowed it. The time does not count against the child.
  bool SendDebugFile(const std::string& build_id) {
    if (!options_.use_debuginfod || !IsBuildId(build_id) || std::exchange(fetched_, true))
      return false;
    const Clock::time_point asked = Clock::now();
    const Result<std::string> path = FetchDebugFile(build_id, options_.foreign_helper);
    const auto longest = std::chrono::seconds(kFetchSeconds);
    budget_.deadline += std::min<Clock::duration>(Clock::now() - asked, longest);
    std::string answer;
    PutNumber(answer, static_cast<uint8_t>(path ? 1 : 0));
    PutText(answer, (path ? *path : path.error().Text()).substr(0, kMaxSandboxAnswer));
    GiveTime(options_.module_seconds);
    // An error needs no handling: if the child has died, the next read detects it.
    send(socket_, answer.data(), answer.size(), MSG_NOSIGNAL);
    return true;
  }

  bool TakeNames(std::string_view bytes, ModuleOutcome& outcome) {
    ModuleNames names;
    if (!DecodeNames(bytes, names)) return false;
    for (const auto& [address, frames] : names) {
      if (!wanted_.contains(address)) return false;
    }
    for (auto& [address, frames] : names) {
      budget_.name_bytes -= std::min(budget_.name_bytes, BytesOf(frames));
      outcome.names[address] = std::move(frames);
    }
    return true;
  }

  static bool TakeProblem(std::string_view text, ModuleOutcome& outcome) {
    constexpr size_t kMaxProblems = 16, kMaxText = 8192;
    if (outcome.problems.size() >= kMaxProblems || text.size() > kMaxText) return false;
    outcome.problems.emplace_back(text);
    return true;
  }

  static bool TakeWitnesses(ByteReader& reader, ModuleOutcome& outcome) {
    constexpr uint32_t kMaxWitnesses = 256;
    const auto count = reader.Number<uint32_t>();
    if (count > kMaxWitnesses) return false;
    outcome.witnesses.clear();
    for (uint32_t i = 0; i < count; i++) outcome.witnesses.push_back(TakeWitness(reader));
    return reader.ok();
  }

  const std::vector<SymbolRequest>& requests_;
  const SymbolizeOptions& options_;
  Budget& budget_;
  std::vector<ModuleOutcome>& outcomes_;
  size_t next_;  // index of the current request or, between two requests, of the next one
  size_t end_;
  bool in_module_ = false;
  bool fetched_ = false;
  int socket_;
  Clock::time_point deadline_;
  std::string pending_, refused_;
  std::unordered_set<uint64_t> wanted_;
};

std::string HowItDied(ChildProcess& child) {
  const std::optional<int> status = child.Wait();
  if (!status) return "ended";
  if (WIFSIGNALED(*status)) return "died of signal " + std::to_string(WTERMSIG(*status));
  return "ended early";
}

// Runs one child on the requests [first, end), which have the same reader. Returns the index of the
// first request that is left for the next child.
size_t RunChild(const std::vector<SymbolRequest>& requests, size_t first, size_t end,
                const SymbolizeOptions& options, const ModuleWork& work, Budget& budget,
                std::vector<ModuleOutcome>& outcomes) {
  const auto cannot = [&](const std::string& why) {
    const std::string others =
        end - first > 1 ? " and " + std::to_string(end - first - 1) + " more" : "";
    outcomes[first].problems.push_back(requests[first].path + others + ": no names: " + why);
    return end;
  };
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return cannot(std::string("socketpair: ") + std::strerror(errno));
  }
  UniqueFd ours(ends[0]), childs(ends[1]);
  const pid_t parent = getpid(), pid = fork();
  if (pid < 0) return cannot(std::string("fork: ") + std::strerror(errno));
  if (pid == 0) {
    ours.Reset();
    RunSandboxChild({requests, first, end, parent}, options, work, childs.get());
  }
  ChildProcess child(pid);
  childs.Reset();
  ChildReader reader(requests, first, end, options, budget, outcomes, ours.get());
  std::string why = reader.Read();
  if (!why.empty()) child.Kill();
  const std::string death = HowItDied(child);
  if (!reader.refused().empty()) return cannot(reader.refused());
  if (reader.next() >= end) return end;
  const size_t failed = reader.next();
  if (budget.IsSpent()) return failed;
  outcomes[failed].problems.push_back(requests[failed].path + ": the symbolizer " +
                                      (why.empty() ? death : why) +
                                      " on this file; names or lines are missing");
  return failed + 1;
}

// Returns the end of the requests from `first` on that have the same reader.
size_t EndOfReader(const std::vector<SymbolRequest>& requests, size_t first) {
  size_t end = first;
  while (end < requests.size() && requests[end].reader == requests[first].reader) ++end;
  return end;
}

}  // namespace

SandboxOutcome RunInSandbox(const std::vector<SymbolRequest>& requests,
                            const SymbolizeOptions& options, const ModuleWork& work) {
  SandboxOutcome outcome;
  outcome.modules.resize(requests.size());
  Budget budget{Clock::now() + std::chrono::seconds(options.total_seconds)};
  size_t first = 0;
  while (first < requests.size() && !budget.IsSpent()) {
    first = RunChild(requests, first, EndOfReader(requests, first), options, work, budget,
                     outcome.modules);
  }
  outcome.not_reached = requests.size() - first;
  return outcome;
}

}  // namespace gprofx
