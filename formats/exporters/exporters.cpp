#include "formats/exporters/exporter.h"

namespace gprofx::exporters {
namespace {

constexpr Exporter kExporters[] = {
    {"firefox", ".firefox.json.gz", "profiler.firefox.com", true, true, &WriteFirefox, nullptr},
    {"perfetto", ".pftrace", "ui.perfetto.dev and trace_processor", false, true, &WritePerfetto,
     nullptr},
    {"kineto", ".kineto.json.gz", "Holistic Trace Analysis, Perfetto, chrome://tracing", true, true,
     &WriteKineto, nullptr},
    {"pprof", ".pb.gz", "go tool pprof, Pyroscope, Parca", true, false, &WritePprof, nullptr},
    {"speedscope", ".speedscope.json", "www.speedscope.app", false, false, &WriteSpeedscope,
     nullptr},
    {"collapsed", ".collapsed.txt", "flamegraph.pl, inferno", false, false, &WriteCollapsed,
     nullptr},
    {"callgrind", ".callgrind", "KCachegrind, callgrind_annotate", false, false, &WriteCallgrind,
     nullptr},
    {"sqlite-flat", ".sqlite", "sqlite3 and other SQL tools", false, false, nullptr,
     &WriteSqliteFlat},
    {"csv", ".csv", "spreadsheets, pandas, R", false, false, &WriteCsv, nullptr},
};

}  // namespace

std::span<const Exporter> Exporters() { return kExporters; }

const Exporter* FindExporter(std::string_view name) {
  for (const Exporter& exporter : kExporters) {
    if (name == exporter.name) return &exporter;
  }
  return nullptr;
}

std::string ExporterNames() {
  std::string names;
  for (const Exporter& exporter : kExporters) {
    names += (names.empty() ? "" : ", ") + std::string(exporter.name);
  }
  return names;
}

}  // namespace gprofx::exporters
