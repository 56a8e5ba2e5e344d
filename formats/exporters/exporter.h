// Writes a profile in the format of another tool.
//
// An exporter is one function that turns an ExportJob into a stream of bytes. Its memory does not
// grow with the number of events, but with the call tree and with the data that it must sort (see
// each file). All numbers equal those of `gprof-x report`: sample weights, durations of GPU work,
// values of the call tree. Names may hold any byte; the writer of each format escapes them.
// Blocking; one thread. Times are HostNs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "formats/exporters/byte_sink.h"
#include "formats/profile/profile_source.h"

namespace gprofx::exporters {

struct ExportJob {
  const Profile& profile;       // holds the values of the exported range
  const ProfileSource& reader;  // reads the event streams of the profile
  HostNs begin = kEarliest;     // begin of the exported range of the timeline
  HostNs end = kLatest;         // end of that range, exclusive
  std::string metric;           // for formats with one weight; "" = that of the recording's clock
  bool all_frames = false;  // also export internals of the interpreter, the C library and profiling
  std::string version;      // version of gprof-x
};

struct Exporter {
  const char* name;     // the NAME in --to NAME
  const char* suffix;   // suffix of the default file name
  const char* read_by;  // tools that read the format, in a few words
  bool gzip;            // compress the bytes
  bool needs_timeline;  // the format contains only data with times
  Status (*write)(const ExportJob& job, ByteSink& out);
  // Set instead of `write` if the format is not a stream of bytes. The function fills the empty
  // file at `path`.
  Status (*write_file)(const ExportJob& job, const std::string& path);
};

std::span<const Exporter> Exporters();
const Exporter* FindExporter(std::string_view name);  // nullptr if there is no such exporter
std::string ExporterNames();                          // "firefox, perfetto, ..."

// The functions of the exporters. Each is in a file of its own.
Status WriteFirefox(const ExportJob& job, ByteSink& out);
Status WritePerfetto(const ExportJob& job, ByteSink& out);
Status WriteKineto(const ExportJob& job, ByteSink& out);
Status WritePprof(const ExportJob& job, ByteSink& out);
Status WriteSpeedscope(const ExportJob& job, ByteSink& out);
Status WriteCollapsed(const ExportJob& job, ByteSink& out);
Status WriteCallgrind(const ExportJob& job, ByteSink& out);
Status WriteCsv(const ExportJob& job, ByteSink& out);
Status WriteSqliteFlat(const ExportJob& job, const std::string& path);

}  // namespace gprofx::exporters
