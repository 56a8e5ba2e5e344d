// Answers processes of the recording that may not open its memory by name: another user, another
// root, other namespaces (samplers/agent/join.h asks).
//
// Who knows the secret of GPROFX_SESSION is of the recording. The answer is the descriptor of the
// memory and the process's number as we see it, which the kernel vouches for. One thread; never
// waits: an asker that does not take its answer goes without.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>

namespace gprofx {

struct JoinAnswer {
  int memory = -1;  // -1: nobody is answered; not owned
  uint64_t secret = 0;
};

// `from` is where the request came from, `pid` who sent it.
void AnswerJoin(const JoinAnswer& answer, int socket, const sockaddr_un& from, socklen_t from_bytes,
                int64_t pid);

}  // namespace gprofx
