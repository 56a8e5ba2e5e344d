#include "formats/importers/import.h"

#include <utility>

#include "formats/importers/byte_source.h"
#include "formats/importers/chrome_trace.h"
#include "formats/importers/import_stacks.h"
#include "formats/importers/json/firefox.h"
#include "formats/importers/json/speedscope.h"
#include "formats/importers/nsight/nsight.h"
#include "formats/importers/output_sink.h"
#include "formats/importers/rocpd/rocpd.h"
#include "formats/importers/row_sink.h"
#include "formats/importers/trace_gather.h"

namespace gprofx::importers {
namespace {

// Returns the id of the recording. A merge treats profiles with equal ids as the same recording.
std::string IdOf(uint64_t hash) {
  constexpr char kHexDigits[] = "0123456789abcdef";
  std::string id(16, '0');
  for (size_t i = id.size(); i-- > 0; hash >>= 4) id[i] = kHexDigits[hash & 15];
  return "import-" + id;
}

Status HashRest(ByteSource& source, uint64_t& hash) {
  while (!source.Next().empty()) {
  }
  hash = source.hash();
  return source.status();
}

Result<std::string> ReadTrace(TraceFormat format, const std::string& path, TraceGather& gather,
                              uint64_t& hash) {
  Result<ByteSource> source = ByteSource::Open(path);
  if (!source) return source.error();
  Result<std::string> what = format == TraceFormat::kNsight ? ReadNsight(path, gather)
                             : format == TraceFormat::kRocpd
                                 ? ReadRocpd(path, gather)
                                 : ReadChromeTrace(*source, path, gather);
  if (!what) return what;
  if (Status rest = HashRest(*source, hash); !rest) return rest.error();
  return what;
}

Result<std::string> ImportEvents(TraceFormat format, const std::string& path, Profile& profile,
                                 RowSink& sink, uint64_t& hash) {
  TraceGather gather(profile);
  Result<std::string> what = ReadTrace(format, path, gather, hash);
  if (!what) return what;
  const Status made =
      gather.Finish([&](const EventTable& rows) { return sink.Add(rows, profile); });
  if (!made)
    return Error{made.error().id, "'" + path + "': " + made.error().what, made.error().fix};
  return what;
}

Result<std::string> ImportAny(TraceFormat format, const std::string& path, Profile& profile,
                              RowSink& sink, uint64_t& hash) {
  if (format == TraceFormat::kPerfScript) return ImportPerfScript(path, profile, sink, hash);
  if (format == TraceFormat::kCollapsed) return ImportCollapsed(path, profile, hash);
  if (format == TraceFormat::kSpeedscope) return ImportSpeedscope(path, profile, hash);
  if (format == TraceFormat::kFirefox) return ImportFirefox(path, profile, sink, hash);
  return ImportEvents(format, path, profile, sink, hash);
}

Result<ImportedTrace> ImportInto(TraceFormat format, const ImportOptions& options, RowSink& sink) {
  ImportedTrace trace;
  Profile& profile = trace.profile;
  uint64_t hash = 0;
  const Result<std::string> what = ImportAny(format, options.input, profile, sink, hash);
  if (!what) return what.error();
  profile.meta["imported_from"] = *what;
  profile.meta["recording_id"] = IdOf(hash);
  profile.meta["tool_version"] = options.tool_version;
  profile.meta["complete"] = "yes";
  trace.rows = sink.rows();
  return trace;
}

}  // namespace

Result<ImportedTrace> ImportTrace(const ImportOptions& options) {
  const Result<TraceFormat> format =
      options.format ? Result<TraceFormat>(*options.format) : DetectTraceFormat(options.input);
  if (!format) return format.error();
  if (!options.output) {
    CountingSink nothing;
    return ImportInto(*format, options, nothing);
  }
  Result<OutputSink> output = OutputSink::Claim(*options.output);
  if (!output) return output.error();
  Result<ImportedTrace> trace = ImportInto(*format, options, *output);
  if (!trace) return trace;
  if (Status written = output->Finish(trace->profile); !written) return written.error();
  return trace;
}

}  // namespace gprofx::importers
