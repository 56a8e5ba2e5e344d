#include "cli/json_text.h"
#include "cli/variability/variability.h"

namespace gprofx {
namespace {

using namespace variability;

Json SizeJson(const uint32_t (&size)[3]) { return Json::array({size[0], size[1], size[2]}); }

Json LanesJson(const Model& model) {
  Json rows = Json::array();
  for (const LaneRow& lane : model.lanes) {
    rows.push_back({{"name", Utf8(lane.name)},
                    {"process", lane.id.process},
                    {"device", lane.id.device},
                    {"rank_shard", lane.rank_shard},
                    {"kernels", lane.kernels},
                    {"other_operations", lane.others},
                    {"begin_ns", lane.begin},
                    {"end_ns", lane.end},
                    {"steps", lane.steps}});
  }
  return rows;
}

Json ClocksJson(const Model& model) {
  Json rows = Json::array();
  for (size_t i = 0; i < model.clocks.size(); ++i) {
    const ClockNote& clock = model.clocks[i];
    rows.push_back({{"file", Utf8(model.clock_files[i])},
                    {"moved_ns", clock.moved},
                    {"residual_ns", clock.residual >= 0 ? Json(clock.residual) : Json(nullptr)},
                    {"collectives", clock.pairs}});
  }
  return rows;
}

Json GroupsJson(const Model& model) {
  Json rows = Json::array();
  for (const GroupRow& row : model.groups) {
    rows.push_back({{"name", Utf8(row.key.name)},
                    {"kind", KindWord(row.key.kind)},
                    {"device", Utf8(row.key.device)},
                    {"grid", SizeJson(row.key.grid)},
                    {"block", SizeJson(row.key.block)},
                    {"shape", Utf8(row.key.shape)},
                    {"cluster", row.cluster},
                    {"votes", row.votes},
                    {"n", row.n},
                    {"warm_up", row.warm_up},
                    {"exact", row.exact},
                    {"median_ns", FiniteJson(row.median)},
                    {"mad_ns", FiniteJson(row.mad)},
                    {"p25_ns", FiniteJson(row.p25)},
                    {"p75_ns", FiniteJson(row.p75)},
                    {"p95_ns", FiniteJson(row.p95)},
                    {"p99_ns", FiniteJson(row.p99)},
                    {"min_ns", FiniteJson(row.least)},
                    {"max_ns", FiniteJson(row.most)},
                    {"relative_iqr", FiniteJson(row.relative_iqr)},
                    {"total_ns", FiniteJson(row.total_ns)},
                    {"excess_ns", FiniteJson(row.excess_ns)},
                    {"trend", FiniteJson(row.trend)},
                    {"lag1", FiniteJson(row.lag1)}});
  }
  return rows;
}

Json ShardsJson(const Model& model) {
  Json rows = Json::array();
  for (const ShardRow& row : model.shards) {
    rows.push_back({{"name", Utf8(row.name)},
                    {"kernels", row.kernels},
                    {"kernel_ns", row.kernel_ns},
                    {"expected_kernels", FiniteJson(row.expected)},
                    {"voting", row.voting},
                    {"ratio", row.voting > 0 ? FiniteJson(row.ratio) : Json(nullptr)},
                    {"relative_iqr", row.voting > 0 ? FiniteJson(row.relative_iqr) : Json(nullptr)},
                    {"excess_ns", FiniteJson(row.excess_ns)},
                    {"waiting_ns", FiniteJson(row.waiting_ns)},
                    {"p", FiniteJson(row.p)},
                    {"differs", row.is_finding}});
  }
  return rows;
}

Json FindingsJson(const Model& model) {
  Json rows = Json::array();
  for (const Finding& finding : model.findings) {
    rows.push_back({{"group", finding.group ? Json(*finding.group) : Json(nullptr)},
                    {"shard", finding.shard},
                    {"n", finding.n},
                    {"ratio", FiniteJson(finding.ratio)},
                    {"excess_ns", FiniteJson(finding.excess_ns)},
                    {"excess_per_step_ns", FiniteJson(finding.excess_per_step_ns)},
                    {"p", FiniteJson(finding.p)},
                    {"cause", CauseWord(finding.why)},
                    {"cause_share", FiniteJson(finding.why.share)}});
  }
  return rows;
}

Json EffectsJson(const Model& model) {
  Json rows = Json::array();
  for (const EffectRow& effect : model.effects) {
    const auto ratio = [&](double value) {
      return effect.tested ? FiniteJson(value) : Json(nullptr);
    };
    rows.push_back({{"group", effect.group},
                    {"beside", BesideWord(effect.beside)},
                    {"treated", effect.treated},
                    {"controls", effect.controls},
                    {"pairs", effect.pairs},
                    {"ratio", ratio(effect.ratio)},
                    {"low", ratio(effect.low)},
                    {"high", ratio(effect.high)},
                    {"p", FiniteJson(effect.p)},
                    {"is_finding", effect.is_finding},
                    {"excess_ns", FiniteJson(effect.excess_ns)},
                    {"excess_per_step_ns", FiniteJson(effect.excess_per_step_ns)}});
  }
  return rows;
}

Json LateJson(const Model& model) {
  Json rows = Json::array();
  for (const LateRow& row : model.late) {
    rows.push_back({{"lane", row.lane},
                    {"collectives", row.collectives},
                    {"last", row.last},
                    {"caused_ns", FiniteJson(row.caused_ns)},
                    {"waited_ns", FiniteJson(row.waited_ns)},
                    {"p", FiniteJson(row.p)},
                    {"is_late", row.is_finding},
                    {"more_busy_ns", FiniteJson(row.more_busy_ns)},
                    {"more_idle_ns", FiniteJson(row.more_idle_ns)}});
  }
  return rows;
}

Json EventsJson(const Model& model) {
  if (!model.listed) return nullptr;
  Json rows = Json::array();
  for (const EventRow& event : model.events) {
    Json beside = Json::array();
    for (uint8_t i = 0; i < kBesides; ++i) {
      if ((event.beside >> i & 1) != 0) beside.push_back(BesideWord(static_cast<Beside>(i)));
    }
    rows.push_back({{"group", event.group},
                    {"lane", event.lane},
                    {"stream", event.stream},
                    {"start_ns", event.start},
                    {"duration_ns", event.duration},
                    {"excess_ns", FiniteJson(event.excess_ns)},
                    {"beside", std::move(beside)}});
  }
  return {{"shard", *model.listed}, {"rows", std::move(rows)}};
}

Json StepsJson(const StepModel& steps) {
  if (steps.steps == 0) return nullptr;
  Json parts = Json::array();
  for (const StepPart& part : steps.parts) {
    Json covariance = Json::array();
    for (const double one : part.covariance) covariance.push_back(FiniteJson(one));
    parts.push_back({{"name", Utf8(part.name)},
                     {"in_words", Utf8(PartInWords(part.name))},
                     {"median_ns", FiniteJson(part.median_ns)},
                     {"share_of_variance", FiniteJson(part.share)},
                     {"covariance_ns2", std::move(covariance)}});
  }
  Json lanes = Json::array();
  for (const LaneSteps& row : steps.lanes) {
    Json shares = Json::array();
    for (const double one : row.shares) shares.push_back(FiniteJson(one));
    lanes.push_back({{"lane", row.lane},
                     {"steps", row.steps},
                     {"median_ns", FiniteJson(row.median_ns)},
                     {"variance_ns2", FiniteJson(row.variance_ns2)},
                     {"shares_of_variance", std::move(shares)}});
  }
  return {{"steps", steps.steps},
          {"median_ns", FiniteJson(steps.median_ns)},
          {"p25_ns", FiniteJson(steps.p25)},
          {"p75_ns", FiniteJson(steps.p75)},
          {"p95_ns", FiniteJson(steps.p95)},
          {"max_ns", FiniteJson(steps.most)},
          {"parts", std::move(parts)},
          {"lanes", std::move(lanes)}};
}

Json CausesJson(const Model& model) {
  Json rows = Json::array();
  for (const CauseRow& row : model.causes) {
    rows.push_back({{"cause", StepCauseWord(row.cause)},
                    {"lane", row.lane ? Json(*row.lane) : Json(nullptr)},
                    {"steps", row.steps},
                    {"pairs", row.pairs},
                    {"ratio", FiniteJson(row.ratio)},
                    {"low", FiniteJson(row.low)},
                    {"high", FiniteJson(row.high)},
                    {"p", FiniteJson(row.p)},
                    {"excess_ns", FiniteJson(row.excess_ns)},
                    {"excess_per_step_ns", FiniteJson(row.excess_per_step_ns)},
                    {"share", FiniteJson(row.share)},
                    {"value", FiniteJson(row.value)},
                    {"usual", FiniteJson(row.usual)}});
  }
  return rows;
}

Json UnexplainedJson(const Unexplained& rest) {
  return {{"steps", rest.steps}, {"excess_ns", FiniteJson(rest.excess_ns)}, {"part", rest.part}};
}

Json HeatJson(const Model& model) {
  Json rows = Json::array();
  for (size_t lane = 0; model.heat_bins > 0 && lane < model.lanes.size(); ++lane) {
    Json row = Json::array();
    for (uint32_t i = 0; i < model.heat_bins; ++i) {
      row.push_back(FiniteJson(model.heat[lane * model.heat_bins + i]));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string VariabilityJson(const Model& model) {
  Json collectives = Json::array();
  for (const CollectiveRow& row : model.collectives) {
    collectives.push_back({{"group", row.group},
                           {"matched", row.n},
                           {"waiting_ns", FiniteJson(row.waiting_ns)},
                           {"transfer_ns", FiniteJson(row.transfer_ns)}});
  }
  const Json json = {{"schema", "gprof-x.variability/1"},
                     {"partial", model.partial},
                     {"axis", AxisWord(model.axis)},
                     {"begin_ns", model.begin},
                     {"end_ns", model.end},
                     {"files", model.files},
                     {"kernels", model.kernels},
                     {"other_operations", model.others},
                     {"outside_of_steps", model.outside},
                     {"warm_up", model.warm_up},
                     {"devices", TextsJson(model.devices)},
                     {"lanes", LanesJson(model)},
                     {"clocks", ClocksJson(model)},
                     {"findings", FindingsJson(model)},
                     {"late", LateJson(model)},
                     {"collectives", std::move(collectives)},
                     {"waiting_ns", FiniteJson(model.waiting_ns)},
                     {"transfer_ns", FiniteJson(model.transfer_ns)},
                     {"effects", EffectsJson(model)},
                     {"groups", GroupsJson(model)},
                     {"silent_groups", model.silent_groups},
                     {"shards", ShardsJson(model)},
                     {"steps", StepsJson(model.steps)},
                     {"step_causes", CausesJson(model)},
                     {"unexplained_steps", UnexplainedJson(model.unexplained)},
                     {"events", EventsJson(model)},
                     {"heat_excess_ns", HeatJson(model)},
                     {"problems", TextsJson(model.problems)},
                     {"notes", TextsJson(model.notes)}};
  return PrintedJson(json, 2);
}

}  // namespace gprofx
