#include "formats/importers/call_words.h"
#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>

namespace gprofx::importers {
namespace {

constexpr std::string_view kDigits = "0123456789";

char Capital(char letter) { return static_cast<char>(toupper(static_cast<unsigned char>(letter))); }

// Returns the CUpti_ActivityMemcpyKind of a copy; 0 if it is not known. `from` and `to` are the
// first letters of host, device, array or peer.
uint8_t CopyKind(char from, char to) {
  static constexpr struct {
    char from, to;
    uint8_t kind;
  } kKinds[] = {{'H', 'D', 1}, {'D', 'H', 2}, {'H', 'A', 3}, {'A', 'H', 4}, {'A', 'A', 5},
                {'A', 'D', 6}, {'D', 'A', 7}, {'D', 'D', 8}, {'H', 'H', 9}, {'P', 'P', 10}};
  for (const auto& known : kKinds) {
    if (known.from == Capital(from) && known.to == Capital(to)) return known.kind;
  }
  return 0;
}

constexpr std::string_view kBetween = " #:=_-([";

// Removes the numbers at the end of a range's name, and what joins them (" to ", " of ", "/"):
// "Step 90 to 100" -> "Step", "batch 5/10" -> "batch".
std::string_view WithoutCount(std::string_view range) {
  while (range.ends_with(')') || range.ends_with(']')) range.remove_suffix(1);
  for (;;) {
    const size_t end = range.find_last_not_of(kDigits);
    if (end == std::string_view::npos) return {};
    const bool has_number = end + 1 < range.size();
    range = range.substr(0, end + 1);
    if (!has_number) break;
    std::string_view joined = range;
    for (const std::string_view joint : {" to ", " of ", "/"}) {
      if (!range.ends_with(joint)) continue;
      joined = range.substr(0, range.size() - joint.size());
    }
    if (joined.size() == range.size() || joined.empty() ||
        kDigits.find(joined.back()) == std::string_view::npos) {
      break;
    }
    range = joined;
  }
  const size_t end = range.find_last_not_of(kBetween);
  return end == std::string_view::npos ? std::string_view() : range.substr(0, end + 1);
}

bool EndsWithCountedWord(std::string_view words) {
  const std::string lower =
      AsciiLower(words.substr(words.size() - std::min<size_t>(words.size(), 16)));
  for (const std::string_view counted : {"step", "iter", "iteration", "batch", "epoch"}) {
    if (lower.ends_with(counted)) return true;
  }
  return false;
}

constexpr std::string_view kBrackets = " ()[]{},;:";

int64_t NumberAtEnd(std::string_view word) {
  const size_t last = word.find_last_not_of(kDigits);
  word.remove_prefix(last == std::string_view::npos ? 0 : last + 1);
  int64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

struct RankAt {
  size_t begin = 0, number = 0, end = 0;
};

// Finds the number of a rank in `word`, such as "rank 3" or "Rank: 3". No value if there is none.
std::optional<RankAt> FindRank(std::string_view word) {
  constexpr std::string_view kRank = "rank";
  const std::string lower = AsciiLower(word);
  for (size_t at = lower.find(kRank); at != std::string::npos; at = lower.find(kRank, at + 1)) {
    if (at > 0 && isalnum(static_cast<unsigned char>(lower[at - 1])) != 0) continue;
    const size_t number = lower.find_first_not_of(" :#=_-", at + kRank.size());
    if (number == std::string::npos || kDigits.find(lower[number]) == std::string_view::npos) {
      continue;
    }
    const size_t end = lower.find_first_not_of(kDigits, number);
    return RankAt{at, number, end == std::string::npos ? lower.size() : end};
  }
  return std::nullopt;
}

}  // namespace

std::string_view WithoutVersion(std::string_view call) {
  const size_t at = call.rfind("_v");
  if (at != std::string_view::npos && at + 2 < call.size() &&
      call.find_first_not_of(kDigits, at + 2) == std::string_view::npos) {
    call = call.substr(0, at);
  }
  for (const std::string_view variant : {"_ptsz", "_ptds"}) {
    if (call.ends_with(variant)) call.remove_suffix(variant.size());
  }
  return call;
}

bool IsWaitingCall(std::string_view call) {
  if (!call.starts_with("cu") && !call.starts_with("hip")) return false;
  if (call.ends_with("Synchronize")) return true;
  if (call.find("Async") != std::string_view::npos) return false;
  return call.find("Memcpy") != std::string_view::npos ||
         call.find("Memset") != std::string_view::npos || call == "cudaFree" || call == "hipFree" ||
         call == "cuMemFree";
}

bool IsLaunchingCall(std::string_view call) {
  static constexpr std::string_view kWords[] = {"Launch", "Memcpy", "Memset", "Prefetch"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
    return call.find(word) != std::string_view::npos;
  });
}

std::string_view WithoutNumbers(std::string_view range) {
  for (const std::string_view detail : {", seq = ", ", op_id = ", ", sizes = "}) {
    range = range.substr(0, range.find(detail));
  }
  if (range.find("::") != std::string_view::npos) return range;  // "aten::copy_" has no number
  const std::string_view words = WithoutCount(range);
  if (words.empty() || words.size() == range.size()) return range;
  const size_t digit = range.find_first_of(kDigits, words.size());
  if (digit == std::string_view::npos) return range;
  const std::string_view between = range.substr(words.size(), digit - words.size());
  const bool is_counter =
      between.find_first_of("# ") != std::string_view::npos || EndsWithCountedWord(words);
  return is_counter ? words : range;
}

IdWord ParseIdWord(std::string_view word) {
  if (const auto rank = FindRank(word)) {
    const std::string_view number = word.substr(rank->number, rank->end - rank->number);
    std::string rest(word.substr(0, rank->begin));
    rest += word.substr(rank->end);
    while (!rest.empty() && kBrackets.find(rest.back()) != std::string::npos) rest.pop_back();
    const bool has_own = !rest.empty() && kDigits.find(rest.back()) != std::string_view::npos;
    return {"rank " + std::string(number), NumberAtEnd(has_own ? std::string_view(rest) : number)};
  }
  const size_t end = word.find_last_not_of("0123456789 ");
  const std::string_view label = word.substr(0, end == std::string_view::npos ? 0 : end + 1);
  return {std::string(label), NumberAtEnd(word)};
}

int64_t SequenceOf(std::string_view range) {
  constexpr std::string_view kSequence = ", seq = ";
  const size_t at = range.find(kSequence);
  int64_t number = -1;
  if (at != std::string_view::npos) {
    range.remove_prefix(at + kSequence.size());
    std::from_chars(range.data(), range.data() + range.size(), number);
  }
  return number < 0 ? -1 : number;
}

uint8_t MemoryKind(std::string_view word) {
  const std::string lower = AsciiLower(word.substr(0, 20));
  static constexpr std::string_view kKinds[] = {
      "", "pageable", "pinned", "device", "array", "managed", "device static", "managed static"};
  for (uint8_t kind = 1; kind < std::size(kKinds); ++kind) {
    if (lower == kKinds[kind]) return kind;
  }
  return 0;
}

void ReadCopyName(std::string_view name, TraceWork& copy) {
  constexpr std::string_view kCopy = "Memcpy";
  const size_t at = name.find(kCopy);
  if (at == std::string_view::npos) return;
  std::string_view rest = name.substr(at + kCopy.size());
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.starts_with("P2P")) copy.copy_kind = 10;
  if (rest.size() >= 4 && rest.substr(1, 2) == "to") copy.copy_kind = CopyKind(rest[0], rest[3]);
  if (rest.size() >= 3 && rest[1] == '2') copy.copy_kind = CopyKind(rest[0], rest[2]);
  const size_t open = rest.find('('), arrow = rest.find(" -> "), close = rest.rfind(')');
  if (open >= arrow || arrow >= close || close == std::string_view::npos) return;
  copy.source = MemoryKind(rest.substr(open + 1, arrow - open - 1));
  copy.target = MemoryKind(rest.substr(arrow + 4, close - arrow - 4));
}

}  // namespace gprofx::importers
