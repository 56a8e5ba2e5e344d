#include "symbolize/sandbox.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "core/base/byte_reader.h"
#include "symbolize/debuginfod.h"
#include "symbolize/names_codec.h"
#include "symbolize/sandbox_child.h"

namespace gprofx {
namespace {

using Clock = std::chrono::steady_clock;

// One child's life, seen from the parent: reads messages until the child is done, dead, late or
// incomprehensible.
class ChildReader {
 public:
  ChildReader(const std::vector<SymbolRequest>& requests, const SymbolizeOptions& options,
              std::vector<ModuleOutcome>& outcomes, size_t first, int socket)
      : requests_(requests),
        options_(options),
        outcomes_(outcomes),
        next_(first),
        socket_(socket) {
    GiveTime(options.module_seconds);
  }

  // Why it ended; empty if the child closed the socket.
  std::string Read() {
    std::vector<char> buffer(size_t{1} << 18);
    while (true) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
      if (left <= 0) return "took longer than " + std::to_string(options_.module_seconds) + " s";
      struct pollfd wait = {socket_, POLLIN, 0};
      if (poll(&wait, 1, static_cast<int>(std::min<int64_t>(left, 60'000))) <= 0) continue;
      const ssize_t got = read(socket_, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return {};
      pending_.append(buffer.data(), static_cast<size_t>(got));
      if (!TakeMessages()) return "sent an answer that makes no sense";
    }
  }

  size_t next() const { return next_; }

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
    if (in_module_ || index != next_ || index >= requests_.size()) return false;
    in_module_ = true;
    fetched_ = false;
    wanted_ = {requests_[index].addresses.begin(), requests_[index].addresses.end()};
    GiveTime(options_.module_seconds);
    return true;
  }

  // The child has no network: what it asks for is fetched here, once a module and only if the user
  // wants it. The time that this takes is not the child's.
  bool SendDebugFile(const std::string& build_id) {
    if (!options_.use_debuginfod || !IsBuildId(build_id) || std::exchange(fetched_, true))
      return false;
    const Result<std::string> path = FetchDebugFile(build_id, options_.foreign_helper);
    std::string answer;
    PutNumber(answer, static_cast<uint8_t>(path ? 1 : 0));
    PutText(answer, (path ? *path : path.error().Text()).substr(0, kMaxSandboxAnswer));
    GiveTime(options_.module_seconds);
    // A child that died meanwhile is noticed at the next read.
    send(socket_, answer.data(), answer.size(), MSG_NOSIGNAL);
    return true;
  }

  bool TakeNames(std::string_view bytes, ModuleOutcome& outcome) {
    ModuleNames names;
    if (!DecodeNames(bytes, names)) return false;
    for (const auto& [address, frames] : names) {
      if (!wanted_.contains(address)) return false;
    }
    for (auto& [address, frames] : names) outcome.names[address] = std::move(frames);
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
    for (uint32_t i = 0; i < count; i++) {
      Witness witness;
      witness.path = reader.SizedText();
      witness.modified_ns = reader.Number<int64_t>();
      witness.size = reader.Number<uint64_t>();
      outcome.witnesses.push_back(std::move(witness));
    }
    return reader.ok();
  }

  const std::vector<SymbolRequest>& requests_;
  const SymbolizeOptions& options_;
  std::vector<ModuleOutcome>& outcomes_;
  size_t next_;  // the request in work, or the one to come
  bool in_module_ = false;
  bool fetched_ = false;
  int socket_;
  Clock::time_point deadline_;
  std::string pending_;
  std::unordered_set<uint64_t> wanted_;
};

std::string HowItDied(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return "ended";
  }
  if (WIFSIGNALED(status)) return "died of signal " + std::to_string(WTERMSIG(status));
  return "ended early";
}

// Runs one child from request `first` on. The answer: where the next child has to start.
size_t RunChild(const std::vector<SymbolRequest>& requests, size_t first,
                const SymbolizeOptions& options, const ModuleWork& work,
                std::vector<ModuleOutcome>& outcomes) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    outcomes[first].problems.push_back(std::string("no names: socketpair: ") + std::strerror(errno));
    return requests.size();
  }
  UniqueFd ours(ends[0]), childs(ends[1]);
  const pid_t child = fork();
  if (child < 0) {
    outcomes[first].problems.push_back(std::string("no names: fork: ") + std::strerror(errno));
    return requests.size();
  }
  if (child == 0) {
    ours.Reset();
    RunSandboxChild(requests, first, options, work, childs.get());
  }
  childs.Reset();
  ChildReader reader(requests, options, outcomes, first, ours.get());
  std::string why = reader.Read();
  if (!why.empty()) kill(child, SIGKILL);
  const std::string death = HowItDied(child);
  if (reader.next() >= requests.size()) return requests.size();
  const size_t failed = reader.next();
  outcomes[failed].problems.push_back(requests[failed].path + ": the symbolizer " +
                                      (why.empty() ? death : why) +
                                      " on this file; names or lines are missing");
  return failed + 1;
}

}  // namespace

std::vector<ModuleOutcome> RunInSandbox(const std::vector<SymbolRequest>& requests,
                                        const SymbolizeOptions& options, const ModuleWork& work) {
  std::vector<ModuleOutcome> outcomes(requests.size());
  for (size_t first = 0; first < requests.size();) {
    first = RunChild(requests, first, options, work, outcomes);
  }
  return outcomes;
}

}  // namespace gprofx
