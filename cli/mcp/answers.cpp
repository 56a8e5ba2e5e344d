#include "cli/mcp/answers.h"

#include <utility>

#include "cli/analyze/analyze.h"
#include "cli/analyze/read.h"
#include "cli/annotate/annotate.h"
#include "cli/diff/diff.h"
#include "cli/diff/sides.h"
#include "cli/report/json/report.h"
#include "cli/report/load.h"
#include "core/views/view.h"

namespace gprofx {

Result<Json> AnswerReport(const Args& args, size_t bins) {
  Result<ReportCommand> command = ParseReport(args);
  if (!command) return command.error();
  ReportOptions& options = command->options;
  options.json = true;
  options.json_bins = bins;
  const Screen screen;
  std::vector<Error> left_out;  // of several files; here is one
  const Result<std::unique_ptr<LoadedReport>> loaded = LoadReport(*command, screen, left_out);
  if (!loaded) return loaded.error();
  const Result<View> view =
      BuildView((*loaded)->profile(), options.query, {}, (*loaded)->Events(options, screen));
  if (!view) return view.error();
  return ReportValue(*view, command->files);
}

Result<Json> AnswerAnalyze(const Args& args) {
  const Result<AnalysisRequest> request = ParseAnalysisRequest(args);
  if (!request) return request.error();
  const Result<AnalysisReport> report = ReadAnalyses(*request, [](const std::string&) {});
  if (!report) return report.error();
  return Json::parse(AnalysesJson(*report));
}

Result<Json> AnswerAnnotate(const Args& args) {
  const Result<AnnotateCommand> command = ParseAnnotate(args);
  if (!command) return command.error();
  const Result<Annotated> read = ReadAnnotated(*command, false);
  if (!read) return read.error();
  AnnotateSurroundings around;
  around.file = command->file;
  around.no_sass = "this server runs no disassembler; gprof-x annotate does";
  return Json::parse(AnnotateJson(read->annotation, command->options, around));
}

Result<Json> AnswerDiff(const Args& args) {
  const Result<DiffCommand> command = ParseDiff(args);
  if (!command) return command.error();
  const auto base = ReadRuns(command->base, command->code);
  if (!base) return base.error();
  const auto head = ReadRuns(command->head, command->code);
  if (!head) return head.error();
  const compare::Diff diff = compare::CompareRuns(*base, *head, command->options.settings);
  return Json::parse(DiffJson(diff, command->options, {{}, command->base, command->head}));
}

}  // namespace gprofx
