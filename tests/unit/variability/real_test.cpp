// A recording of a real job, its steps in another order each time: nothing differs then, but what
// chance and the noise of a real machine make. Read where GPROFX_SHARED has it.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "formats/variability/files.h"
#include "synthetic.h"

using namespace gprofx;
using namespace gprofx::variability;

TEST_CASE("steps of a real job in any order are all alike") {
  const char* shared = getenv("GPROFX_SHARED");
  const std::string path =
      std::string(shared == nullptr ? "" : shared) + "/profiles/gpt2_train_h100.gprofx";
  if (shared == nullptr || !std::filesystem::exists(path)) {
    WARN("skipped: no profiles in GPROFX_SHARED");
    return;
  }
  Result<std::unique_ptr<EventFile>> file = OpenEventFile(path);
  REQUIRE(file);
  Recording recording;
  REQUIRE((*file)->ReadPart(0, 1, [&](const BlockId&, std::span<const Event> events) {
    recording.events.insert(recording.events.end(), events.begin(), events.end());
  }));
  recording.groups.assign((*file)->groups().begin(), (*file)->groups().end());
  recording.lanes.assign((*file)->lanes().begin(), (*file)->lanes().end());
  REQUIRE((*file)->facts().processes.size() == 1);
  const ProcessSteps& steps = (*file)->facts().processes[0];
  REQUIRE(steps.steps.size() > 40);
  std::vector<std::vector<Event>> by_step(steps.steps.size());
  for (const Event& event : recording.events) {
    const int64_t step = StepAt(steps.steps, event.start);
    if (step >= int64_t{steps.warm_up}) by_step[static_cast<size_t>(step)].push_back(event);
  }
  std::mt19937_64 random(1);
  int with_findings = 0;
  for (int run = 0; run < 100; ++run) {
    std::vector<size_t> order;
    for (size_t i = steps.warm_up; i < by_step.size(); ++i) order.push_back(i);
    std::shuffle(order.begin(), order.end(), random);
    Recording shuffled = recording;
    shuffled.events.clear();
    ProcessSteps moved{steps.process, 0, {}};
    int64_t now = 0;
    for (const size_t step : order) {
      const int64_t begin = steps.steps[step].begin;
      for (Event event : by_step[step]) {
        event.start += now - begin;
        shuffled.events.push_back(event);
      }
      moved.steps.push_back({now, now + steps.steps[step].end - begin});
      now = moved.steps.back().end;
    }
    shuffled.facts.processes = {moved};
    const Model model = ModelOf({{"a", shuffled}}, {Axis::kTime, 10});
    with_findings += model.findings.empty() ? 0 : 1;
  }
  std::cout << "findings in " << with_findings << " of 100 orders of the same steps\n";
  CHECK(with_findings <= 5);
}
