// The ranks of an MPI job, as a program without MPI sees them: gprofx-mpi (mpi.c) starts gprof-x on
// each and passes on what they send each other, over a socket. Blocking; one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/variability/ranks.h"

namespace gprofx {

// Was this process started as one of several ranks, by mpirun or srun?
bool IsOneOfManyRanks();

// Makes this process gprofx-mpi, which starts it again with a socket. Returns only if that fails.
Error BecomeRank(const std::vector<std::string>& args);

struct RankConnection {
  std::unique_ptr<variability::Ranks> ranks;
  uint32_t on_this_host = 1;
};
// Nothing: there is no socket, it is alone.
Result<std::optional<RankConnection>> ConnectRanks();

}  // namespace gprofx
