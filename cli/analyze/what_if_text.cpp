#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cli/analyze/what_if.h"
#include "cli/json_text.h"
#include "cli/report/number.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "cli/terminal/wrap.h"
#include "core/base/text.h"

namespace gprofx {
namespace {

std::string LimitText(const std::string& limit) {
  if (limit == "gpu")
    return "then the GPU is the limit: it is busy, or its operations wait for each other";
  if (limit == "host") return "then the host is the limit: the GPU waits for launches";
  return "then host and GPU wait for each other in turns (sync)";
}

std::string AnswerLines(const std::string& text, const Screen& screen, int indent) {
  return WrapWords(text, screen.columns, indent) + "\n";
}

Json SideJson(const WhatIfAnswer::Side& side) {
  return {{"step_ns", side.step_ns}, {"gpu_busy", FiniteJson(side.busy)}, {"limit", side.limit}};
}

}  // namespace

std::string WhatIfText(const WhatIfReport& report, const Screen& screen) {
  const WhatIfAnswer& answer = report.answer;
  std::string head = "what if, in " + Printable(report.file);
  if (!report.part.empty()) head += ", " + report.part;
  std::string out = AnswerLines(head + ":", screen, 4);
  for (const std::string& change : answer.changes)
    out += AnswerLines("  " + Printable(change), screen, 4);
  out += "\n";
  if (!answer.reason.empty())
    return out + AnswerLines("no answer: " + Printable(answer.reason), screen, 2);
  Table table({{"per step"}, {"now", Align::kRight}, {"then", Align::kRight}});
  const WhatIfAnswer::Side &now = answer.now, &then = answer.then;
  if (now.step_ns != answer.recorded_ns) {
    table.Add({"time as recorded", Duration(answer.recorded_ns), ""});
  }
  table.Add({"time", Duration(now.step_ns), Duration(then.step_ns)});
  const int64_t saving = now.step_ns - then.step_ns;
  table.Add({saving >= 0 ? "saving" : "loss", Duration(std::llabs(saving)),
             Percent(static_cast<double>(std::llabs(saving)), static_cast<double>(now.step_ns))});
  table.Add({"GPU busy", Percent(now.busy, 1), Percent(then.busy, 1)});
  table.Add({"limit", now.limit, then.limit});
  for (const WhatIfPart& part : answer.parts) {
    table.Add({"  " + std::string(part.title), Duration(part.now_ns), Duration(part.then_ns)});
  }
  out += table.Render(screen, false) + "\n";
  out += AnswerLines(LimitText(then.limit), screen, 2);
  out += AnswerLines(
      "changed in " + Grouped(answer.steps) + " steps: " + JoinedBy(answer.changed, ", "), screen,
      2);
  for (const std::string& text : answer.assumed) out += AnswerLines("assumed: " + text, screen, 2);
  for (const std::string& text : answer.not_modelled) {
    out += AnswerLines("not modelled: " + text, screen, 2);
  }
  return out;
}

std::string WhatIfJson(const WhatIfReport& report) {
  const WhatIfAnswer& answer = report.answer;
  Json parts = Json::array();
  for (const WhatIfPart& part : answer.parts) {
    parts.push_back({{"id", part.id},
                     {"title", part.title},
                     {"now_ns", part.now_ns},
                     {"then_ns", part.then_ns}});
  }
  const bool none = !answer.reason.empty();
  const Json json = {
      {"schema", "gprof-x.analyze.what-if/1"},
      {"file", Utf8(report.file)},
      {"part", report.part.empty() ? Json(nullptr) : Json(Utf8(report.part))},
      {"changes", TextsJson(answer.changes)},
      {"reason", none ? Json(Utf8(answer.reason)) : Json(nullptr)},
      {"steps", answer.steps},
      {"recorded_step_ns", none ? Json(nullptr) : Json(answer.recorded_ns)},
      {"now", none ? Json(nullptr) : SideJson(answer.now)},
      {"then", none ? Json(nullptr) : SideJson(answer.then)},
      {"saving_ns", none ? Json(nullptr) : Json(answer.now.step_ns - answer.then.step_ns)},
      {"parts", std::move(parts)},
      {"changed", TextsJson(answer.changed)},
      {"assumed", TextsJson(answer.assumed)},
      {"not_modelled", TextsJson(answer.not_modelled)}};
  return PrintedJson(json, 2);
}

}  // namespace gprofx
