// Implements communication patterns between ranks: Reduce merges all data on rank 0, Broadcast
// sends data from rank 0 to all ranks, and Exchange lets every rank send to every other rank. Used
// inside core/variability only. Blocking.
#pragma once

#include <string>
#include <utility>

#include "core/variability/ranks.h"

namespace gprofx::variability {

inline Error CannotRead(uint32_t rank) {
  return {ErrorId::kRankLost, "cannot read the data of rank " + std::to_string(rank),
          "run the same version of gprof-x on all ranks"};
}

// Merges the data of all ranks on rank 0, up a binary tree. `give` returns the data that this rank
// sends to a lower rank. `take` merges the data of a higher rank and returns false if it cannot
// read them.
template <class Take, class Give>
Status Reduce(Ranks& ranks, Take take, Give give) {
  for (uint32_t step = 1; step < ranks.size(); step *= 2) {
    if (ranks.rank() % (2 * step) != 0) {
      return ranks.Send(ranks.rank() - step, give());
    }
    if (ranks.rank() + step >= ranks.size()) continue;
    const Result<std::string> bytes = ranks.Receive(ranks.rank() + step);
    if (!bytes) return bytes.error();
    if (!take(*bytes)) return CannotRead(ranks.rank() + step);
  }
  return Ok();
}

// Lets each rank send data to every other rank. `give(other)` returns the data for rank `other`;
// `take` merges received data and returns false if it cannot read them. Each round pairs up the
// ranks, and the lower rank of a pair sends first, which avoids a deadlock.
template <class Give, class Take>
Status Exchange(Ranks& ranks, Give give, Take take) {
  for (uint32_t round = 0; round < ranks.size(); ++round) {
    const uint32_t other = (round + ranks.size() - ranks.rank()) % ranks.size();
    if (other == ranks.rank()) continue;
    const bool is_first = ranks.rank() < other;
    const auto send = [&] { return ranks.Send(other, give(other)); };
    if (is_first) {
      if (Status sent = send(); !sent) return sent;
    }
    const Result<std::string> bytes = ranks.Receive(other);
    if (!bytes) return bytes.error();
    if (!take(*bytes)) return CannotRead(other);
    if (!is_first) {
      if (Status sent = send(); !sent) return sent;
    }
  }
  return Ok();
}

inline Result<std::string> Broadcast(Ranks& ranks, std::string bytes) {
  uint32_t top = 1;
  while (top < ranks.size()) top *= 2;
  for (uint32_t step = top / 2; step > 0; step /= 2) {
    if (ranks.rank() % (2 * step) == 0 && ranks.rank() + step < ranks.size()) {
      if (Status sent = ranks.Send(ranks.rank() + step, bytes); !sent) return sent.error();
    } else if (ranks.rank() % (2 * step) == step) {
      Result<std::string> received = ranks.Receive(ranks.rank() - step);
      if (!received) return received;
      bytes = std::move(*received);
    }
  }
  return bytes;
}

}  // namespace gprofx::variability
