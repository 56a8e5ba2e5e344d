// Connects the ranks of an MPI job. gprof-x is not linked with MPI: gprofx-mpi (mpi.c) starts
// gprof-x on each rank and forwards messages between them over sockets. Blocking; one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/variability/ranks.h"

namespace gprofx {

// True if this process is one of several ranks that mpirun or srun has started.
bool IsOneOfManyRanks();

// Replaces this process by gprofx-mpi, which starts gprof-x again with a socket. Returns only if
// that fails.
Error BecomeRank(const std::vector<std::string>& args);

struct RankConnection {
  std::unique_ptr<variability::Ranks> ranks;
  uint32_t on_this_host = 1;
};
// Connects to gprofx-mpi. Returns nullopt if there is no socket, which means that the process runs
// alone.
Result<std::optional<RankConnection>> ConnectRanks();

}  // namespace gprofx
