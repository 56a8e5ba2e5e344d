// Answers processes of the recording that cannot open its shared memory by name, because they have
// another user, root directory or namespaces (samplers/agent/process/join.h asks).
//
// A process that presents the secret of GPROFX_SESSION is part of the recording. The answer
// contains the descriptor of its user's memory and the process's PID as we see it. User and PID
// come from the kernel. One thread. Never waits: a process that does not read its answer gets none.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>

namespace gprofx {

struct JoinAnswer {
  int memory = -1;  // descriptor of the memory of the sender's user; not owned
  uint64_t secret = 0;
};

// Sends an answer. `from` is the address that the request came from, and `pid` the process that
// sent it. Returns false if the answer could not be sent.
bool AnswerJoin(const JoinAnswer& answer, const sockaddr_un& from, socklen_t from_bytes,
                int64_t pid);

}  // namespace gprofx
