#include "core/variability/survey.h"

#include <algorithm>
#include <iterator>

#include "core/base/hash.h"

namespace gprofx::variability {
namespace {

// Returns the end of the warm-up of a process, or INT64_MIN if it has none. Earlier events are left
// out of the survey.
int64_t EndOfWarmUp(const FileFacts& facts, int64_t process) {
  for (const ProcessSteps& steps : facts.processes) {
    if (steps.process != process || steps.warm_up == 0 || steps.steps.empty()) continue;
    return steps.steps[std::min<size_t>(steps.warm_up, steps.steps.size()) - 1].end;
  }
  return INT64_MIN;
}

void MergeLane(LaneSurvey& lane, const LaneSurvey& other) {
  lane.kernels += other.kernels;
  lane.others += other.others;
  lane.first = std::min(lane.first, other.first);
  lane.last = std::max(lane.last, other.last);
  lane.first_kernel = std::min(lane.first_kernel, other.first_kernel);
  lane.last_kernel = std::max(lane.last_kernel, other.last_kernel);
  // end_of is sorted: if an entry does not fit, no later one does.
  for (const auto& end : other.end_of) {
    const bool is_full = lane.end_of.size() >= kClockEnds;
    if (is_full && !(end.first < lane.end_of.rbegin()->first)) break;
    const bool is_new = lane.end_of.insert(end).second;
    if (is_full && is_new) lane.end_of.erase(std::prev(lane.end_of.end()));
  }
}

// Collects the survey of one part of a file. Groups and lanes are identified by their positions in
// the file's tables, because hashing the key of each event would be slow.
class Part {
 public:
  Part(const EventFile& file, FileSurvey& survey) : file_(file), survey_(survey) {}

  void Take(const BlockId& id, std::span<const Event> events) {
    if (events.empty()) return;
    Prepare();
    Block block{id, false, static_cast<uint32_t>(events.size()), INT64_MAX, INT64_MIN, INT64_MIN};
    for (const Event& event : events) {
      if (event.duration < 0) {
        ++survey_.broken;
        continue;
      }
      TakeOne(event);
      block.kernels |= event.kind <= Kind::kCollective;
      block.first = std::min(block.first, event.start);
      block.last = std::max(block.last, event.start);
      block.end = std::max(block.end, event.end());
    }
    if (block.end != INT64_MIN) survey_.blocks.push_back(block);
  }

  void Finish(uint32_t index, Survey& survey) {
    Prepare();
    const auto lanes = file_.lanes();
    for (size_t i = 0; i < lanes_.size(); ++i) {
      if (lanes_[i].kernels + lanes_[i].others == 0) continue;
      MergeLane(survey.lanes[{index, lanes[i].process, lanes[i].device}], lanes_[i]);
    }
    for (size_t i = 0; i < groups_.size(); ++i) {
      GroupSurvey& group = groups_[i];
      group.spread.Settle();
      if (group.spread.count() + group.warm_up == 0) continue;
      group.key = TextOf(file_.groups()[i]);
      Survey one;
      one.groups.emplace(HashOf(group.key), std::move(group));
      survey.Merge(std::move(one));
    }
  }

 private:
  void Prepare() {
    groups_.resize(file_.groups().size());
    while (names_.size() < groups_.size()) {
      const GroupKey& key = file_.groups()[names_.size()];
      names_.push_back(key.kind == Kind::kCollective ? HashOf(key.name).low : 0);
    }
    while (lanes_.size() < file_.lanes().size()) {
      steady_.push_back(EndOfWarmUp(file_.facts(), file_.lanes()[lanes_.size()].process));
      lanes_.emplace_back();
    }
  }

  void TakeOne(const Event& event) {
    ++survey_.rows;
    const auto start = static_cast<uint64_t>(event.start);
    const auto length = static_cast<uint64_t>(event.duration);
    survey_.fingerprint[0] += start * kGolden ^ length;
    survey_.fingerprint[1] += (start ^ length << 17) * 0xd6e8feb86659fd93u;
    LaneSurvey& lane = lanes_[event.lane];
    lane.first = std::min(lane.first, event.start);
    lane.last = std::max(lane.last, event.end());
    if (event.kind <= Kind::kCollective) {
      ++lane.kernels;
      lane.first_kernel = std::min(lane.first_kernel, event.start);
      lane.last_kernel = std::max(lane.last_kernel, event.end());
    } else {
      ++lane.others;
    }
    if (event.kind == Kind::kCollective) TakeEnd(event, lane);
    GroupSurvey& group = groups_[event.group];
    if (event.start < steady_[event.lane]) {
      ++group.warm_up;
      return;
    }
    group.sum += event.duration;
    group.spread.Add(length);
  }

  void TakeEnd(const Event& event, LaneSurvey& lane) {
    const std::pair key(event.start, names_[event.group]);
    if (lane.end_of.size() >= kClockEnds && !(key < lane.end_of.rbegin()->first)) return;
    lane.end_of.emplace(key, event.end());
    if (lane.end_of.size() > kClockEnds) lane.end_of.erase(std::prev(lane.end_of.end()));
  }

  const EventFile& file_;
  FileSurvey& survey_;
  std::vector<GroupSurvey> groups_;
  std::vector<LaneSurvey> lanes_;
  std::vector<int64_t> steady_;
  std::vector<uint64_t> names_;
};

void WriteFacts(const FileFacts& facts, ByteWriter& out) {
  out.PutText(facts.format);
  out.PutText(facts.host);
  out.PutSigned(facts.rank);
  out.Put(facts.clock_zero ? 1 : 0);
  out.PutSigned(facts.clock_zero.value_or(0));
  out.Put(facts.has_times ? 1 : 0);
  out.Put(facts.tells_idle ? 1 : 0);
  out.Put(facts.processes.size());
  for (const ProcessSteps& process : facts.processes) {
    out.PutSigned(process.process);
    out.Put(process.warm_up);
    out.Put(process.steps.size());
    for (const TimeRange& step : process.steps) {
      out.PutSigned(step.begin);
      out.PutSigned(step.end - step.begin);
    }
  }
  out.Put(facts.notes.size());
  for (const std::string& note : facts.notes) out.PutText(note);
}

FileFacts ReadFacts(ByteReader& in) {
  FileFacts facts;
  facts.format = in.CountedText();
  facts.host = in.CountedText();
  facts.rank = in.Zigzag();
  const bool has_clock = in.Uleb() != 0;
  const int64_t zero = in.Zigzag();
  if (has_clock) facts.clock_zero = zero;
  facts.has_times = in.Uleb() != 0;
  facts.tells_idle = in.Uleb() != 0;
  facts.processes.resize(in.Count());
  for (ProcessSteps& process : facts.processes) {
    process.process = in.Zigzag();
    process.warm_up = static_cast<uint32_t>(in.Uleb());
    process.steps.resize(in.Count());
    for (TimeRange& step : process.steps) {
      step.begin = in.Zigzag();
      step.end = step.begin + in.Zigzag();
    }
  }
  facts.notes.resize(in.Count());
  for (std::string& note : facts.notes) note = in.CountedText();
  return facts;
}

void WriteBlocks(const std::vector<Block>& blocks, ByteWriter& out) {
  out.Put(blocks.size());
  for (const Block& block : blocks) {
    out.Put(block.id.table);
    out.PutSigned(block.id.first);
    out.PutSigned(block.id.count);
    out.Put(block.kernels ? 1 : 0);
    out.Put(block.rows);
    for (const int64_t time : {block.first, block.last, block.end}) out.PutSigned(time);
  }
}

std::vector<Block> ReadBlocks(ByteReader& in) {
  std::vector<Block> blocks(in.Count());
  for (Block& block : blocks) {
    block.id.table = static_cast<uint32_t>(in.Uleb());
    block.id.first = in.Zigzag();
    block.id.count = in.Zigzag();
    block.kernels = in.Uleb() != 0;
    block.rows = static_cast<uint32_t>(in.Uleb());
    for (int64_t* time : {&block.first, &block.last, &block.end}) *time = in.Zigzag();
  }
  return blocks;
}

}  // namespace

void Survey::Merge(Survey&& other) {
  for (auto& [index, file] : other.files) {
    const auto [mine, is_new] = files.try_emplace(index, std::move(file));
    if (is_new) continue;
    FileSurvey& whole = mine->second;
    // Parts of a file may fail with different errors. Keep the alphabetically first text, which
    // does not depend on the order of merges.
    if (!file.error.empty() && (whole.error.empty() || file.error < whole.error)) {
      whole.error = file.error;
    }
    if (whole.facts.format.empty()) whole.facts = file.facts;
    // Reading the first part may have added notes to the facts.
    for (const std::string& note : file.facts.notes) {
      std::vector<std::string>& notes = whole.facts.notes;
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
    if (whole.evidence.empty()) whole.evidence = std::move(file.evidence);
    whole.rows += file.rows;
    whole.broken += file.broken;
    for (int i = 0; i < 2; ++i) whole.fingerprint[i] += file.fingerprint[i];
    whole.blocks.insert(whole.blocks.end(), file.blocks.begin(), file.blocks.end());
  }
  for (auto& [id, lane] : other.lanes) MergeLane(lanes[id], lane);
  for (auto& [hash, group] : other.groups) {
    const auto [mine, is_new] = groups.try_emplace(hash, std::move(group));
    if (is_new) continue;
    GroupSurvey& whole = mine->second;
    if (whole.key != group.key) {
      ++collisions;
      if (group.key < whole.key) whole = std::move(group);
      continue;
    }
    whole.warm_up += group.warm_up;
    whole.sum += group.sum;
    whole.spread.Merge(std::move(group.spread));
  }
  collisions += other.collisions;
  summaries.merge(other.summaries);
}

Survey Survey::TakeGroups(uint32_t owner, uint32_t ranks) {
  Survey taken;
  for (auto group = groups.begin(); group != groups.end();) {
    const auto next = std::next(group);
    if (group->first.low % ranks == owner) taken.groups.insert(groups.extract(group));
    group = next;
  }
  return taken;
}

void Survey::Summarize() {
  for (auto& [hash, group] : groups) {
    GroupSummary& summary = summaries[hash];
    summary.key = std::move(group.key);
    summary.warm_up = group.warm_up;
    summary.sum = group.sum;
    group.spread.Settle();
    Describe(KeyOf(summary.key).kind, group.spread, summary);
  }
  groups.clear();
}

void Survey::Settle() {
  for (auto& [index, file] : files) std::sort(file.blocks.begin(), file.blocks.end());
  for (auto& [hash, group] : groups) group.spread.Settle();
}

std::string Survey::Write(const std::set<uint32_t>& with_directory) const {
  ByteWriter out;
  out.Put(files.size());
  for (const auto& [index, file] : files) {
    out.Put(index);
    out.PutText(file.error);
    WriteFacts(file.facts, out);
    WriteEvidence(file.evidence, out);
    out.Put(file.rows);
    out.Put(file.broken);
    for (const uint64_t part : file.fingerprint) out.Put(part);
    WriteBlocks(with_directory.contains(index) ? file.blocks : std::vector<Block>(), out);
  }
  out.Put(lanes.size());
  for (const auto& [id, lane] : lanes) {
    out.Put(id.file);
    out.PutSigned(id.process);
    out.PutSigned(id.device);
    out.Put(lane.kernels);
    out.Put(lane.others);
    for (const int64_t time : {lane.first, lane.last, lane.first_kernel, lane.last_kernel}) {
      out.PutSigned(time);
    }
    out.Put(lane.end_of.size());
    for (const auto& [key, end] : lane.end_of) {
      out.PutSigned(key.first);
      out.Put(key.second);
      out.PutSigned(end - key.first);
    }
  }
  out.Put(groups.size());
  for (const auto& [hash, group] : groups) {
    out.PutText(group.key);
    out.Put(group.warm_up);
    out.Put(static_cast<uint64_t>(group.sum));
    out.Put(static_cast<uint64_t>(group.sum >> 64));
    group.spread.Write(out);
  }
  out.Put(collisions);
  out.Put(summaries.size());
  for (const auto& [hash, summary] : summaries) WriteSummary(summary, out);
  return out.Take();
}

bool Survey::Read(std::string_view bytes, Survey& survey) {
  ByteReader in(bytes);
  for (uint64_t n = in.Count(); n > 0 && in.ok(); --n) {
    FileSurvey& file = survey.files[static_cast<uint32_t>(in.Uleb())];
    file.error = in.CountedText();
    file.facts = ReadFacts(in);
    file.evidence = ReadEvidence(in);
    file.rows = in.Uleb();
    file.broken = in.Uleb();
    for (uint64_t& part : file.fingerprint) part = in.Uleb();
    file.blocks = variability::ReadBlocks(in);
  }
  for (uint64_t n = in.Count(); n > 0 && in.ok(); --n) {
    LaneId id;
    id.file = static_cast<uint32_t>(in.Uleb());
    id.process = in.Zigzag();
    id.device = in.Zigzag();
    LaneSurvey& lane = survey.lanes[id];
    lane.kernels = in.Uleb();
    lane.others = in.Uleb();
    for (int64_t* time : {&lane.first, &lane.last, &lane.first_kernel, &lane.last_kernel}) {
      *time = in.Zigzag();
    }
    for (uint64_t ends = in.Count(); ends > 0 && in.ok(); --ends) {
      const int64_t start = in.Zigzag();
      const uint64_t name = in.Uleb();
      lane.end_of.emplace_hint(lane.end_of.end(), std::pair(start, name), start + in.Zigzag());
    }
  }
  for (uint64_t n = in.Count(); n > 0 && in.ok(); --n) {
    GroupSurvey group;
    group.key = in.CountedText();
    group.warm_up = in.Uleb();
    const uint64_t low = in.Uleb(), high = in.Uleb();
    group.sum = static_cast<Int128>(high) << 64 | static_cast<Int128>(low);
    group.spread = Spread::Read(in, kGroupCells);
    survey.groups.emplace(HashOf(group.key), std::move(group));
  }
  survey.collisions = in.Uleb();
  for (uint64_t n = in.Count(); n > 0 && in.ok(); --n) {
    GroupSummary summary = ReadSummary(in);
    const Hash128 hash = HashOf(summary.key);
    survey.summaries.emplace(hash, std::move(summary));
  }
  return in.ok() && in.at_end();
}

void SurveyPart(EventFile& file, uint32_t index, size_t part, size_t parts, const BlockSink& seen,
                Survey& survey) {
  Survey mine;
  FileSurvey& found = mine.files[index];
  found.facts = file.facts();
  Part reader(file, found);
  const Status read =
      file.ReadPart(part, parts, [&](const BlockId& id, std::span<const Event> events) {
        reader.Take(id, events);
        seen(id, events);
      });
  if (read) {
    reader.Finish(index, mine);
  } else {
    found.error = read.error().TextWithId();
  }
  if (read && part == 0) {
    Result<Evidence> evidence = file.ReadEvidence();
    found.facts.notes = file.facts().notes;
    if (evidence) found.evidence = std::move(*evidence);
    if (!evidence) found.error = evidence.error().TextWithId();
  }
  survey.Merge(std::move(mine));
}

int64_t StepAt(const std::vector<TimeRange>& steps, int64_t time) {
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), time,
                       [](int64_t t, const TimeRange& step) { return t < step.begin; });
  if (after == steps.begin() || std::prev(after)->end <= time) return -1;
  return after - steps.begin() - 1;
}

}  // namespace gprofx::variability
