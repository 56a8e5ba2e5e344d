// Makes a filter for a datagram socket (SO_ATTACH_FILTER) that passes only messages that begin with
// a secret. The kernel runs it in the sender's own system call, so other messages and their
// descriptors cost the receiver nothing. Both sides of the wire attach it before they bind the
// socket. Pure.
#pragma once

#include <linux/filter.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace gprofx::wire {

using SecretFilter = std::array<sock_filter, 6>;

// Returns 4 bytes of `number`, from byte `at` on, in network order, as classic BPF loads them.
inline uint32_t NetworkWord(uint64_t number, uint32_t at) {
  uint8_t bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  return uint32_t{bytes[at]} << 24 | uint32_t{bytes[at + 1]} << 16 | uint32_t{bytes[at + 2]} << 8 |
         bytes[at + 3];
}

inline SecretFilter FilterFor(uint64_t secret) {
  return {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NetworkWord(secret, 0), 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NetworkWord(secret, 4), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
      BPF_STMT(BPF_RET | BPF_K, 0),
  }};
}

}  // namespace gprofx::wire
