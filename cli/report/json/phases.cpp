#include "cli/report/json/phases.h"

#include <utility>

namespace gprofx {
namespace {

Json TrainJson(const Profile& profile, const StepTrain& train) {
  const StepNumbers numbers = NumbersOf(profile, train);
  Json steps = Json::array();
  for (const TimeRange& step : train.steps) steps.push_back({step.begin, step.end});
  return {{"pid", profile.process(train.process).pid},
          {"process", Utf8(profile.Text(profile.process(train.process).name))},
          {"source", StepSourceName(train.source)},
          {"count", numbers.count},
          {"warm_up", numbers.warm_up},
          {"median_ns", numbers.median_ns},
          {"p95_ns", numbers.p95_ns},
          {"mean_ns", numbers.mean_ns},
          {"steps", std::move(steps)}};
}

}  // namespace

Json PhasesJson(const View& view) {
  Json json = Json::array();
  for (const Phase& phase : view.profile.phases.phases) {
    json.push_back({{"kind", PhaseName(phase.kind)},
                    {"begin_ns", phase.range.begin},
                    {"end_ns", phase.range.end},
                    {"length_ns", view.Length(phase.range)}});
  }
  return json;
}

Json StepsJson(const View& view) {
  if (!view.steps) return nullptr;
  Json trains = Json::array();
  for (const StepTrain& train : view.profile.phases.trains) {
    trains.push_back(TrainJson(view.profile, train));
  }
  return {{"count", view.steps->count},
          {"source", StepSourceName(view.profile.phases.trains[0].source)},
          {"warm_up", view.steps->warm_up},
          {"median_ns", view.steps->median_ns},
          {"p95_ns", view.steps->p95_ns},
          {"mean_ns", view.steps->mean_ns},
          {"trains", std::move(trains)}};
}

namespace {

// Returns which part of the GPU work has records. Returns null if all of it has.
Json RecordsJson(const std::optional<RecordsMade>& records) {
  if (!records) return nullptr;
  return {{"launches", records->launches},
          {"traced_launches", records->traced_launches},
          {"traced_ns", records->traced_ns},
          {"counted_ns", records->counted_ns}};
}

}  // namespace

Json PartJson(const View& view) {
  if (!view.profile.part) return nullptr;
  const ShownPart& part = *view.profile.part;
  Json whole = Json::object();
  for (size_t i = 0; i < view.profile.metrics.size(); ++i) {
    whole[Utf8(view.profile.metrics[i].name)] = view.whole[i];
  }
  return {{"phase", part.phase ? Json(PhaseName(*part.phase)) : Json()},
          {"begin_ns", part.range.begin},
          {"end_ns", part.range.end},
          {"length_ns", view.Length(part.range)},
          {"chosen", part.chosen},
          {"first_step", part.steps > 0 ? Json(part.first_step) : Json()},
          {"steps", part.steps},
          {"events_only", part.events_only},
          {"records", RecordsJson(part.records)},
          {"whole", std::move(whole)}};
}

Json TimelineJson(const View& view) {
  const Timeline& timeline = *view.timeline;
  Json rows = Json::array();
  for (const TimelineRow& row : timeline.markers) {
    rows.push_back({{"kind", "marker"},
                    {"name", Utf8(row.name)},
                    {"busy_ns", row.busy_ns},
                    {"percent", row.percent}});
  }
  for (const TimelineRow& row : timeline.rows) {
    Json json = {{"kind", row.is_gpu ? "stream" : "thread"}};
    if (row.is_gpu) {
      json["gpu"] = row.is_known ? Json(row.gpu) : Json();
      json["stream"] = row.is_known ? Json(row.stream) : Json();
    } else {
      json["tid"] = row.is_known ? Json(row.tid) : Json();
      json["name"] = Utf8(row.name);
    }
    json["pid"] = row.pid;
    json["busy_ns"] = row.busy_ns;
    json["percent"] = row.percent;
    rows.push_back(std::move(json));
  }
  return {{"begin_ns", timeline.range.begin},
          {"end_ns", timeline.range.end},
          {"bins", timeline.bins},
          {"rows", std::move(rows)}};
}

Json MarkersJson(const MarkerTable& table) {
  Json rows = Json::array();
  for (size_t i = 0; i < table.shown; ++i) {
    const MarkerSum& row = table.rows[i];
    rows.push_back({{"name", Utf8(row.name)},
                    {"domain", Utf8(row.domain)},
                    {"count", row.count},
                    {"moments", row.moments},
                    {"total_ns", row.total_ns},
                    {"mean_ns", row.mean_ns},
                    {"max_ns", row.largest_ns},
                    {"cpu_ns", row.cpu_ns},
                    {"gpu_ns", row.gpu_ns},
                    {"gpu_operations", row.gpu_operations}});
  }
  return {{"rows_total", table.rows.size()}, {"rows", std::move(rows)}};
}

}  // namespace gprofx
