#include "cli/mcp/answers.h"

#include <utility>

#include "cli/analyze/analyze.h"
#include "cli/analyze/json.h"
#include "cli/analyze/read.h"
#include "cli/annotate/annotate.h"
#include "cli/annotate/json.h"
#include "cli/diff/diff.h"
#include "cli/diff/json.h"
#include "cli/report/json/report.h"
#include "cli/report/load.h"
#include "core/views/view.h"

namespace gprofx {

Result<Json> AnswerReport(const Args& args, size_t bins, ListRoom& room) {
  Result<ReportCommand> command = ParseReport(args);
  if (!command) return command.error();
  ReportOptions& options = command->options;
  options.json = true;
  options.json_bins = bins;
  const Screen screen;
  std::vector<Error> left_out;  // stays empty, because there is only one file
  const Result<std::unique_ptr<LoadedReport>> loaded = LoadReport(*command, screen, left_out);
  if (!loaded) return loaded.error();
  const Result<View> view =
      BuildView((*loaded)->profile(), options.query, {}, (*loaded)->Events(options, screen));
  if (!view) return view.error();
  return ReportValue(*view, command->files, room);
}

Result<std::vector<Json>> AnswerAnalyze(std::span<const Args> requests) {
  std::vector<AnalysisRequest> each;
  AnalysisRequest all;
  for (const Args& args : requests) {
    Result<AnalysisRequest> request = ParseAnalysisRequest(args);
    if (!request) return request.error();
    if (each.empty()) {
      all = *request;
      all.kinds.clear();
    }
    all.kinds.insert(all.kinds.end(), request->kinds.begin(), request->kinds.end());
    all.findings = all.findings || request->findings;
    each.push_back(std::move(*request));
  }
  const Result<AnalysisReport> report = ReadAnalyses(all, [](const std::string&) {});
  if (!report) return report.error();
  std::vector<Json> answers;
  size_t next = 0;  // index in report->analyses of the next answer
  for (const AnalysisRequest& request : each) {
    AnalysisReport part = {report->files, report->part, {}, {}};
    for (size_t i = 0; i < request.kinds.size(); ++i) {
      part.analyses.push_back(report->analyses.at(next++));
    }
    if (request.findings) part.findings = report->findings;
    answers.push_back(AnalysesValue(part));
  }
  return answers;
}

Result<Json> AnswerAnalyze(const Args& args) {
  Result<std::vector<Json>> answers = AnswerAnalyze(std::span(&args, 1));
  if (!answers) return answers.error();
  return std::move(answers->front());
}

Result<Json> AnswerAnnotate(const Args& args) {
  const Result<AnnotateCommand> command = ParseAnnotate(args);
  if (!command) return command.error();
  const Result<Annotated> read = ReadAnnotated(*command, false);
  if (!read) return read.error();
  AnnotateSurroundings around;
  around.file = command->file;
  around.no_sass = "this server runs no disassembler; gprof-x annotate does";
  return AnnotateValue(read->annotation, command->options, around);
}

Result<Json> AnswerDiff(const Args& args, const std::string& key, ReadSidesOf& last,
                        ListRoom& room) {
  const Result<DiffCommand> command = ParseDiff(args);
  if (!command) return command.error();
  if (!last.sides || last.key != key) {
    last.sides.reset();
    Result<Sides> read = ReadSides(command->base, command->head, command->code);
    if (!read) return read.error();
    last = {key, std::move(*read)};
  }
  const compare::Diff diff =
      compare::CompareRuns(last.sides->base, last.sides->head, command->options.settings);
  constexpr size_t kFewRuns = 4;  // a comparison with more runs is not kept in memory
  if (last.sides->base.size() + last.sides->head.size() > kFewRuns) last.sides.reset();
  return DiffValue(diff, command->base, command->head, room);
}

}  // namespace gprofx
