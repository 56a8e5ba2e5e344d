#include "core/variability/analysis.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <unordered_map>

#include "core/variability/idle.h"
#include "core/variability/rank_tree.h"
#include "core/variability/stages/block_cache.h"
#include "core/variability/sweep.h"
#include "core/variability/units.h"
#include "core/variability/windows.h"

namespace gprofx::variability {
namespace {

constexpr size_t kMaxKept = size_t{512} << 20;  // maximum bytes of files held in memory
// Maximum number of events in the cache; they take up to 256 MB.
constexpr size_t kMaxCached = size_t{8} << 20;

// Opens files. A file whose events are in memory (EventFile::memory) stays open and is shared
// between threads, until such files take kMaxKept bytes in total. Thread-safe.
class OpenFiles {
 public:
  explicit OpenFiles(const Analysis& analysis) : analysis_(analysis) {}

  Result<std::shared_ptr<EventFile>> Get(uint32_t file) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto kept = kept_.find(file); kept != kept_.end()) return kept->second;
    }
    Result<std::unique_ptr<EventFile>> opened = analysis_.open(analysis_.files[file].path);
    if (!opened) return opened.error();
    std::shared_ptr<EventFile> shared(std::move(*opened));
    const size_t memory = shared->memory();
    const std::lock_guard lock(mutex_);
    if (memory > 0 && memory <= kMaxKept - memory_) {
      memory_ += memory;
      kept_[file] = shared;
    }
    return shared;
  }

 private:
  const Analysis& analysis_;
  std::mutex mutex_;
  size_t memory_ = 0;
  std::map<uint32_t, std::shared_ptr<EventFile>> kept_;
};

// Runs `work` on all units in `threads` threads; each thread takes one unit after the other. Each
// thread has its own summary, which `finish` merges at the end under a lock.
template <class Summary, class Work, class Finish>
void InThreads(const std::vector<Unit>& units, size_t threads, Work work, Finish finish) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    try {
      Summary mine;
      std::pair<uint32_t, std::shared_ptr<EventFile>> open{UINT32_MAX, nullptr};
      for (size_t i; (i = next++) < units.size();) work(units[i], open, mine);
      const std::lock_guard lock(mutex);
      finish(std::move(mine));
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min(threads, units.size()); ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

using CurrentFile = std::pair<uint32_t, std::shared_ptr<EventFile>>;

// Makes file number `file` the open file in `open`. Does nothing if it already is.
Status Switch(OpenFiles& files, uint32_t file, CurrentFile& open) {
  if (open.first == file) return Ok();
  open = {UINT32_MAX, nullptr};
  Result<std::shared_ptr<EventFile>> opened = files.Get(file);
  if (!opened) return opened.error();
  open = {file, *opened};
  return Ok();
}

// Translates the group and lane numbers of a file to those of the plan.
class Translation {
 public:
  explicit Translation(const Plan& plan) : plan_(plan) {
    for (uint32_t i = 0; i < plan.groups.size(); ++i) {
      if (plan.groups[i].base == i) groups_by_hash_[plan.groups[i].hash.low] = i;
    }
    for (uint32_t i = 0; i < plan.lanes.size(); ++i) lanes_by_id_[plan.lanes[i].id] = i;
  }

  void Use(uint32_t index, const EventFile& file) {
    if (index != index_) groups_.clear(), lanes_.clear();
    index_ = index;
    while (groups_.size() < file.groups().size()) {
      const auto found = groups_by_hash_.find(HashOf(TextOf(file.groups()[groups_.size()])).low);
      groups_.push_back(found == groups_by_hash_.end() ? UINT32_MAX : found->second);
    }
    while (lanes_.size() < file.lanes().size()) {
      LaneId id = file.lanes()[lanes_.size()];
      id.file = index;
      const auto found = lanes_by_id_.find(id);
      lanes_.push_back(found == lanes_by_id_.end() ? UINT32_MAX : found->second);
    }
  }

  bool Translate(Event& event) const {
    event.group = groups_[event.group];
    event.lane = lanes_[event.lane];
    if (event.group == UINT32_MAX || event.lane == UINT32_MAX || event.duration < 0) return false;
    event.start += plan_.lanes[event.lane].offset;
    return true;
  }

 private:
  const Plan& plan_;
  uint32_t index_ = UINT32_MAX;
  std::unordered_map<uint64_t, uint32_t> groups_by_hash_;
  std::map<LaneId, uint32_t> lanes_by_id_;
  std::vector<uint32_t> groups_, lanes_;
};

int64_t Moved(int64_t time, int64_t offset) {
  return time == INT64_MIN || time == INT64_MAX ? time : time + offset;
}

// True if the event starts in the window or overlaps it.
bool Concerns(const Event& event, const WindowBlocks& window) {
  return event.start < window.end && (event.start >= window.begin || event.end() > window.begin);
}

std::span<const PlanLane> LanesOf(const Plan& plan, uint32_t file) {
  const auto [first, last] = std::equal_range(
      plan.lanes.begin(), plan.lanes.end(), PlanLane{{file, 0, 0}, 0, 0, {}, 0, false},
      [](const PlanLane& a, const PlanLane& b) { return a.id.file < b.id.file; });
  return std::span(plan.lanes)
      .subspan(static_cast<size_t>(first - plan.lanes.begin()), static_cast<size_t>(last - first));
}

Status TallyWindow(const Plan& plan, uint32_t index, OpenFiles& files, CurrentFile& open,
                   const BlockCache& cache, const WindowBlocks& blocks, Translation& translation,
                   Tally& tally) {
  std::vector<Event> events;
  std::vector<BlockId> missing;
  for (const BlockId& block : blocks.blocks) {
    const std::vector<Event>* kept = cache.Find(index, block);
    if (kept == nullptr) {
      missing.push_back(block);
      continue;
    }
    for (Event event : *kept) {
      if (Concerns(event, blocks) && cache.Translate(plan, event)) events.push_back(event);
    }
  }
  if (!missing.empty()) {
    if (Status opened = Switch(files, index, open); !opened) return opened;
    EventFile& file = *open.second;
    const auto take = [&](const BlockId&, std::span<const Event> some) {
      translation.Use(index, file);
      for (Event event : some) {
        if (Concerns(event, blocks) && translation.Translate(event)) events.push_back(event);
      }
    };
    if (Status read = file.ReadBlocks(missing, take); !read) return read;
  }
  const std::span<const PlanLane> lanes = LanesOf(plan, index);
  if (lanes.empty()) return Ok();
  const int64_t offset = lanes.front().offset;
  const Window window{Moved(blocks.begin, offset), Moved(blocks.end, offset)};
  BusyTimes busy;
  SweepWindow(plan, window, events, tally, &busy);
  const bool tells_idle =
      std::any_of(lanes.begin(), lanes.end(), [](const PlanLane& lane) { return lane.tells_idle; });
  if (!tells_idle) return Ok();
  if (Status opened = Switch(files, index, open); !opened) return opened;
  const Result<HostActivity> host = open.second->ReadHost({blocks.begin, blocks.end});
  if (!host) return host.error();
  for (const PlanLane& lane : lanes) {
    const auto at = static_cast<uint32_t>(&lane - plan.lanes.data());
    if (lane.tells_idle) SplitIdle(plan, at, window, busy[at], *host, tally);
  }
  return Ok();
}

class Engine {
 public:
  Engine(const Analysis& analysis, Ranks& ranks)
      : analysis_(analysis),
        ranks_(ranks),
        parts_(PartCounts(analysis.files, ranks.size() > 1 ? ranks.size() : analysis.threads)),
        files_(analysis) {}

  Result<std::optional<Model>> Run() {
    Lap(nullptr);
    MakeSurvey();
    Lap(&times_.survey);
    if (Status done = ExchangeGroups(); !done) return done.error();
    Lap(&times_.exchange);
    if (Status done = ReduceSurvey(); !done) return done.error();
    Lap(&times_.reduce);
    if (Status done = SharePlan(); !done) return done.error();
    Lap(&times_.plan);
    MakeTally();
    Lap(&times_.tally);
    if (Status done = ExchangeCollectives(); !done) return done.error();
    Lap(&times_.exchange);
    if (Status done = ReduceTally(); !done) return done.error();
    Lap(&times_.reduce);
    if (ranks_.rank() != 0) return std::optional<Model>();
    tally_.Settle(planned_.plan);
    std::optional<Model> model = MakeModel(survey_, planned_, tally_, analysis_.files);
    Lap(&times_.model);
    return model;
  }

  const PassTimes& times() const { return times_; }

 private:
  // Adds the time since the last call of Lap() to `pass`. `pass` may be null: the time then counts
  // nowhere.
  void Lap(int64_t* pass) {
    if (!analysis_.clock) return;
    const int64_t now = analysis_.clock();
    if (pass != nullptr) *pass += now - lap_;
    lap_ = now;
  }

  void MakeSurvey() {
    const std::vector<Unit> mine = UnitsOf(analysis_.files, parts_, ranks_.rank(), ranks_.size());
    struct Mine {
      Survey survey;
      BlockCache::Names names;
    };
    InThreads<Mine>(
        mine, analysis_.threads,
        [this](const Unit& unit, CurrentFile& open, Mine& one) {
          if (Status opened = Switch(files_, unit.file, open); !opened) {
            Survey failed;
            failed.files[unit.file].error = opened.error().TextWithId();
            return one.survey.Merge(std::move(failed));
          }
          const auto keep = [&](const BlockId& block, std::span<const Event> events) {
            // Events of a file that is held in memory need no cache.
            if (open.second->memory() > 0) return;
            cache_.Keep(unit.file, *open.second, block, events, one.names);
          };
          SurveyPart(*open.second, unit.file, unit.part, unit.parts, keep, one.survey);
        },
        [this](Mine&& one) { survey_.Merge(std::move(one.survey)); });
    survey_.Settle();
    for (const Unit& unit : mine) {
      if (unit.parts == 1) own_[unit.file] = survey_.files[unit.file].blocks;
    }
  }

  Status ReduceSurvey() {
    return Reduce(
        ranks_,
        [this](const std::string& bytes) {
          Survey theirs;
          if (!Survey::Read(bytes, theirs)) return false;
          survey_.Merge(std::move(theirs));
          return true;
        },
        [this] { return survey_.Write(Divided()); });
  }

  Status ExchangeGroups() {
    const Status done = Exchange(
        ranks_,
        [this](uint32_t other) { return survey_.TakeGroups(other, ranks_.size()).Write({}); },
        [this](const std::string& bytes) {
          Survey theirs;
          if (!Survey::Read(bytes, theirs)) return false;
          survey_.Merge(std::move(theirs));
          return true;
        });
    if (done) survey_.Summarize();
    return done;
  }

  std::set<uint32_t> Divided() const {  // files that are split into several parts
    std::set<uint32_t> divided;
    for (uint32_t i = 0; i < analysis_.files.size(); ++i) {
      if (parts_[i] > 1) divided.insert(i);
    }
    return divided;
  }

  Status SharePlan() {
    ByteWriter out;
    if (ranks_.rank() == 0) {
      survey_.Settle();
      planned_ = MakePlan(survey_, analysis_.files, analysis_.options);
      Survey directories;
      for (const uint32_t file : Divided()) {
        directories.files[file].blocks = survey_.files[file].blocks;
      }
      out.PutText(planned_.plan.Write());
      out.PutText(directories.Write(Divided()));
    }
    const Result<std::string> bytes = Broadcast(ranks_, out.Take());
    if (!bytes) return bytes.error();
    if (ranks_.rank() == 0) return Ok();
    ByteReader in(*bytes);
    const std::string_view plan = in.CountedText(), survey = in.CountedText();
    survey_ = {};
    if (!in.ok() || !Plan::Read(plan, planned_.plan) || !Survey::Read(survey, survey_)) {
      return Error{ErrorId::kRankLost, "cannot read the data of rank 0",
                   "run the same version of gprof-x on all ranks"};
    }
    return Ok();
  }

  void MakeTally() {
    const Plan& plan = planned_.plan;
    cache_.Use(plan);
    std::map<uint32_t, std::vector<WindowBlocks>> windows;
    std::vector<Unit> mine;
    for (auto& [file, blocks] : own_) {
      if (plan.left_out[file] != 0) continue;
      windows[file] = WindowsOf(std::move(blocks));
      mine.push_back({file, 0, 1});
    }
    size_t turn = 0;
    for (const uint32_t file : Divided()) {
      if (plan.left_out[file] != 0) continue;
      windows[file] = WindowsOf(survey_.files[file].blocks);
      const size_t count = windows[file].size();
      for (size_t i = 0; i < count; ++i) {
        if (turn++ % ranks_.size() == ranks_.rank()) mine.push_back({file, i, count + 1});
      }
    }
    struct Mine {
      Tally tally;
      std::optional<Translation> translation;
    };
    InThreads<Mine>(
        mine, analysis_.threads,
        [&](const Unit& unit, CurrentFile& open, Mine& one) {
          if (!one.translation) one.translation.emplace(plan);
          const std::vector<WindowBlocks>& all = windows.at(unit.file);
          const size_t first = unit.part, last = unit.parts == 1 ? all.size() : unit.part + 1;
          for (size_t i = first; i < last; ++i) {
            const Status done = TallyWindow(plan, unit.file, files_, open, cache_, all[i],
                                            *one.translation, one.tally);
            if (done) continue;
            one.tally.errors[unit.file] = done.error().TextWithId();
            break;
          }
        },
        [&](Mine&& one) { tally_.Merge(std::move(one.tally), plan); });
  }

  // Sends the collectives of each time slice to one rank, which matches them.
  Status ExchangeCollectives() {
    const Plan& plan = planned_.plan;
    if (plan.most_collectives == 0) return Ok();
    tally_.Settle(plan);
    std::vector<std::vector<CollectiveTally>> by_rank(ranks_.size());
    for (const CollectiveTally& one : tally_.collectives) {
      by_rank[SliceOf(plan, one.start) % ranks_.size()].push_back(one);
    }
    tally_.collectives = {};
    std::vector<CollectiveTally>& mine = by_rank[ranks_.rank()];
    const Status done = Exchange(
        ranks_,
        [&](uint32_t other) {
          ByteWriter out;
          WriteCollectives(by_rank[other], out);
          return out.Take();
        },
        [&](const std::string& bytes) {
          ByteReader in(bytes);
          return ReadCollectives(in, plan, mine) && in.at_end();
        });
    if (done) tally_.matches.Merge(MatchCollectives(plan, std::move(mine)));
    return done;
  }

  Status ReduceTally() {
    const Plan& plan = planned_.plan;
    return Reduce(
        ranks_,
        [&](const std::string& bytes) {
          Tally theirs;
          if (!Tally::Read(bytes, theirs) || !theirs.Fits(plan)) return false;
          tally_.Merge(std::move(theirs), plan);
          return true;
        },
        [&] {
          tally_.Settle(plan);
          return tally_.Write();
        });
  }

  const Analysis& analysis_;
  Ranks& ranks_;
  const std::vector<size_t> parts_;  // number of parts of each file
  PassTimes times_;
  int64_t lap_ = 0;
  OpenFiles files_;
  BlockCache cache_{kMaxCached};
  Survey survey_;
  Planned planned_;
  Tally tally_;
  std::map<uint32_t, std::vector<Block>> own_;  // blocks of files that only this rank reads
};

}  // namespace

Result<std::optional<Model>> Analyze(const Analysis& analysis, Ranks& ranks, PassTimes* times) {
  Engine engine(analysis, ranks);
  Result<std::optional<Model>> model = engine.Run();
  if (times != nullptr) *times = engine.times();
  return model;
}

}  // namespace gprofx::variability
