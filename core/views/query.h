// What is asked of a profile, and how much of the answer there is room for.
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

// Whose code is shown where Python and native code call each other.
enum class CodeView {
  kMixed,   // both; of the interpreter only families of its functions
  kPython,  // Python alone: what native code did is its Python line's own time
  kNative,  // native code alone, the interpreter's too: what a profiler that knows no Python sees
};

struct Query {
  ViewKind kind = ViewKind::kTop;
  RowsBy by = RowsBy::kDefault;
  std::string callers_of;
  std::optional<size_t> limit;  // rows or lines; nothing = what there is room for
  std::string metric;           // "" = what the clock of the recording counts
  std::string focus, ignore;    // POSIX extended expressions, "" = none
  bool all_frames =
      false;  // also the plumbing of the interpreter, of the C library and of profiling
  PartQuery part;
  CodeView code = CodeView::kMixed;
};

// What a face shows where the query names no limit. By default everything.
struct Room {
  size_t rows = SIZE_MAX;          // of a table
  size_t picture_rows = SIZE_MAX;  // of each table of the picture of a GPU and its host
  size_t threads = SIZE_MAX;       // processes and threads
  std::optional<size_t> waits;     // calls that wait for the GPU, whatever the limit is
  std::optional<size_t> outline;   // lines of a tree; nothing = the whole tree and no outline
  bool fold_threads = false;       // threads that only wait are one row for each pool
  bool fold_streams = false;       // GPU streams that did next to nothing are one row for each GPU
};

}  // namespace gprofx
