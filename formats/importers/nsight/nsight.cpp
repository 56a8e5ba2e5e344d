#include "formats/importers/nsight/nsight.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/redact/mask_arguments.h"
#include "formats/importers/nsight/export_tables.h"
#include "formats/importers/nsight/nsight_export.h"
#include "formats/importers/nsight/readers.h"
#include "formats/importers/nsight/table_names.h"

namespace gprofx::importers {
namespace {

using namespace nsight;

// Returns the version to show to users: `text`, or a phrase if it is not a plain version number.
std::string Version(const std::string& text) {
  const bool plain = !text.empty() && text.size() <= 40 &&
                     text.find_first_not_of("0123456789.-") == std::string::npos;
  return plain ? text : "of an unknown version";
}

std::string Command(ExportTables& tables) {
  std::vector<std::string> words = {tables.Fact(kCapture, "PROCESS_0:COMMAND")};
  for (int i = 0; i < 64 && !words[0].empty(); ++i) {
    const std::string name = "PROCESS_0:ARGUMENT_" + std::to_string(i);
    const std::string argument = tables.Fact(kCapture, name.c_str());
    if (argument.empty()) break;
    words.push_back(argument);
  }
  std::string command;
  for (const std::string& word : StoredCommand(words))
    command += (command.empty() ? "" : " ") + word;
  return command;
}

// Returns an error that says what to do if the file contains nothing to import.
Status CheckContents(const HardenedSqlite& file) {
  const auto has = [&](const char* table) { return file.HasTable(table); };
  const bool has_work = has(kKernels) || has(kGraphs) || has(kCopies) || has(kSets) ||
                        has(kCalls) || has(kRanges) ||
                        std::any_of(std::begin(kLibraryCalls), std::end(kLibraryCalls),
                                    [&](const CallTable& calls) { return has(calls.table); });
  if (has_work && has(kStrings)) return Ok();
  if (has(kStrings) && (has(kSystem) || has(kFacts[0]) || has(kFacts[1]))) {
    return Error{ErrorId::kOtherFormat, "'" + file.path() + "' has no CUDA or NVTX events",
                 "record with nsys profile --trace=cuda,nvtx"};
  }
  const auto& tables = file.tables();
  if (std::any_of(tables.begin(), tables.end(),
                  [](const std::string& name) { return name.starts_with("rocpd_"); })) {
    return Error{ErrorId::kOtherFormat,
                 "'" + file.path() + "' is a trace of RocmProfileData, which gprof-x does not read",
                 "record with rocprofv3 --output-format rocpd"};
  }
  return Error{
      ErrorId::kOtherFormat,
      "'" + file.path() +
          "' is an SQLite database, but not an export of Nsight Systems with CUDA or NVTX events",
      kNsightExport.origin};
}

// Returns a fact about the export; "" if it is not known. Older exports have these facts in another
// table.
std::string ExportFact(ExportTables& tables, const char* name) {
  std::string text;
  for (const char* table : kFacts) {
    if (text.empty()) text = tables.Fact(table, name);
  }
  return text;
}

void ReadMeta(ExportTables& tables, Profile& profile) {
  if (const std::string command = Command(tables); !command.empty()) {
    profile.meta["command"] = command;
  }
  if (const std::string host = tables.Fact(kSystem, "Hostname"); !host.empty()) {
    profile.meta["host"] = host;
  }
}

// Reads the real time at the start of the capture, and the time of the same moment on the events'
// clock.
void ReadClock(ExportTables& tables, TraceGather& gather) {
  const int64_t realtime = tables.Number(kSessionStart, "utcEpochNs");
  int64_t zero = 0;
  if (realtime > 0 &&
      !__builtin_sub_overflow(realtime, tables.Number(kDetails, "startTime"), &zero)) {
    gather.SetClock(zero);
  }
}

Status ReadTables(ExportTables& tables, TraceGather& gather) {
  if (Status plain = tables.ReadColumns(); !plain) return plain;
  for (const auto read : {ReadDevices, ReadKernels, ReadGraphs, ReadCopies, ReadSets, ReadCalls,
                          ReadLibraryCalls, ReadSyncs, ReadRanges, ReadNames}) {
    tables.file().StartWork();
    if (Status done = read(tables, gather); !done) return done;
  }
  return CountOtherTables(tables, gather);
}

}  // namespace

Result<std::string> ReadNsight(const std::string& path, TraceGather& gather) {
  Result<HardenedSqlite> file = HardenedSqlite::Open(path, kNsightExport);
  if (!file) return file.error();
  if (Status plain = file->CheckSchema(); !plain) return plain.error();
  if (Status known = CheckContents(*file); !known) return known.error();
  ExportTables tables(*file);
  if (Status read = ReadTables(tables, gather); !read) return read.error();
  ReadMeta(tables, gather.profile());
  ReadClock(tables, gather);
  return "Nsight Systems " + Version(ExportFact(tables, "EXPORT_PRODUCT_VERSION")) +
         " (SQLite export " + Version(ExportFact(tables, "EXPORT_SCHEMA_VERSION")) + ")";
}

}  // namespace gprofx::importers
