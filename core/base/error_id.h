// Defines the ids of errors, such as GX-0205. An id names a class of errors. Code that makes an
// Error gives it an id; gprof-x-errors(7) and 'gprof-x help GX-0205' explain the id. An id means
// the same in every version: numbers are never changed or reused. tests/unit/cli/check_errors.py
// verifies that the manual page, the catalogue (cli/errors/catalogue.h) and this table list the
// same ids, and that each id is in use. Constant data; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace gprofx {

enum class ErrorId : uint16_t {
  // Errors of the command line.
  kUnknownOption = 101,  // also for an unknown command
  kBadValue = 102,
  kConflict = 103,  // two options exclude each other
  kMissingOption = 104,
  kBadOperands = 105,
  kTerminal = 106,
  kOptionSyntax = 107,

  // Errors of reading files.
  kCannotRead = 201,
  kWrongFileType = 202,
  kEmptyFile = 203,
  kOtherFormat = 204,
  kTruncated = 205,
  kDamaged = 206,
  kWriteAheadLog = 207,
  kLocked = 208,
  kNewerVersion = 209,
  kHostileFile = 210,
  kUnfinishedCommit = 211,
  kTooLarge = 212,
  kUnfinishedRecording = 213,
  kMissingColumn = 214,  // also for a missing table
  kBadLine = 215,

  // Errors of writing files.
  kCannotWrite = 301,
  kOutputExists = 302,
  kNotStreamable = 303,
  kOutputReplaced = 304,
  kReaderGone = 305,

  // Errors of recording a command.
  kCannotRun = 401,
  kBadInstallation = 402,
  kMissingProgram = 403,
  kControlFifo = 404,
  kRecordingFailed = 405,

  // Errors of attaching to a running process.
  kNoSuchProcess = 501,
  kNotPermitted = 502,
  kUnsupportedProcess = 503,
  kBusyProcess = 504,
  kNotEntered = 505,
  kAlreadyRecorded = 506,
  kOtherContainer = 507,

  // Errors of comparisons, baselines and pipelines.
  kBadRule = 601,
  kSuppressionExpired = 602,
  kTooFewRuns = 603,
  kNoBaseline = 604,
  kRunFailed = 605,
  kCannotMerge = 606,

  // Errors of queries of a recording.
  kNotFound = 701,  // no such function, row, metric or finding
  kNoSuchPart = 702,
  kNotRecorded = 703,
  kWrongRecordings = 704,  // too many or too few recordings
  kBadExpression = 705,

  // Errors of forecasts.
  kUnknownGpu = 801,
  kNoForecast = 802,
  kGpuNotMeasured = 803,

  // Errors of assistants and ranks.
  kBadRequest = 901,
  kRankLost = 902,

  // Errors of the machine and internal errors.
  kNoResources = 1001,
  kInternal = 1002,  // a bug in gprof-x
};

// Returns the id as users see it: "GX-0205".
inline std::string IdText(ErrorId id) {
  const std::string number = std::to_string(static_cast<unsigned>(id));
  return "GX-" + std::string(4 - number.size(), '0') + number;
}

}  // namespace gprofx
