// The whole reading side: any bytes as a .gprofx file, loaded and shown in every view as text and
// JSON.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "cli/analyze/analyze.h"
#include "cli/analyze/what_if.h"
#include "cli/report/report.h"
#include "core/analyses/analyses.h"
#include "formats/profile/profile_db.h"
#include "formats/profile/profile_set.h"
#include "formats/reading/analysis_read.h"

namespace {

using namespace gprofx;
using namespace gprofx::analyses;

// SQLite resolves links, so a file without a name (memfd) cannot be opened: this one has one.
struct ScratchFile {
  ScratchFile() : file(mkstemp(path.data())) {
    if (file < 0) abort();
  }
  ~ScratchFile() { unlink(path.c_str()); }
  bool Fill(const uint8_t* data, size_t size) const {
    return ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size);
  }

  std::string path = "/dev/shm/gprofx-fuzz-report-XXXXXX";
  int file;
};

void CheckText(const std::string& text) {
  // Nothing but text and newlines may reach a terminal.
  for (const char c : text) {
    if (c != '\n' && static_cast<unsigned char>(c) < 0x20) abort();
  }
}

void Analyze(const std::string& path) {
  const auto profiles = ProfileSet::Open({path});
  if (!profiles) return;
  const auto events = ReadGpuWork(*profiles, profiles->profile());
  if (!events) return;
  const AnalysisContext context(profiles->profile(), *events, path);
  AnalysisReport report;
  report.files = {path};
  for (const AnalysisKind& kind : AnalysisKinds()) {
    report.analyses.push_back(MakeAnalysis(kind, context));
  }
  for (const AnalysisKind& kind : BreakdownKinds()) {
    report.analyses.push_back(MakeAnalysis(kind, context));
  }
  CheckText(AnalysesText(report, {.columns = 80}, {}));
  AnalysesJson(report);
  AnalysesCsv(report);
}

void Replay(const std::string& path) {
  for (const char* change : {"no-sync", "pin_memory", "graphs", "fuse a", "scale a 1000"}) {
    const auto changes = ParseWhatIfs({change});
    if (!changes) abort();
    const auto report = AskWhatIf({path, *changes, {}, 1'000'000});
    if (!report) continue;
    CheckText(WhatIfText(*report, {.columns = 80}));
    WhatIfJson(*report);
  }
}

void Render(const Profile& profile, ReportOptions options) {
  for (const bool json : {false, true}) {
    options.json = json;
    ReportSurroundings around;
    around.screen.columns = 80;
    around.now_realtime_ns = INT64_MAX;
    const auto text = RenderReport(profile, options, around);
    if (!text) continue;
    CheckText(*text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const ScratchFile scratch;
  if (!scratch.Fill(data, size)) return 0;
  const auto profile = LoadProfile(scratch.path);
  if (!profile) return 0;
  Analyze(scratch.path);
  Replay(scratch.path);
  for (const ViewKind kind : {ViewKind::kTop, ViewKind::kTree, ViewKind::kCallers, ViewKind::kLines,
                              ViewKind::kThreads}) {
    ReportOptions options;
    options.query.kind = kind;
    options.query.callers_of = "a";
    Render(*profile, options);
  }
  for (const char* metric : {"gpu", "gpu_samples", "gpu_wait"}) {
    ReportOptions options;
    options.query.metric = metric;
    Render(*profile, options);
    options.query.kind = ViewKind::kTree;
    Render(*profile, options);
  }
  for (const RowsBy by :
       {RowsBy::kLine, RowsBy::kModule, RowsBy::kThread, RowsBy::kProcess, RowsBy::kKernel,
        RowsBy::kLayer, RowsBy::kOperator, RowsBy::kLibrary, RowsBy::kLayerType}) {
    ReportOptions options;
    options.query.by = by;
    options.query.focus = "a|e|o";
    Render(*profile, options);
  }
  return 0;
}
