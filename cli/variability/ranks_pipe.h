// The ranks of an MPI job, for a program without MPI: gprofx-mpi (mpi.c) starts gprof-x on each
// rank and forwards their messages over a socket. Blocking; one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/variability/ranks.h"

namespace gprofx {

// True if mpirun or srun started this process as one of several ranks.
bool IsOneOfManyRanks();

// Replaces this process by gprofx-mpi, which starts it again with a socket. Returns only on
// failure.
Error BecomeRank(const std::vector<std::string>& args);

struct RankConnection {
  std::unique_ptr<variability::Ranks> ranks;
  uint32_t on_this_host = 1;
};
// Returns nothing if there is no socket: the process is alone.
Result<std::optional<RankConnection>> ConnectRanks();

}  // namespace gprofx
