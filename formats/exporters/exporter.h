// A profile in the format of another tool.
//
// An exporter is one function: what is to be exported in, bytes out. It streams: what it holds
// grows with the call tree and with what it must sort, not with the number of events; see each
// file. All numbers are those of `gprof-x report`: the weights of the samples, the durations of the
// GPU's work, the values of the call tree. Names may hold any byte; each format's writer makes them
// harmless. Blocking; one thread. Times are HostNs.
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
  const Profile& profile;       // its values are those of the range
  const ProfileSource& reader;  // of the same files
  HostNs begin = kEarliest;     // what is exported of the timeline:
  HostNs end = kLatest;         // [begin, end)
  std::string metric;  // of formats that have one weight; "" = what the recording's clock counts
  bool all_frames =
      false;            // also the plumbing of the interpreter, of the C library and of profiling
  std::string version;  // of gprof-x
};

struct Exporter {
  const char* name;     // --to NAME
  const char* suffix;   // of the usual name of its file
  const char* read_by;  // who reads it, in a few words
  bool gzip;            // the bytes are compressed on their way
  bool needs_timeline;  // nothing but times would be in it
  Status (*write)(const ExportJob& job, ByteSink& out);
  // Instead of `write`: of a format that is no stream of bytes. Writes the empty file at `path`.
  Status (*write_file)(const ExportJob& job, const std::string& path);
};

std::span<const Exporter> Exporters();
const Exporter* FindExporter(std::string_view name);  // nullptr = there is none
std::string ExporterNames();                          // "firefox, perfetto, ..."

// The functions of the table; each has a file of its own.
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
