// Formats the events of a recording (samplers/recorder/events.h) as sentences for the terminal.
//
// Each sentence must be clear on its own, such as "...; the program continues", because the user
// sees nothing else of the recording. One thread.
#pragma once

#include <string>

#include "cli/record/lines.h"
#include "samplers/recorder/events.h"

namespace gprofx::record {

// Returns the text of a problem that is stored in the profile. The terminal shows the same text,
// except for a recorder::problem::LeftBehind.
std::string Sentence(const recorder::Problem& problem);

// Returns a line such as "recorder: launch 12.1 ms, drain 1.25 s, ...".
std::string TimesLine(const recorder::PassTimers& timers);

class Messages : public recorder::Listener {
 public:
  Messages(Lines& lines, bool verbose) : lines_(lines), verbose_(verbose) {}

  void Tell(const recorder::Event& event) override;
  std::string Tell(const recorder::Problem& problem) override;

  // Returns the path of the finished profile if the program used a GPU, otherwise "".
  const std::string& gpu_profile() const { return gpu_profile_; }

 private:
  void TellOne(const recorder::event::CannotStart& e);
  void TellOne(const recorder::event::Failed& e);
  void TellOne(const recorder::event::CannotWrite& e);
  void TellOne(const recorder::event::OtherName& e);
  void TellOne(const recorder::event::ProgramRuns& e);
  void TellOne(const recorder::event::WindowOver& e);
  void TellOne(const recorder::event::Outlived& e);
  void TellOne(const recorder::event::Progress& e);
  void TellOne(const recorder::event::Naming& e);
  void TellOne(const recorder::event::BrokenOff& e);
  void TellOne(const recorder::event::Finished& e);
  void TellOne(const recorder::event::Attached& e);
  void TellOne(const recorder::event::Detached& e);
  void TellOne(const recorder::event::KeepsLast& e);
  void TellOne(const recorder::event::Written& e);
  void TellOne(const recorder::event::NotWritten& e);

  Lines& lines_;
  bool verbose_;
  std::string gpu_profile_;
};

}  // namespace gprofx::record
