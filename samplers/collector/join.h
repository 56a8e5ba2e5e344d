// Answers processes of the recording that may not open its memory by name: another user, another
// root, other namespaces (samplers/agent/process/join.h asks).
//
// A process that presents the secret of GPROFX_SESSION is part of the recording. The answer is the
// descriptor of its user's memory and the process's number as we see it; the kernel vouches for
// user and number. One thread; never waits: an asker that does not take its answer goes without.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>

namespace gprofx {

struct JoinAnswer {
  int memory = -1;  // the sender's; not owned
  uint64_t secret = 0;
};

// `from` is where the request came from, `pid` who sent it. False: it could not be sent.
bool AnswerJoin(const JoinAnswer& answer, const sockaddr_un& from, socklen_t from_bytes,
                int64_t pid);

}  // namespace gprofx
