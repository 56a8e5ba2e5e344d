#include "formats/database/schema.h"

namespace gprofx {

// Ids count from 1 without gaps; a reference of 0 means none. Times are nanoseconds of
// CLOCK_MONOTONIC since the start of the recording. Tables and columns are never removed and never
// change their meaning. A new minor version only adds tables or columns.
const char kSchemaSql[] = R"sql(
CREATE TABLE meta(            -- facts about the recording, one text each
  name TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL);
CREATE TABLE quality(         -- named counters of what was lost, cut or unknown
  name TEXT PRIMARY KEY NOT NULL,
  value INTEGER NOT NULL);
CREATE TABLE string(
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL);        -- unique; any bytes, mostly UTF-8
CREATE TABLE process(
  id INTEGER PRIMARY KEY,
  pid INTEGER NOT NULL,
  parent_pid INTEGER NOT NULL,
  name INTEGER NOT NULL,        -- string: the script or program
  command INTEGER NOT NULL,     -- string: the whole command line
  start_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,      -- 0 = not seen to end
  exit_status INTEGER NOT NULL  -- 128 + signal as shells say it; -1 = unknown
);
CREATE TABLE thread(
  id INTEGER PRIMARY KEY,
  process INTEGER NOT NULL,
  tid INTEGER NOT NULL,
  name INTEGER NOT NULL,      -- string
  start_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,    -- 0 = not seen to end
  cpu_ns INTEGER NOT NULL,    -- by the thread's own CPU clock while it was profiled
  lost_ns INTEGER NOT NULL    -- weight of samples that were dropped
);
CREATE TABLE module(          -- executables and shared libraries
  id INTEGER PRIMARY KEY,
  path INTEGER NOT NULL,      -- string
  build_id INTEGER NOT NULL,  -- string: lower-case hexadecimal
  flags INTEGER NOT NULL      -- 1 holds CPython, 2 part of gprof-x, 4 vdso
);
CREATE TABLE load_range(      -- where a module was mapped in a process
  id INTEGER PRIMARY KEY,
  process INTEGER NOT NULL,
  module INTEGER NOT NULL,
  base INTEGER NOT NULL,           -- load bias
  begin_address INTEGER NOT NULL,  -- unsigned 64-bit numbers, stored as signed
  end_address INTEGER NOT NULL     -- first address behind the range
);
CREATE TABLE function(
  id INTEGER PRIMARY KEY,
  name INTEGER NOT NULL,        -- string: qualified name (Python), demangled (native)
  file INTEGER NOT NULL,        -- string: where it is defined
  first_line INTEGER NOT NULL,  -- 0 = unknown
  module INTEGER NOT NULL       -- 0 for Python
);
CREATE TABLE frame(
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,      -- 0 root, 1 python, 2 native, 3 inlined, 4 unknown, 5 truncated, 6 idle, 7 operator,
                              -- 8 cuda_api, 9 gpu_kernel, 10 gpu_instruction, 11 marker, 12 gpu_copy,
                              -- 13 process
  function INTEGER NOT NULL,  -- 0 = no name known
  file INTEGER NOT NULL,      -- string: file of `line`; 0 = the function's file
  line INTEGER NOT NULL,      -- 0 = unknown
  module INTEGER NOT NULL,
  address INTEGER NOT NULL    -- native without a name: offset from the load bias; unknown: absolute; unsigned 64-bit
);
CREATE TABLE node(            -- the calling-context tree; node 1 is the root
  id INTEGER PRIMARY KEY,
  parent INTEGER NOT NULL,    -- smaller than id; 0 for the root
  frame INTEGER NOT NULL);
CREATE TABLE metric(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,         -- ns, count
  kind INTEGER NOT NULL       -- 0 sampled, 1 exact
);
CREATE TABLE value(           -- what a node cost itself; inclusive values are derived
  id INTEGER PRIMARY KEY,
  node INTEGER NOT NULL,
  thread INTEGER NOT NULL,
  metric INTEGER NOT NULL,
  self INTEGER NOT NULL);
CREATE TABLE stream(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,         -- cpu samples, kernels, copies, ...
  rows INTEGER NOT NULL,      -- over all chunks
  columns TEXT NOT NULL       -- column numbers of the chunks and what they are
);
CREATE TABLE chunk(           -- rows of a stream, see gprof-x-format(5)
  id INTEGER PRIMARY KEY,
  stream INTEGER NOT NULL,
  t_begin INTEGER NOT NULL,   -- first and last time in the chunk, both inclusive
  t_end INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  codec INTEGER NOT NULL,     -- 1 = directory + one zstd frame per column
  data BLOB NOT NULL);
CREATE INDEX chunk_by_time ON chunk(stream, t_begin);
CREATE TABLE gpu_device(
  id INTEGER PRIMARY KEY,
  name INTEGER NOT NULL,      -- string
  uuid INTEGER NOT NULL,      -- string
  pci_bus INTEGER NOT NULL,   -- string
  compute_major INTEGER NOT NULL,
  compute_minor INTEGER NOT NULL,
  multiprocessors INTEGER NOT NULL,
  clock_hz INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL,
  memory_bytes_per_s INTEGER NOT NULL,
  driver INTEGER NOT NULL     -- string
);
CREATE TABLE gpu_context(
  id INTEGER PRIMARY KEY,
  process INTEGER NOT NULL,
  device INTEGER NOT NULL,
  number INTEGER NOT NULL     -- as CUPTI counts it within the process
);
CREATE TABLE gpu_stream(
  id INTEGER PRIMARY KEY,
  context INTEGER NOT NULL,
  number INTEGER NOT NULL,
  priority INTEGER NOT NULL);
CREATE TABLE gpu_kernel_config(
  id INTEGER PRIMARY KEY,
  function INTEGER NOT NULL,
  grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  registers INTEGER NOT NULL,
  static_shared_bytes INTEGER NOT NULL,
  dynamic_shared_bytes INTEGER NOT NULL,
  local_bytes INTEGER NOT NULL);
CREATE TABLE cubin(           -- code of sampled GPU functions; data may be empty
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,         -- 16 hexadecimal digits
  data BLOB NOT NULL);
CREATE TABLE source(          -- sources that would vanish, for example generated kernels
  id INTEGER PRIMARY KEY,
  path INTEGER NOT NULL,      -- string
  text TEXT NOT NULL);
CREATE TABLE wall_part(       -- where the wall time of a run with a GPU went; all parts are the run
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,         -- gpu.compute, idle.python, ...
  ns INTEGER NOT NULL,
  margin_ns INTEGER NOT NULL);  -- where only some of the time was seen: good to -+ so much (95 %)
CREATE TABLE wall_lane(       -- one process on one GPU, from its first work there to its end
  id INTEGER PRIMARY KEY,
  process INTEGER NOT NULL,
  device INTEGER NOT NULL,    -- 0 = unknown
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  hidden_communication_ns INTEGER NOT NULL);
CREATE TABLE wall_lane_part(  -- where the time of a lane went; all parts are the lane
  id INTEGER PRIMARY KEY,
  lane INTEGER NOT NULL,      -- wall_lane, ascending
  name TEXT NOT NULL,         -- as in wall_part
  ns INTEGER NOT NULL,
  margin_ns INTEGER NOT NULL);
CREATE TABLE phase(           -- in order of time, from 0 to the end of the recording
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,      -- 1 start-up, 2 warm-up, 3 steady, 4 end, 5 work (no steps were found)
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL);
CREATE TABLE step_train(      -- the steps of one process; the phases are made of those of the first row
  id INTEGER PRIMARY KEY,
  process INTEGER NOT NULL,
  source INTEGER NOT NULL,    -- found by 1 markers, 2 calls of an optimizer, 3 the period of launches
  warm_up INTEGER NOT NULL    -- so many of the first steps are warm-up
);
CREATE TABLE step(
  id INTEGER PRIMARY KEY,
  train INTEGER NOT NULL,     -- step_train, ascending
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL);
CREATE TABLE steady_wall_part(  -- as wall_part, of the steady phase only
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  ns INTEGER NOT NULL,
  margin_ns INTEGER NOT NULL);
CREATE TABLE steady_lane(       -- as wall_lane
  id INTEGER PRIMARY KEY,
  process INTEGER NOT NULL,
  device INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  hidden_communication_ns INTEGER NOT NULL);
CREATE TABLE steady_lane_part(  -- as wall_lane_part
  id INTEGER PRIMARY KEY,
  lane INTEGER NOT NULL,        -- steady_lane, ascending
  name TEXT NOT NULL,
  ns INTEGER NOT NULL,
  margin_ns INTEGER NOT NULL);
CREATE TABLE recording(       -- of a merged profile: what it is made of
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL,
  rank INTEGER NOT NULL,      -- in a distributed run; -1 = unknown
  start_realtime_ns INTEGER NOT NULL,
  clock_offset_ns INTEGER NOT NULL);
CREATE TABLE recording_fact(
  id INTEGER PRIMARY KEY,
  recording INTEGER NOT NULL,
  name TEXT NOT NULL,         -- as in meta
  value TEXT NOT NULL);
CREATE TABLE recording_counter(
  id INTEGER PRIMARY KEY,
  recording INTEGER NOT NULL,
  name TEXT NOT NULL,         -- as in quality
  value INTEGER NOT NULL);
CREATE TABLE process_recording(
  id INTEGER PRIMARY KEY,     -- process
  recording INTEGER NOT NULL);
CREATE TABLE finding(         -- what the analyses found
  id INTEGER PRIMARY KEY,
  rule TEXT NOT NULL,
  node INTEGER NOT NULL,
  saving_ns INTEGER NOT NULL, -- estimated
  evidence TEXT NOT NULL);
)sql";

}  // namespace gprofx
