#include "cli/ci/job.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/ci/recording.h"
#include "cli/diff/sides.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/text.h"
#include "core/compare/rules/rule_check.h"
#include "core/compare/statistics/confirm.h"
#include "core/compare/statistics/warm_up.h"

namespace gprofx {
namespace {

constexpr size_t kMinPairs = 2;  // fewer pairs are no evidence about times
constexpr int kRecorderFailed = 125;

Error FailureOf(const std::string& what, int status, const std::string& log) {
  std::string text = "the " + what + " failed with status " + std::to_string(status);
  if (log.empty()) return {ErrorId::kRunFailed, text, "add --ignore-failures to continue"};
  const std::string last = LastLine(log);
  if (!last.empty()) text += ": " + FitEnd(Printable(last), 80);
  return {ErrorId::kRunFailed, text,
          "its output is in " + log + "; add --ignore-failures to continue"};
}

std::vector<double> Totals(const std::vector<compare::Run>& runs) {
  std::vector<double> totals;
  for (const compare::Run& run : runs) totals.push_back(run.total_ns);
  return totals;
}

template <class T>
void DropFirst(std::vector<T>& list, size_t count) {
  list.erase(list.begin(), list.begin() + static_cast<ptrdiff_t>(std::min(count, list.size())));
}

template <class T>
void Append(const std::vector<T>& more, std::vector<T>& list) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

CiJob::CiJob(const CiRun& run, const compare::RuleSet& rules, const JobFolder& folder,
             std::vector<std::string> baseline, StopSignals& signals, const Orphans& orphans)
    : run_(run),
      rules_(rules),
      folder_(folder),
      baseline_(std::move(baseline)),
      signals_(signals),
      orphans_(orphans) {}

double CiJob::Elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool CiJob::HasRoom() const {
  return run_.time_limit_s <= 0 || Elapsed() + longest_pair_ <= run_.time_limit_s;
}

CiJob::Done CiJob::RecordSide(const std::string& part, bool head, size_t index, size_t count) {
  const std::string what = head ? "head" : "base";
  const std::string name = part + what + "/" + RunName(index, count);
  const Result<std::string> path = folder_.PathOf(name);
  if (!path) return path.error();
  const CiSide& side = head ? run_.head : run_.base;
  CiRecording recording{CommandOf(run_, side), run_.record_options, side.folder, *path + ".gprofx",
                        run_.show_output ? "" : *path + ".log"};
  const Result<CiRecordingEnd> end = RecordOnce(recording, signals_, orphans_);
  if (!end) return end.error();
  result_.left_running += end->left_running;
  if (end->stopped) return false;
  const bool written = access(recording.profile.c_str(), R_OK) == 0;
  if (end->status != 0 && (!run_.ignore_failures || !written)) {
    const std::string log = run_.show_output ? "" : run_.output + "/" + name + ".log";
    const std::string who = end->status == kRecorderFailed ? "recording of the " + what : what;
    return FailureOf(who + " in " + (part.empty() ? "" : part.substr(0, part.size() - 1) + " ") +
                         "run " + std::to_string(index + 1) + " of " + std::to_string(count),
                     end->status, log);
  }
  if (!written) {
    return Error{ErrorId::kCannotWrite, "run " + name + " wrote no profile",
                 "check that the disk is not full"};
  }
  return true;
}

CiJob::Done CiJob::RecordPairs(const std::string& part, size_t from, size_t to, size_t least,
                               Pairs& pairs) {
  ProgressLine progress(run_.show_output ? -1 : STDERR_FILENO);
  for (size_t pair = from; pair < to; ++pair) {
    if (pair >= least && !HasRoom()) {
      result_.time_spent = true;
      return true;
    }
    const double begin = Elapsed();
    for (const bool second : {false, true}) {
      const bool head = second != HeadIsFirst(pair);
      if (!head && !RecordsBase()) continue;
      progress.Show("gprof-x ci: " + part + (RecordsBase() ? "pair " : "run ") +
                    std::to_string(pair + 1) + " of " + std::to_string(to) +
                    (head ? ", head" : ", base"));
      const Done done = RecordSide(part, head, pair, to);
      if (!done || !*done) return done;
    }
    longest_pair_ = std::max(longest_pair_, Elapsed() - begin);
    const std::string name = "/" + RunName(pair, to) + ".gprofx";
    if (RecordsBase()) pairs.base.push_back(run_.output + "/" + part + "base" + name);
    pairs.head.push_back(run_.output + "/" + part + "head" + name);
  }
  return true;
}

// Reads the recordings in `pairs` that have not been read yet.
Status CiJob::Read(Pairs& pairs) const {
  const auto read = [this](const std::vector<std::string>& files,
                           std::vector<compare::Run>& runs) -> Status {
    const auto behind = static_cast<ptrdiff_t>(runs.size());
    Result<std::vector<compare::Run>> more =
        ReadRuns({files.begin() + behind, files.end()}, run_.diff.code, rules_.AskForFindings());
    if (!more) return more.error();
    for (compare::Run& run : *more) runs.push_back(std::move(run));
    return Ok();
  };
  if (const Status base = read(pairs.base, pairs.base_runs); !base) return base;
  return read(pairs.head, pairs.head_runs);
}

// Finds the first pairs, in which the machine was still warming up. Removes them from `pairs` and
// moves their files to the folder warm-up/.
Status CiJob::DropWarmUp(Pairs& pairs) {
  const std::vector<double> head = Totals(pairs.head_runs);
  const size_t drop = compare::WarmUpPairs(RecordsBase() ? Totals(pairs.base_runs) : head, head);
  for (auto* files : {&pairs.base, &pairs.head}) {
    for (size_t i = 0; i < std::min(drop, files->size()); ++i) {
      const std::string side = files == &pairs.base ? "base" : "head";
      const Result<std::string> to =
          folder_.PathOf("warm-up/" + side + "/" + RunName(run_.warm_up + i, run_.pairs));
      if (!to) return to.error();
      const std::string from = (*files)[i].substr(0, (*files)[i].rfind('.'));
      rename((from + ".log").c_str(), (*to + ".log").c_str());
      if (rename((from + ".gprofx").c_str(), (*to + ".gprofx").c_str()) != 0) {
        return Error{ErrorId::kCannotWrite, "cannot move '" + from + ".gprofx': " + strerror(errno),
                     "check the permissions of the folder"};
      }
    }
    DropFirst(*files, drop);
  }
  DropFirst(pairs.base_runs, drop);
  DropFirst(pairs.head_runs, drop);
  result_.dropped = drop;
  return Ok();
}

template <class T>
std::span<const T> CiJob::PartOf(const std::vector<T>& baseline, Look look) {
  const std::span<const T> all = baseline;
  const size_t half = all.size() / 2;
  if (look == Look::kAll) return all;
  return look == Look::kFirst ? all.first(half) : all.subspan(half);
}

bool CiJob::CanLookTwice() const { return RecordsBase() || baseline_.size() >= 2 * kMinFreshPairs; }

compare::Diff CiJob::Compare(const Pairs& pairs, Look look) const {
  const std::span<const compare::Run> base =
      RecordsBase() ? std::span<const compare::Run>(pairs.base_runs) : PartOf(baseline_runs_, look);
  compare::Diff diff = compare::CompareRuns(base, pairs.head_runs, run_.diff.options.settings);
  // Different commands on the two sides are intended here and are no obstacle.
  std::erase_if(diff.differences,
                [](const compare::Obstacle& one) { return one.what == "command"; });
  return diff;
}

// Compares the pairs. If something looks slower, records fresh pairs and compares again.
CiJob::Done CiJob::Judge(Pairs pairs) {
  const bool twice = run_.fresh_pairs() > 0 && CanLookTwice();
  const Look look = twice ? Look::kFirst : Look::kAll;
  const std::span<const std::string> kept = PartOf(baseline_, look);
  result_.base.assign(kept.begin(), kept.end());
  if (RecordsBase()) result_.base = pairs.base;
  result_.head = pairs.head;
  result_.diff = Compare(pairs, look);
  const compare::Settings& settings = run_.diff.options.settings;
  const bool asks = compare::NeedsConfirmation(result_.diff) ||
                    compare::RulesNeedConfirmation(rules_, settings, result_.diff);
  if (!asks) return true;
  if (!twice) {
    result_.confirmation =
        run_.fresh_pairs() == 0 ? Confirmation::kOff : Confirmation::kFewBaseRuns;
    return true;
  }
  if (run_.time_limit_s > 0 && Elapsed() + kMinFreshPairs * longest_pair_ > run_.time_limit_s) {
    result_.time_spent = true;
    result_.confirmation = Confirmation::kNoTime;
    if (RecordsBase()) return true;
    result_.base = baseline_;  // with a single comparison, the whole baseline is used
    result_.diff = Compare(pairs, Look::kAll);
    return true;
  }
  Pairs fresh;
  const Done recorded = RecordPairs("confirm/", 0, run_.fresh_pairs(), kMinFreshPairs, fresh);
  if (!recorded || !*recorded) return recorded;
  if (const Status read = Read(fresh); !read) return read.error();
  if (!RecordsBase()) {
    const std::span<const std::string> kept_too = PartOf(baseline_, Look::kSecond);
    fresh.base.assign(kept_too.begin(), kept_too.end());
  }
  result_.again = Compare(fresh, Look::kSecond);
  Append(fresh.base_runs, pairs.base_runs);
  Append(fresh.head_runs, pairs.head_runs);
  result_.diff = compare::Confirmed(result_.diff, *result_.again, Compare(pairs, Look::kAll));
  result_.confirmation = result_.diff.verdict == compare::Verdict::kRegression
                             ? Confirmation::kConfirmed
                             : Confirmation::kRefuted;
  Append(fresh.base, result_.base);
  Append(fresh.head, result_.head);
  result_.confirm_base = fresh.base;
  result_.confirm_head = fresh.head;
  return true;
}

Result<CiResult> CiJob::Run() {
  if (!RecordsBase()) {
    Result<std::vector<compare::Run>> runs =
        ReadRuns(baseline_, run_.diff.code, rules_.AskForFindings());
    if (!runs) return runs.error();
    baseline_runs_ = std::move(*runs);
  }
  Pairs warm_up, pairs;
  Done done = RecordPairs("warm-up/", 0, run_.warm_up, run_.warm_up, warm_up);
  longest_pair_ = 0;
  if (done && *done) done = RecordPairs("", 0, run_.pairs, kMinPairs, pairs);
  if (done && *done) {
    if (const Status read = Read(pairs); !read) return read.error();
    if (const Status dropped = DropWarmUp(pairs); !dropped) return dropped.error();
    // Record as many new pairs as were dropped. The remaining pairs keep their numbers.
    done = RecordPairs("", run_.pairs, run_.pairs + result_.dropped, 0, pairs);
  }
  if (done && *done) {
    if (const Status read = Read(pairs); !read) return read.error();
    done = Judge(std::move(pairs));
  }
  if (!done) return done.error();
  result_.stopped = !*done || signals_.Stopped();
  result_.seconds = Elapsed();
  return std::move(result_);
}

}  // namespace gprofx
