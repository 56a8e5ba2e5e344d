// Communication between ranks: merging up a binary tree to rank 0 (Reduce), sending from rank 0 to
// all (Broadcast), and sending data of each pair of ranks to each other (Exchange). Used inside
// core/variability only. Blocking.
#pragma once

#include <string>
#include <utility>

#include "core/variability/ranks.h"

namespace gprofx::variability {

inline Error CannotRead(uint32_t rank) {
  return {ErrorId::kRankLost, "cannot read the data of rank " + std::to_string(rank),
          "run the same version of gprof-x on all ranks"};
}

// Merges the data of all ranks on rank 0, up a binary tree. `take` merges the data that a higher
// rank sent; false means that it cannot be read. `give` returns the data to send to the lower rank.
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

// Each rank sends every other rank the data that the receiver merges: `give` returns it, `take`
// merges it. In each round all ranks are in pairs (or alone), and the lower rank of a pair sends
// first, so there is no deadlock.
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
