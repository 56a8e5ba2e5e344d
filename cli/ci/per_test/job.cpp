#include "cli/ci/per_test/job.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <span>

#include "cli/ci/per_test/blame.h"
#include "cli/ci/per_test/faces.h"
#include "cli/ci/per_test/read_json.h"
#include "cli/ci/recording.h"
#include "cli/diff/sides.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

using compare::RoundState;

constexpr size_t kMaxBenchmarks = 2'000;
constexpr size_t kMaxOfMin = 4;  // a benchmark gets at most this many times the rounds of --pairs
// Number of attempts to decide a benchmark with max_rounds rounds each: one, and two with fresh
// rounds.
constexpr size_t kMaxAttempts = 3;
constexpr size_t kRoundsForCounts = 2;
// Next() runs the benchmark with the largest need. That of a suspect is kFirstOfAll minus the
// number of its missing rounds. That of any other benchmark is its error plus kLeastNeed.
constexpr double kFirstOfAll = 1e6, kLeastNeed = 1e-9;
constexpr size_t kMaxPad = 512;  // bytes

std::string SideWord(bool head) { return head ? "head" : "base"; }

compare::RoundSettings SettingsOf(const CiRun& run) {
  compare::RoundSettings settings;
  settings.least_effect = run.diff.options.settings.least_total_effect;
  settings.min_rounds = run.pairs;
  settings.max_rounds = kMaxOfMin * run.pairs;
  return settings;
}

double LogOf(double base, double head) { return base > 0 && head > 0 ? std::log(head / base) : 0; }

// Returns the median of log(head / base) over all batches of a round in which the sides alternated.
// Returns nullopt if there are too few batches.
std::optional<double> LogOfBatches(const std::vector<double>& base,
                                   const std::vector<double>& head) {
  constexpr size_t kMinBatches = 3;
  std::vector<double> logs;
  for (size_t i = 0; i < std::min(base.size(), head.size()); ++i) {
    if (base[i] > 0 && head[i] > 0) logs.push_back(std::log(head[i] / base[i]));
  }
  if (logs.size() < kMinBatches) return std::nullopt;
  return MedianOf(std::move(logs));
}

// Returns a line that says why a run failed: its exit status and the last line of its log.
std::string FailureText(const std::string& log, int status) {
  const std::string last = log.empty() ? "" : LastLine(log);
  return "status " + std::to_string(status) + (last.empty() ? "" : ": " + last);
}

}  // namespace

// Returns the clock by which the benchmark is compared.
//
// A benchmark that computes is compared by CPU time, which is less affected by other programs. A
// benchmark that waits, or uses several threads, is compared by wall time. In both cases CPU time
// and wall time may differ: if other programs displace a benchmark, its CPU time is less than its
// wall time, too. But then it does not give up its processor by itself, as one that waits does.
PerTestJob::Clock PerTestJob::Bench::ClockToCompare() const {
  constexpr double kLeastBusy = 0.95, kMostBusy = 1.05, kMostWaits = 1;
  for (const auto side : {&Round::base, &Round::head}) {
    std::vector<double> busy, waits;
    for (const Round& round : rounds) {
      const BenchmarkTimes& times = round.*side;
      busy.push_back(times.wall_ns > 0 ? times.cpu_ns / times.wall_ns : 0);
      if (times.waits) waits.push_back(*times.waits);
    }
    const double usual = MedianOf(busy);
    const bool is_displaced = !waits.empty() && MedianOf(waits) <= kMostWaits && usual > 0;
    if (usual > kMostBusy || (usual < kLeastBusy && !is_displaced)) {
      return &BenchmarkTimes::wall_ns;
    }
  }
  return &BenchmarkTimes::cpu_ns;
}

double PerTestJob::Round::Log(Clock clock) const {
  const bool is_cpu = clock == &BenchmarkTimes::cpu_ns;
  const auto batches = is_cpu ? &BenchmarkTimes::cpu : &BenchmarkTimes::wall;
  const std::optional<double> in_turns =
      took_turns ? LogOfBatches(base.*batches, head.*batches) : std::nullopt;
  return in_turns.value_or(LogOf(base.*clock, head.*clock));
}

std::vector<double> PerTestJob::Bench::Logs(Which which, Clock clock) const {
  const size_t begin = which == Which::kFresh ? rounds.size() - fresh() : 0;
  std::vector<double> logs;
  for (size_t i = begin; i < rounds.size(); ++i) logs.push_back(rounds[i].Log(clock));
  return logs;
}

compare::Estimate PerTestJob::Bench::EstimateOf(Which which, const compare::Prior& prior) const {
  return compare::EstimateOfRounds(Logs(which, ClockToCompare()), prior);
}

PerTestJob::PerTestJob(const CiRun& run, std::unique_ptr<Harness> harness, const JobFolder& folder,
                       StopSignals& signals, const Orphans& orphans)
    : run_(run),
      harness_(std::move(harness)),
      folder_(folder),
      signals_(signals),
      orphans_(orphans),
      settings_(SettingsOf(run)) {}

double PerTestJob::Elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool PerTestJob::HasRoom(double seconds) const {
  return run_.time_limit_s <= 0 || Elapsed() + seconds <= run_.time_limit_s;
}

std::vector<std::string> PerTestJob::CommandOfSide(bool head,
                                                   const std::vector<std::string>& words) const {
  if (harness_->IsOfCommands()) return words;
  CiRun with = run_;
  with.words.insert(with.words.end(), words.begin(), words.end());
  return CommandOf(with, head ? with.head : with.base);
}

// Returns environment variables that are equal within a round and differ between rounds. The hash
// seed changes the order of Python's sets, and the length of GPROFX_PAD moves the stack. Both
// affect times.
std::vector<std::string> PerTestJob::EnvironmentOf(const Bench& bench) const {
  const size_t round = bench.rounds.size() + 1;
  std::vector<std::string> environment = {"GPROFX_PAD=" + std::string(round * 48 % kMaxPad, 'x')};
  if (getenv("PYTHONHASHSEED") == nullptr) {
    environment.push_back("PYTHONHASHSEED=" + std::to_string(round));
  }
  return environment;
}

// Makes the command of a side list its benchmarks.
Result<CiRecordingEnd> PerTestJob::RunList(bool head, const std::string& stem) {
  if (harness_->IsOfCommands()) return CiRecordingEnd{};
  const CiSide& side = head ? run_.head : run_.base;
  const CiRecording listing{
      CommandOfSide(head, harness_->ListWords(stem)), {}, side.folder, "", stem + ".log", {}};
  return RecordOnce(listing, signals_, orphans_);
}

PerTestJob::Done PerTestJob::List(bool head, std::vector<std::string>& names) {
  const std::string name = "tests/0000/" + SideWord(head) + "/01";
  const Result<std::string> stem = folder_.PathOf(name);
  if (!stem) return stem.error();
  const Result<CiRecordingEnd> end = RunList(head, *stem);
  if (!end) return end.error();
  if (end->stopped) return false;
  Result<std::vector<std::string>> list = harness_->ReadList(*stem);
  if (!list && harness_->IsOfCommands()) return list.error();
  if (!list || (end->status != 0 && harness_->ListsWithStatusZero())) {
    const std::string last = LastLine(*stem + ".log");
    return Error{ErrorId::kRunFailed,
                 "the " + SideWord(head) + " does not list its benchmarks" +
                     (last.empty() ? "" : ": " + FitEnd(Printable(last), 80)),
                 "its output is in " + run_.output + "/" + name + ".log"};
  }
  names = std::move(*list);
  if (names.size() <= kMaxBenchmarks) return true;
  return Error{
      ErrorId::kTooLarge,
      "the " + SideWord(head) + " has more than " + std::to_string(kMaxBenchmarks) + " benchmarks",
      "select some, for example with -k of pytest"};
}

void PerTestJob::Show(const Bench& bench, const std::string& what) const {
  ProgressLine(run_.show_output ? -1 : STDERR_FILENO)
      .Show("gprof-x ci: " + FitMiddle(Printable(bench.name), 50) + ", " + what);
}

Result<PerTestJob::SideRun> PerTestJob::Prepare(const Bench& bench, bool head, bool recorded,
                                                const TurnFiles& turns) const {
  const Result<std::string> stem = folder_.PathOf(StemOf(bench, head, recorded));
  if (!stem) return stem.error();
  const Result<std::vector<std::string>> words =
      harness_->RunWords(bench.name, *stem, bench.work, turns);
  if (!words) return words.error();
  const CiSide& side = head ? run_.head : run_.base;
  return SideRun{head,
                 *stem,
                 {CommandOfSide(head, *words), run_.record_options, side.folder,
                  recorded ? *stem + ".gprofx" : "", run_.show_output ? "" : *stem + ".log",
                  EnvironmentOf(bench)}};
}

// Returns the stem of a run (harness.h). A run that is not recorded has the number 00.
std::string PerTestJob::StemOf(const Bench& bench, bool head, bool recorded) const {
  return bench.folder + "/" + SideWord(head) + "/" +
         (recorded ? RunName(bench.rounds.size(), kMaxAttempts * settings_.max_rounds) : "00");
}

void PerTestJob::ReadTimes(const SideRun& side, int status, BenchmarkTimes& times) const {
  const bool recorded = !side.recording.profile.empty();
  const bool failed = status != 0 && !run_.ignore_failures;
  // If a command failed or has no profile, there are no times to read.
  if (harness_->IsOfCommands() && (failed || !recorded)) {
    if (failed) times.problem = FailureText(side.recording.log, status);
    return;
  }
  Result<BenchmarkTimes> read = harness_->ReadTimes(side.stem);
  if (read) {
    times = std::move(*read);
  } else {
    times.problem = FailureText(side.recording.log, status);
  }
}

PerTestJob::Done PerTestJob::RunSides(std::vector<SideRun>& sides, bool together, Round& round) {
  const double begin = Elapsed();
  std::vector<CiRecording> recordings;
  for (SideRun& side : sides) recordings.push_back(side.recording);
  const std::span<const CiRecording> all = recordings;
  for (size_t i = 0; i < sides.size(); i += together ? sides.size() : 1) {
    const Result<std::vector<CiRecordingEnd>> ends =
        RecordTogether(together ? all : all.subspan(i, 1), signals_, orphans_);
    if (!ends) return ends.error();
    for (size_t j = 0; j < ends->size(); ++j) {
      const CiRecordingEnd& end = (*ends)[j];
      result_.left_running += end.left_running;
      if (end.stopped) return false;
      const SideRun& side = sides[i + j];
      ReadTimes(side, end.status, side.head ? round.head : round.base);
    }
  }
  result_.run_seconds += Elapsed() - begin;
  return true;
}

// Checks whether both sides of a round have times. If a side did not run, sets the verdict of the
// benchmark and returns false.
bool PerTestJob::CheckRound(const Round& round, const std::string& where, Bench& bench) const {
  for (const bool head : {false, true}) {
    const BenchmarkTimes& times = head ? round.head : round.base;
    if (times.problem.empty()) continue;
    bench.verdict = times.skipped ? BenchmarkVerdict::kSkipped : BenchmarkVerdict::kFailed;
    bench.note = where + SideWord(head) + ": " + times.problem;
    return false;
  }
  return true;
}

// Runs both sides once without recording them. That brings files into caches, and the run of the
// base chooses the amount of work.
PerTestJob::Done PerTestJob::WarmUp(Bench& bench) {
  Show(bench, "warm-up");
  Round round;
  for (const bool head : {false, true}) {
    Result<SideRun> side = Prepare(bench, head, false, {});
    if (!side) return side.error();
    std::vector<SideRun> one = {std::move(*side)};
    const Done done = RunSides(one, false, round);
    if (!done || !*done) return done;
    bench.work = round.base.work;
    if (!CheckRound(round, "in the ", bench)) break;
  }
  return true;
}

// Creates the FIFOs by which two runs alternate. Returns false if the harness or the file system
// does not support that.
bool PerTestJob::MakeTurns(const Bench& bench, TurnFiles (&turns)[2]) const {
  if (!harness_->TakesTurns()) return false;
  std::string paths[2];
  for (const bool head : {false, true}) {
    const Result<std::string> stem = folder_.PathOf(StemOf(bench, head, true));
    if (!stem) return false;
    paths[head] = *stem + ".turn";
    if (mkfifo(paths[head].c_str(), 0600) != 0) return false;
  }
  const bool head_first = HeadIsFirst(bench.rounds.size());
  turns[0] = {paths[0], paths[1], !head_first};
  turns[1] = {paths[1], paths[0], head_first};
  return true;
}

PerTestJob::Done PerTestJob::MakeRound(Bench& bench) {
  const size_t number = bench.rounds.size();
  Show(bench, (bench.IsSuspect() ? "fresh round " : "round ") + std::to_string(number + 1));
  const double begin = Elapsed();
  Round round;
  TurnFiles turns[2];
  round.took_turns = MakeTurns(bench, turns);
  std::vector<SideRun> sides;
  for (const bool second : {false, true}) {
    const bool head = second != HeadIsFirst(number);
    Result<SideRun> side = Prepare(bench, head, true, turns[head]);
    if (!side) return side.error();
    sides.push_back(std::move(*side));
  }
  const Done done = RunSides(sides, round.took_turns, round);
  for (const TurnFiles& files : turns) unlink(files.own.c_str());
  if (!done || !*done) return done;
  if (!CheckRound(round, "round " + std::to_string(number + 1) + " of the ", bench)) return true;
  bench.longest = std::max(bench.longest, Elapsed() - begin);
  bench.rounds.push_back(std::move(round));
  return true;
}

PerTestJob::Done PerTestJob::FirstRounds() {
  for (size_t number = 0; number < settings_.min_rounds; ++number) {
    for (Bench& bench : benches_) {
      if (bench.IsOut()) continue;
      if (number > 0 && !HasRoom(bench.longest)) {
        result_.time_spent = true;
        continue;
      }
      const Done done = MakeRound(bench);
      if (!done || !*done) return done;
    }
  }
  return true;
}

void PerTestJob::SetStates() {
  std::vector<std::vector<double>> rounds;
  for (const Bench& bench : benches_) {
    rounds.push_back(bench.Logs(Bench::Which::kAll, bench.ClockToCompare()));
  }
  prior_ = compare::NoiseOfRounds(rounds, settings_.min_rounds);
  for (Bench& bench : benches_) {
    if (bench.IsOut()) continue;
    const std::vector<double> logs = bench.Logs(Bench::Which::kAll, bench.ClockToCompare());
    compare::Advance(logs, prior_, settings_, bench.trial);
  }
}

// Returns the benchmark to run next, or nullptr if all are decided.
//
// Suspects come first, and among them the one that is nearest to its decision. If a time limit ends
// the job, few suspects are then unconfirmed. After them comes the undecided benchmark with the
// largest error.
PerTestJob::Bench* PerTestJob::Next() {
  Bench* next = nullptr;
  double most = 0;
  for (Bench& bench : benches_) {
    if (bench.IsOut() || bench.rounds.empty() || bench.trial.done) continue;
    if (!HasRoom(bench.longest)) {
      result_.time_spent = true;
      continue;
    }
    const auto missing = static_cast<double>(bench.trial.first + bench.trial.fresh_wanted) -
                         static_cast<double>(bench.rounds.size());
    const double need = bench.IsSuspect()
                            ? kFirstOfAll - missing
                            : kLeastNeed + bench.EstimateOf(Bench::Which::kAll, prior_).error;
    if (need <= most) continue;
    most = need;
    next = &bench;
  }
  return next;
}

PerTestJob::Done PerTestJob::MoreRounds() {
  SetStates();
  for (Bench* next = Next(); next != nullptr; next = Next()) {
    const Done done = MakeRound(*next);
    if (!done || !*done) return done;
    SetStates();
  }
  return true;
}

std::vector<std::string> PerTestJob::ProfilesOf(const Bench& bench, bool head) const {
  std::vector<std::string> files;
  for (size_t i = 0; i < bench.rounds.size(); ++i) {
    files.push_back(run_.output + "/" + bench.folder + "/" + SideWord(head) + "/" +
                    RunName(i, kMaxAttempts * settings_.max_rounds) + ".gprofx");
  }
  return files;
}

// Sets the numbers in the result of a benchmark that was run.
void PerTestJob::Measure(const Bench& bench, BenchmarkResult& out) const {
  using Which = Bench::Which;
  const compare::Settings& settings = run_.diff.options.settings;
  const bool alone = bench.fresh() >= 2;
  out.clock = bench.ClockToCompare() == &BenchmarkTimes::cpu_ns ? "cpu" : "wall";
  out.estimate = bench.EstimateOf(alone ? Which::kFresh : Which::kAll, prior_);
  out.interval = compare::ConfidenceInterval(out.estimate, settings.confidence);
  out.detectable = compare::Detectable(out.estimate.error, out.estimate.df, settings_.least_effect,
                                       settings_.suspicion, settings.power);
  const auto middle = [&](BenchmarkTimes Round::*side, Clock clock) {
    std::vector<double> values;
    for (const Round& round : bench.rounds) values.push_back(round.*side.*clock);
    return MedianOf(values);
  };
  out.base_ns = middle(&Round::base, bench.ClockToCompare());
  out.head_ns = middle(&Round::head, bench.ClockToCompare());
  out.base_cpu_ns = middle(&Round::base, &BenchmarkTimes::cpu_ns);
  out.head_cpu_ns = middle(&Round::head, &BenchmarkTimes::cpu_ns);
  const compare::Estimate of_cpu =
      compare::EstimateOfRounds(bench.Logs(Which::kAll, &BenchmarkTimes::cpu_ns), {});
  out.cpu_effect = of_cpu.effect;
  out.cpu_interval = compare::ConfidenceInterval(of_cpu, settings.confidence);
}

void PerTestJob::JudgeOne(const Bench& bench, bool is_confirmed, BenchmarkResult& out) const {
  if (bench.IsOut()) return;
  const compare::Estimate all = bench.EstimateOf(Bench::Which::kAll, prior_);
  const std::string word = all.effect > 0 ? "slower" : "faster";
  const auto is_same = [&](const compare::Estimate& estimate) {
    return compare::StateOfRounds(estimate, settings_) == RoundState::kSame;
  };
  if (is_confirmed) {
    out.verdict = out.estimate.effect > 0 ? BenchmarkVerdict::kSlower : BenchmarkVerdict::kFaster;
  } else if (bench.trial.state == RoundState::kSame ||
             (bench.IsComplete() && (is_same(all) || is_same(out.estimate)))) {
    out.verdict = BenchmarkVerdict::kSame;
  } else if (bench.IsComplete()) {
    out.note = "it looked " + word + ", but fresh rounds did not confirm it";
  } else if (bench.IsSuspect()) {
    out.note = "it looks " + word + ", but --time-limit left no time to confirm it";
  }
}

// Returns the suspects that are confirmed by their fresh rounds.
std::set<const PerTestJob::Bench*> PerTestJob::ConfirmedSuspects() const {
  std::vector<double> p;
  std::vector<const Bench*> suspects;
  for (const Bench& bench : benches_) {
    if (!bench.IsComplete() || bench.IsOut()) continue;
    suspects.push_back(&bench);
    p.push_back(bench.trial.p);
  }
  const std::vector<bool> confirmed = compare::Confirmed(p, settings_.job_alpha);
  std::set<const Bench*> found;
  for (size_t i = 0; i < suspects.size(); ++i) {
    // Over both attempts together, the fresh rounds must also agree.
    const compare::Estimate fresh = suspects[i]->EstimateOf(Bench::Which::kFresh, prior_);
    const bool agree = compare::StateOfRounds(fresh, settings_) == RoundState::kSuspect;
    if (confirmed[i] && agree) found.insert(suspects[i]);
  }
  return found;
}

void PerTestJob::Judge() {
  const std::set<const Bench*> confirmed = ConfirmedSuspects();
  for (const Bench& bench : benches_) {
    BenchmarkResult& out = result_.benchmarks.emplace_back();
    out.name = bench.name;
    out.verdict = bench.verdict;
    out.note = bench.note;
    out.rounds = bench.rounds.size();
    out.fresh_rounds = bench.fresh();
    out.calls = bench.work.calls;
    out.base = ProfilesOf(bench, false);
    out.head = ProfilesOf(bench, true);
    if (bench.rounds.empty()) continue;
    Measure(bench, out);
    JudgeOne(bench, confirmed.contains(&bench), out);
  }
}

// Compares the recordings of a benchmark to find out what changed. For counts alone, two rounds are
// enough.
Status PerTestJob::Explain(const Bench& bench, BenchmarkResult& out) {
  const bool changed =
      out.verdict == BenchmarkVerdict::kSlower || out.verdict == BenchmarkVerdict::kFaster;
  const size_t rounds = changed ? out.base.size() : std::min(out.base.size(), kRoundsForCounts);
  if (rounds == 0) return Ok();
  const auto read = [&](const std::vector<std::string>& files) {
    const auto end = files.begin() + static_cast<ptrdiff_t>(rounds);
    return ReadRuns({files.begin(), end}, run_.diff.code);
  };
  Result<std::vector<compare::Run>> base = read(out.base), head = read(out.head);
  if (!base) return base.error();
  if (!head) return head.error();
  std::vector<double> base_ns, head_ns;
  for (size_t i = 0; i < rounds; ++i) {
    base_ns.push_back(TimeOfClock(bench.rounds[i].base, (*base)[i].metric));
    head_ns.push_back(TimeOfClock(bench.rounds[i].head, (*head)[i].metric));
  }
  const BlameInput input{*base,           *head, base_ns, head_ns, harness_->MarksBatches(),
                         bench.work.calls};
  ExplainChange(input, run_.diff.options.settings, changed, out);
  // Comparisons are large, so keep only those that the page shows.
  if (run_.diff.options.outputs.html.empty() || diffs_ == kMaxDiffs) out.diff.reset();
  diffs_ += out.diff ? 1 : 0;
  return Ok();
}

Result<PerTestResult> PerTestJob::Run() {
  std::vector<std::string> base, head;
  for (const bool of_head : {false, true}) {
    const Done listed = List(of_head, of_head ? head : base);
    if (!listed) return listed.error();
    if (!*listed) {
      result_.stopped = true;
      return std::move(result_);
    }
  }
  result_.harness = harness_->name();
  const std::set<std::string> in_base(base.begin(), base.end()), in_head(head.begin(), head.end());
  for (const std::string& name : base) {
    if (!in_head.contains(name)) result_.only_base.push_back(name);
  }
  for (const std::string& name : head) {
    if (!in_base.contains(name)) {
      result_.only_head.push_back(name);
      continue;
    }
    Bench& bench = benches_.emplace_back();
    bench.name = name;
    std::string number = RunName(benches_.size() - 1, 9999);
    bench.folder = "tests/" + number;
  }
  if (benches_.empty()) {
    return Error{ErrorId::kTooFewRuns, "base and head have no benchmark in common",
                 "'" + run_.output + "/tests/0000' contains the lists"};
  }
  Done done = true;
  for (Bench& bench : benches_) {
    if (done && *done) done = WarmUp(bench);
  }
  if (done && *done) done = FirstRounds();
  if (done && *done) done = MoreRounds();
  if (!done) return done.error();
  result_.stopped = !*done || signals_.Stopped();
  if (result_.stopped) return std::move(result_);
  Judge();
  // The most important ones come first, because only some comparisons are kept.
  for (const BenchmarkResult* one : BySeverity(result_)) {
    const auto i = static_cast<size_t>(one - result_.benchmarks.data());
    if (const Status told = Explain(benches_[i], result_.benchmarks[i]); !told) return told.error();
  }
  result_.seconds = Elapsed();
  return std::move(result_);
}

}  // namespace gprofx
