// What a report asks of a profile, and the maximum size of the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/slice/part.h"

namespace gprofx {

enum class ViewKind {
  kTop,
  kTree,
  kCallers,
  kLines,
  kThreads,
  kRanks,
  kTimeline,
  kMarkers,
  kMemory
};
enum class RowsBy {
  kDefault,
  kFunction,
  kLine,
  kModule,
  kThread,
  kProcess,
  kKernel,
  kLayer,
  kOperator,
  kLibrary,
  kLayerType
};

// Whose code to show where Python and native code call each other.
enum class CodeView {
  kMixed,   // both; the interpreter only as families of its functions
  kPython,  // Python only; native code counts for its Python line
  kNative,  // native only, with the interpreter, as in a non-Python profiler
};

// Returns "mixed", "python" or "native", as --view takes it.
constexpr const char* CodeName(CodeView code) {
  return code == CodeView::kPython ? "python" : code == CodeView::kNative ? "native" : "mixed";
}

struct Query {
  ViewKind kind = ViewKind::kTop;
  RowsBy by = RowsBy::kDefault;
  std::string callers_of;
  std::optional<size_t> limit;  // rows or lines; unset = as many as Room allows
  std::string metric;           // "" = the metric of the recording's clock
  std::string focus, ignore;    // POSIX extended expressions; "" = none
  bool all_frames = false;  // also show plumbing of the interpreter, the C library and profiling
  bool own = false;         // only the program's own code, with all that it calls
  PartQuery part;
  std::optional<CodeView> code;  // unset = ChooseCode() (code/code_view.h) decides
};

// Default limits of an output format, used if the query sets none. By default unlimited.
struct Room {
  size_t rows = SIZE_MAX;          // of a table
  size_t picture_rows = SIZE_MAX;  // of each table of the combined GPU and host report
  size_t threads = SIZE_MAX;       // processes and threads
  std::optional<size_t> waits;     // calls that wait for the GPU, whatever the limit is
  std::optional<size_t> outline;   // lines of a tree; unset = the whole tree and no outline
  bool operators = false;          // name the operators of kernels that one line launches
  bool fold_threads = false;       // merge threads that only wait, one row per pool
  bool fold_streams = false;       // merge nearly idle GPU streams, one row per GPU
};

}  // namespace gprofx
