// Describes what a report asks of a profile (Query), and the maximum size of the answer (Room).
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

// The code that a view shows where Python and native code call each other.
enum class CodeView {
  kMixed,   // both; the interpreter only as families of functions
  kPython,  // only Python; the time of native code counts for its Python line
  kNative,  // only native code with the interpreter, as in a profiler without Python support
};

// Returns "mixed", "python" or "native", the words of --view.
constexpr const char* CodeName(CodeView code) {
  return code == CodeView::kPython ? "python" : code == CodeView::kNative ? "native" : "mixed";
}

struct Query {
  ViewKind kind = ViewKind::kTop;
  RowsBy by = RowsBy::kDefault;
  std::string callers_of;
  std::optional<size_t> limit;  // maximum number of rows or lines; unset = as many as Room allows
  std::string metric;           // "" = the metric of the recording's clock
  std::string focus, ignore;    // POSIX extended expressions; "" = none
  // True: also show folded frames of the interpreter, the C library and profiling.
  bool all_frames = false;
  bool own = false;  // show only the program's own code; the time of what it calls counts for it
  PartQuery part;
  std::optional<CodeView> code;  // unset = ChooseCode() (code/code_view.h) decides
};

// The limits of an output format, which apply if the query sets none. SIZE_MAX = unlimited.
struct Room {
  size_t rows = SIZE_MAX;          // of a table
  size_t picture_rows = SIZE_MAX;  // of each table of the combined GPU and host report
  size_t threads = SIZE_MAX;       // processes and threads
  // Maximum number of CUDA calls that wait for the GPU; if set, it replaces the limit of the query.
  std::optional<size_t> waits;
  std::optional<size_t> outline;  // lines of a tree; unset = show the whole tree without an outline
  // True: name the operators that launch the kernels, if one line launches all of them.
  bool operators = false;
  bool fold_threads = false;  // merge threads that only wait, one row per pool
  bool fold_streams = false;  // merge nearly idle GPU streams, one row per GPU
};

}  // namespace gprofx
