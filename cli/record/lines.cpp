#include "cli/record/lines.h"

#include <utility>

namespace gprofx::record {
namespace {

constexpr size_t kMaxKept = 100;
constexpr int64_t kProgressEvery = 10'000'000'000;

}  // namespace

Lines::Lines(Verbosity verbosity, bool is_terminal, Print print)
    : verbosity_(verbosity), is_terminal_(is_terminal), print_(std::move(print)) {}

void Lines::Say(const std::string& line) { Put("gprof-x: " + line); }

void Lines::Tell(const std::string& line) {
  if (verbosity_ != Verbosity::kQuiet) Say(line);
}

void Lines::Progress(const std::string& line, int64_t now) {
  if (verbosity_ != Verbosity::kVerbose || (runs_ && is_terminal_)) return;
  if (runs_ && now < next_progress_) return;
  next_progress_ = now + kProgressEvery;
  Say(line);
}

void Lines::ProgramRuns(bool runs) {
  runs_ = runs;
  if (runs) return;
  for (const std::string& line : kept_) print_(line);
  kept_.clear();
  if (left_out_ == 0) return;
  print_("gprof-x: ... and " + std::to_string(std::exchange(left_out_, 0)) + " lines more");
}

void Lines::Put(const std::string& line) {
  if (!runs_ || !is_terminal_) {
    print_(line);
  } else if (kept_.size() < kMaxKept) {
    kept_.push_back(line);
  } else {
    ++left_out_;
  }
}

}  // namespace gprofx::record
