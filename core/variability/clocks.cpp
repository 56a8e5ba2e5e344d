#include "core/variability/clocks.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/base/format.h"
#include "core/gpu/collective_clock.h"

namespace gprofx::variability {
namespace {

struct FileTimes {
  int64_t first = INT64_MAX, last = INT64_MIN;
  std::vector<CollectiveEnd> ends;  // ends of collectives on the file's first lane
};

// Returns, for each file, its time range and the ends of the collectives of its first lane.
// Collectives with the same name get the same number; names are numbered in the order of their
// hashes.
std::map<uint32_t, FileTimes> TimesOf(const Survey& survey) {
  std::map<uint64_t, uint32_t> names;
  for (const auto& [id, lane] : survey.lanes) {
    for (const auto& [key, end] : lane.end_of) names.emplace(key.second, 0);
  }
  uint32_t next = 0;
  for (auto& [hash, number] : names) number = ++next;
  std::map<uint32_t, FileTimes> times;
  for (const auto& [id, lane] : survey.lanes) {
    FileTimes& file = times[id.file];
    file.first = std::min(file.first, lane.first);
    file.last = std::max(file.last, lane.last);
    if (!file.ends.empty()) continue;
    for (const auto& [key, end] : lane.end_of) {
      file.ends.push_back({StringId{names.at(key.second)}, end});
    }
  }
  return times;
}

}  // namespace

AlignedClocks AlignClocks(const Survey& survey, const std::vector<uint8_t>& left_out,
                          const std::vector<FileEntry>& files) {
  AlignedClocks out;
  out.offsets.assign(files.size(), 0);
  const std::map<uint32_t, FileTimes> times = TimesOf(survey);
  std::vector<uint32_t> used;
  bool all_know = true;
  for (const auto& [index, file] : times) {
    if (left_out[index] != 0) continue;
    used.push_back(index);
    all_know &= survey.files.at(index).facts.clock_zero.has_value();
  }
  if (used.size() < 2) return out;
  const uint32_t reference = used.front();
  const FileTimes& base = times.at(reference);
  const int64_t base_zero = all_know ? *survey.files.at(reference).facts.clock_zero : 0;
  for (const uint32_t index : used) {
    if (index == reference) continue;
    const FileTimes& other = times.at(index);
    // Offsets are relative to the clock of the reference file. They do not change if another file
    // is added or removed.
    const int64_t known =
        Bounded(all_know ? SubtractSaturated(*survey.files.at(index).facts.clock_zero, base_zero)
                         : base.first - other.first);
    std::vector<CollectiveEnd> ends = other.ends;
    for (CollectiveEnd& end : ends) end.end += known;
    const ClockCorrection correction = CorrectClock(base.ends, ends);
    ClockNote note{index, 0, -1, correction.pairs};
    const std::string name = "'" + files[index].path + "'";
    if (correction.trusted) {
      note.moved = Bounded(correction.add);
      note.residual = correction.spread;
    } else if (other.last + known < base.first || other.first + known > base.last) {
      note.moved = base.first - (other.first + known);
      out.lines.push_back(
          name + ": its clock is " + SecondsText(-note.moved, 6) + " off that of '" +
          files[reference].path +
          "' and no collectives can correct it; both are assumed to begin together");
    }
    if (correction.trusted && (note.moved > 1'000'000'000 || note.moved < -1'000'000'000)) {
      out.lines.push_back(name + ": its clock was " + SecondsText(-note.moved, 6) +
                          " off and is corrected by " + std::to_string(note.pairs) +
                          " collectives");
    }
    out.offsets[index] = Bounded(known + note.moved);
    out.notes.push_back(note);
  }
  return out;
}

}  // namespace gprofx::variability
