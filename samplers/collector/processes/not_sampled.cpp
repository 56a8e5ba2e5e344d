#include "samplers/collector/processes/not_sampled.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <tuple>

namespace gprofx {
namespace {

constexpr size_t kMaxNames = 4;
constexpr int64_t kMaxNotSampled = 1'000'000'000;
constexpr int64_t kMaxOfOthers = 10'000;  // maximum count accepted from another user's table

struct ReasonWords {
  const char* counter;  // end of the counter's name, after "not_sampled_"
  const char* text;
};
constexpr ReasonWords kReasonWords[] = {
    {"static", "static"},
    {"32_bit", "32-bit"},
    {"other_machine", "built for another processor"},
    {"other_library", "a C library other than glibc and musl"},
    {"no_library", "without the C library"},
    {"sanitizer", "AddressSanitizer"},
    {"privileged", "privileged"},
    {"agent_hidden", "agent out of reach"},
    {"cleared", "cleared environment"},
    {"unreachable", "cut off from the recorder"},
    {"memory", "limit on memory"},
    {"tool", "under valgrind or rr"},
    {"confined", "under seccomp"},
    {"traced", "under a debugger or strace"},
};
static_assert(std::size(kReasonWords) == static_cast<size_t>(wire::NotSampled::kReasons));

const ReasonWords& WordsOf(wire::NotSampled reason) {
  return kReasonWords[static_cast<size_t>(reason)];
}

}  // namespace

std::vector<Unsampled> ReadNotSampled(const std::vector<const wire::NotSampledTable*>& tables) {
  std::map<std::pair<uint32_t, std::string>, int64_t> counts;
  for (size_t user = 0; user < tables.size(); ++user) {
    const wire::NotSampledTable* table = tables[user];
    int64_t left = user == 0 ? kMaxNotSampled : kMaxOfOthers;
    const auto add = [&](uint32_t reason, std::string name, int64_t count) {
      if (reason >= std::size(kReasonWords) || count <= 0 || left == 0) return;
      const int64_t believed = std::min(count, left);
      left -= believed;
      int64_t& sum = counts[{reason, std::move(name)}];
      sum = std::min(sum + believed, kMaxNotSampled);
    };
    for (const wire::NotSampledRow& row : table->rows) {
      if (row.state.load(std::memory_order_acquire) != 2) continue;
      char name[sizeof row.name];
      std::memcpy(name, row.name, sizeof name);
      const uint32_t reason = row.reason;
      add(reason, std::string(name, strnlen(name, sizeof name)),
          row.count.load(std::memory_order_relaxed));
    }
    for (uint32_t reason = 0; reason < std::size(kReasonWords); ++reason) {
      add(reason, "", table->unnamed[reason].load(std::memory_order_relaxed));
    }
  }
  std::vector<Unsampled> out;
  for (const auto& [key, count] : counts) {
    out.push_back({static_cast<wire::NotSampled>(key.first), key.second, count});
  }
  std::stable_sort(out.begin(), out.end(), [](const Unsampled& a, const Unsampled& b) {
    return std::tuple(a.reason, -a.count) < std::tuple(b.reason, -b.count);
  });
  return out;
}

void PublishNotSampled(const std::vector<Unsampled>& unsampled,
                       std::map<std::string, int64_t>& quality) {
  int64_t sum = 0;
  for (const ReasonWords& words : kReasonWords)
    quality.erase(std::string("not_sampled_") + words.counter);
  for (const Unsampled& program : unsampled) {
    quality[std::string("not_sampled_") + WordsOf(program.reason).counter] += program.count;
    sum += program.count;
  }
  quality["not_sampled"] = sum;
}

std::string NotSampledText(const std::vector<Unsampled>& unsampled) {
  std::string text;
  for (size_t i = 0; i < unsampled.size();) {
    const wire::NotSampled reason = unsampled[i].reason;
    std::string names;
    size_t shown = 0;
    int64_t rest = 0;
    for (; i < unsampled.size() && unsampled[i].reason == reason; ++i) {
      const Unsampled& program = unsampled[i];
      if (shown == kMaxNames || program.name.empty()) {
        rest += program.count;
        continue;
      }
      ++shown;
      names += names.empty() ? "" : ", ";
      names += (program.count > 1 ? std::to_string(program.count) + " " : "") + program.name;
    }
    if (rest > 0) {
      names += names.empty() ? std::to_string(rest) : ", " + std::to_string(rest) + " more";
    }
    text += (text.empty() ? "" : ", ") + std::string(WordsOf(reason).text) + " (" + names + ")";
  }
  return text;
}

}  // namespace gprofx
