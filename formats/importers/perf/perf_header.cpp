#include "formats/importers/perf/perf_header.h"

#include "core/base/text.h"
#include "formats/importers/perf/words.h"

namespace gprofx::importers {
namespace {

// Minimum widths of columns, including the blank before them. perf 3 and 4 used 5 digits for ids.
constexpr size_t kIdWidth = 6, kPeriodWidth = 11;
constexpr size_t kHeaderAddressWidth = 17;

// Parses a time like "1234.567890:": seconds with six decimals, or with nine if perf ran with --ns.
bool ReadTime(std::string_view word, int64_t& ns) {
  if (!word.ends_with(':')) return false;
  word.remove_suffix(1);
  const size_t point = word.find('.');
  if (point == std::string_view::npos) return false;
  const std::string_view fraction = word.substr(point + 1);
  int64_t seconds = 0, part = 0;
  if (!ReadInteger(word.substr(0, point), seconds) || !ReadInteger(fraction, part)) return false;
  if (seconds < 0 || part < 0 || fraction.size() > 9 || seconds > 4'000'000'000) return false;
  for (size_t i = fraction.size(); i < 9; ++i) part *= 10;
  ns = seconds * 1'000'000'000 + part;
  return true;
}

// Reads ids: "123" (a thread) or "123/456" (a process and a thread). A missing pid becomes -1.
bool ReadIds(std::string_view word, int64_t& pid, int64_t& tid) {
  const size_t slash = word.find('/');
  if (slash == std::string_view::npos) {
    pid = -1;
    return ReadInteger(word, tid);
  }
  return ReadInteger(word.substr(0, slash), pid) && ReadInteger(word.substr(slash + 1), tid);
}

bool IsIds(std::string_view word) {
  int64_t pid = 0, tid = 0;
  return ReadIds(word, pid, tid);
}

bool IsProcessor(std::string_view word) { return word.starts_with('[') && word.ends_with(']'); }

// True if the word consists of letters of the field misc.
bool IsMisc(std::string_view word) {
  return !word.empty() && word.find_first_not_of("KUHGgMESp") == std::string_view::npos;
}

// Recognize the two parts of the field tod: IsDate "2026-11-30", IsClock "12:33:44.123456".
bool IsDate(std::string_view word) {
  return word.size() == 10 && word[4] == '-' && word[7] == '-' &&
         word.find_first_not_of("0123456789-") == std::string_view::npos;
}
bool IsClock(std::string_view word) {
  return word.size() >= 8 && word[2] == ':' && word[5] == ':' &&
         word.find_first_not_of("0123456789:.") == std::string_view::npos;
}

// True if the number before an event is its period and not a thread. For lines without a time.
// `before` is the text before the number.
bool IsPeriod(const PerfWord& word, std::string_view before) {
  int64_t number = 0;
  if (!ReadInteger(word.text, number) || number < 0) return false;
  const size_t width = word.width + (Trimmed(before).empty() ? 1 : 0);
  if (width >= kPeriodWidth) return true;
  const std::string_view last = TakeLastWord(before).text;
  if (IsProcessor(last) || IsClock(last) || (Contains(last, "/") && IsIds(last))) return true;
  // The line has lost the widths of its columns, such as "java 3244 1000 cycles:". The number is a
  // period if ids and a name come before it.
  return width < kIdWidth && IsIds(last) && !Trimmed(before).empty();
}

// Removes "VM: 1234 VCPU:003 " from the begin of `who` and stores the number of the machine (1234).
void TakeMachine(std::string_view& who, PerfHeader& header) {
  std::string_view rest = Trimmed(who);
  if (!rest.starts_with("VM:")) return;
  rest.remove_prefix(3);
  if (!ReadInteger(TakeFirstWord(rest).text, header.machine)) return;
  who = rest;
  if (Trimmed(rest).starts_with("VCPU:")) {
    TakeFirstWord(rest);
    who = rest;
  }
}

// True if `who` ends with the field misc: letters in a column of width 6. If the line has lost the
// widths of its columns, ids or a processor must come before it.
bool IsMiscAtEnd(std::string_view who) {
  constexpr size_t kMiscWidth = 6;
  const size_t length = who.find_last_not_of(kPerfBlanks) + 1;  // 0: only blanks
  const size_t blanks = who.size() - length;
  const std::string_view word = TakeLastWord(who).text;
  if (!IsMisc(word)) return false;
  const std::string_view before = TakeLastWord(who).text;
  return word.size() + blanks >= kMiscWidth || IsProcessor(before) || IsIds(before);
}

// Removes the field misc, and the date and time of day, from the end of `who`.
void TakeDateAndMisc(std::string_view& who) {
  std::string_view rest = who;
  if (IsClock(TakeLastWord(rest).text) && IsDate(TakeLastWord(rest).text)) who = rest;
  if (IsMiscAtEnd(who)) TakeLastWord(who);
}

// Reads comm, ids and processor: "python3 123/124 [003]". Returns true if there are ids or a
// processor.
bool ReadWho(std::string_view who, PerfHeader& header) {
  TakeMachine(who, header);
  TakeDateAndMisc(who);
  std::string_view rest = who;
  const bool has_processor = IsProcessor(TakeLastWord(rest).text);
  if (has_processor) who = rest;
  rest = who;
  const bool has_ids = ReadIds(TakeLastWord(rest).text, header.pid, header.tid);
  if (has_ids) who = rest;
  header.comm = Trimmed(who);
  return has_ids || has_processor;
}

// Reads all fields before the event, in a line without a time.
bool ReadBeforeEvent(std::string_view before, PerfHeader& header) {
  std::string_view who = before;
  const PerfWord last = TakeLastWord(who);
  const bool has_period = IsPeriod(last, who);
  if (has_period) ReadInteger(last.text, header.period);
  const bool has_who = ReadWho(has_period ? who : before, header);
  if (header.comm.empty()) return has_period && last.width + 1 >= kPeriodWidth;
  return has_who || has_period;
}

bool BeginsWithAddress(std::string_view rest) {
  const PerfWord word = TakeFirstWord(rest);
  return IsHexNumber(word.text) && word.width >= kHeaderAddressWidth;
}

std::string_view WithoutColon(std::string_view event) {
  event.remove_suffix(1);
  return event;
}

// Parses a line without a time, such as "java 3244 1000 cycles:".
bool ParseWithoutTime(std::string_view line, PerfHeader& header) {
  constexpr int kMaxTried = 16;  // a thread's name may contain words that look like an event
  std::string_view rest = line;
  int64_t time = 0;
  int tried = 0;
  for (std::string_view word; !(word = TakeFirstWord(rest).text).empty();) {
    if (!word.ends_with(':') || word.size() < 2 || ReadTime(word, time)) continue;
    if (++tried > kMaxTried) return false;
    header = {};
    const size_t length = static_cast<size_t>(word.data() - line.data());
    if (!ReadBeforeEvent(line.substr(0, length), header) && !BeginsWithAddress(rest)) continue;
    header.event = WithoutColon(word);
    header.rest = rest;
    return true;
  }
  return false;
}

// True if the number after the time is a period and not an address. A period has a column of width
// 10, or more digits; an address has 16 digits after a blank.
bool IsPeriodBehindTime(const PerfWord& word, int64_t& period) {
  if (word.width >= kHeaderAddressWidth && word.width >= word.text.size() + 2) return false;
  return ReadInteger(word.text, period);
}

// Reads the text after the time: "250000 cycles:u: ...". The event may be absent.
bool ReadBehindTime(std::string_view rest, PerfHeader& header) {
  std::string_view next = rest;
  if (IsPeriodBehindTime(TakeFirstWord(next), header.period)) rest = next;
  next = rest;
  const std::string_view word = TakeFirstWord(next).text;
  header.rest = rest;
  if (word.empty() || IsHexNumber(word)) return true;
  if (!word.ends_with(':') || word.size() < 2) return false;
  header.event = WithoutColon(word);
  header.rest = next;
  return true;
}

bool ParseWithTime(std::string_view line, PerfHeader& header) {
  std::string_view rest = line, word;
  do {
    word = TakeFirstWord(rest).text;
  } while (!word.empty() && !ReadTime(word, header.time_ns));
  if (word.empty()) return false;
  ReadWho(line.substr(0, static_cast<size_t>(word.data() - line.data())), header);
  return ReadBehindTime(rest, header);
}

}  // namespace

bool ParsePerfHeader(std::string_view line, PerfHeader& header) {
  header = {};
  if (line.empty() || line[0] == '\t') return false;
  if (ParseWithTime(line, header)) return true;
  // The name of a thread may begin with '#'. A line that begins with '#' and has no time is a
  // comment, however.
  return line[0] != '#' && ParseWithoutTime(line, header);
}

PerfHeader ParseLineAboveStack(std::string_view line) {
  PerfHeader header;
  std::string_view rest = line;
  const std::string_view last = TakeLastWord(rest).text;
  const bool has_event = last.ends_with(':') && last.size() > 1;
  if (has_event) {
    header.event = WithoutColon(last);
    line = line.substr(0, static_cast<size_t>(last.data() - line.data()));
  }
  ReadBeforeEvent(line, header);
  return header;
}

bool IsPerfRecord(std::string_view line) { return Contains(line, " PERF_RECORD_"); }

}  // namespace gprofx::importers
