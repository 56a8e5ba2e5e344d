#include "cli/top/watcher.h"

#include <unistd.h>

#include <utility>

#include "samplers/collector/session.h"

namespace gprofx {
namespace {

constexpr HostNs kFirst = 500'000'000;          // length of the first interval on a screen
constexpr HostNs kNamesWithin = 5'000'000'000;  // maximum time for which --once waits for names
// Fraction of the time for the search for steps: at most 1/kStepsShare.
constexpr HostNs kStepsShare = 300;

int64_t LostNs(const Profile& profile) {
  int64_t sum = 0;
  for (const Thread& thread : profile.threads) sum += thread.lost_ns;
  return sum;
}

}  // namespace

TopWatcher::TopWatcher(const TopOptions& options, TopFace& face, const ProgramOutput& output,
                       SymbolizeOptions symbolize)
    : options_(options),
      face_(face),
      output_(output),
      lookup_(std::move(symbolize)),
      next_(face.is_live() ? std::min(kFirst, options.interval) : options.interval) {
  snapshot_.wall_clock = options.record.plan.wall_clock;
}

void TopWatcher::Take(std::span<const SampleRow> rows) {
  if ((is_pending_ && options_.once) || is_over_) return;
  rows_.insert(rows_.end(), rows.begin(), rows.end());
}

void TopWatcher::Take(const Profile& raw, const EventTable& rows) {
  if ((is_pending_ && options_.once) || is_over_) return;
  gpu_.Take(raw, rows);
  steps_.Take(raw, rows);
}

void TopWatcher::Poll(pollfd (&waiting)[2]) const {
  waiting[0].fd = face_.input();
  waiting[1].fd = lookup_.fd();
}

bool TopWatcher::Begin(const recorder::LiveState& state) {
  has_begun_ = true;
  if (const Status begun = face_.Begin(); !begun) {
    failure_ = begun.error();
    return false;
  }
  begin_ = state.now;
  next_ += state.now;
  snapshot_.command = "";
  if (const auto command = state.raw.meta.find("command"); command != state.raw.meta.end()) {
    snapshot_.command = command->second;
  }
  snapshot_.pid = state.pid;
  if (face_.is_live()) {
    face_.screen.message = "the first table appears in a moment";
    face_.Show(snapshot_);
  }
  return true;
}

bool TopWatcher::TakeNames(const recorder::LiveState& state) {
  bool any = lookup_.Take(state.raw, keys_);
  for (const auto& [module, names] : state.jit_names) {
    size_t& known = jit_sizes_[module];
    if (known == names.size()) continue;
    known = names.size();
    keys_.AddNames(state.raw, ModuleId{module}, names);
    any = true;
  }
  return any;
}

void TopWatcher::FindSteps(const recorder::LiveState& state) {
  if (steps_.empty() || state.now < next_steps_) return;
  const HostNs began = MonotonicNs();
  snapshot_.steps = steps_.Find(state.raw, state.now);
  next_steps_ = state.now + (MonotonicNs() - began) * kStepsShare;
}

void TopWatcher::Close(const recorder::LiveState& state) {
  const std::vector<SampleRow> rows = std::exchange(rows_, {});
  gpu_.Take(state.raw, state.gpu, rows);
  cpu_.Take(state.raw, rows);
  cpu_.Close(state.raw, keys_);
  snapshot_.now_ns = state.now;
  snapshot_.interval_ns = state.now - std::exchange(begin_, state.now);
  snapshot_.runs = state.runs;
  snapshot_.focus = face_.screen.focus;
  gpu_.Finish(state.raw, state.now, snapshot_);
  FindSteps(state);
  const int64_t lost = LostNs(state.raw);
  snapshot_.lost_ns = lost - std::exchange(lost_ns_, lost);
  next_ = state.now + options_.interval;
}

void TopWatcher::Build(const recorder::LiveState& state) {
  snapshot_.focus = face_.screen.focus;
  const std::vector<FrameId> unnamed = cpu_.Build(state.raw, keys_, snapshot_);
  if (state.runs && state.may_fork) {
    recorder::FileReaders readers;
    if (state.users != nullptr) readers = recorder::FileReaders(state.raw, *state.users, geteuid());
    lookup_.Ask(state.raw, unnamed, readers, state.now);
  }
}

void TopWatcher::Show(const recorder::LiveState& state) {
  Build(state);
  is_pending_ = false;
  if (intervals_++ == 0) face_.screen.message.clear();
  face_.Show(snapshot_);
}

recorder::WatcherWish TopWatcher::WishOf(const recorder::LiveState& state) {
  TopScreen& screen = face_.screen;
  recorder::WatcherWish wish;
  if (std::exchange(screen.wants_dump, false)) {
    wish.dump = options_.record.output;
    screen.message = "writing " + wish.dump;
    face_.Show(snapshot_);
  }
  if (screen.quits > quits_done_) {
    quits_done_ = screen.quits;
    wish.end = true;
    wish.kill = screen.quits > 1;
    if (options_.record.pid == 0 && state.runs && face_.is_live()) {
      screen.message = "waiting for the program, which was interrupted; q again kills it";
      face_.Show(snapshot_);
    }
  }
  return wish;
}

// Ends the display. `state` is the last state of the recording.
void TopWatcher::End(const recorder::LiveState& state) {
  is_over_ = true;
  if (!face_.is_live()) {
    if (is_pending_) Show(state);
    if (!options_.once || intervals_ == 0) {
      Close(state);
      Show(state);
    }
  }
  face_.End();
}

recorder::WatcherWish TopWatcher::Look(const recorder::LiveState& state) {
  if (!has_begun_ && !Begin(state)) return {.end = true};
  if (failure_ || is_over_) return {};
  output_.Trim();
  const bool has_names = TakeNames(state);
  const std::string focus = face_.screen.focus;
  face_.Keys();
  if (!state.runs) {
    End(state);
    return {};
  }
  const bool is_due = state.now >= next_;
  if (is_pending_ && (has_names || is_due)) {
    Show(state);
  } else if (face_.is_live() && intervals_ > 0 && (has_names || focus != face_.screen.focus)) {
    Build(state);
    face_.Show(snapshot_);
  }
  const bool is_enough = options_.once && intervals_ > 0;
  if (is_due && !is_enough && !is_pending_) {
    Close(state);
    Build(state);
    // Text and JSON cannot be changed after they are printed. If a lookup of names is running, show
    // the interval only when it has ended.
    is_pending_ = !face_.is_live() && lookup_.fd() >= 0;
    if (!is_pending_) Show(state);
    if (is_pending_ && options_.once) next_ = state.now + kNamesWithin;
  }
  recorder::WatcherWish wish = WishOf(state);
  if (options_.once && intervals_ > 0) {
    is_over_ = true;
    wish.end = true;
  }
  return wish;
}

void TopWatcher::Dumped(const Result<std::string>& outcome) {
  face_.screen.message = outcome ? "wrote " + *outcome + "; to read it: gprof-x report " + *outcome
                                 : "no profile: " + outcome.error().TextWithId();
  if (face_.is_live()) face_.Show(snapshot_);
}

}  // namespace gprofx
