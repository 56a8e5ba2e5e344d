#include "samplers/collector/join.h"

#include <cstring>

#include "core/base/unique_fd.h"
#include "samplers/wire/layout.h"

namespace gprofx {

bool AnswerJoin(const JoinAnswer& answer, const sockaddr_un& from, socklen_t from_bytes,
                int64_t pid) {
  wire::JoinReply reply{answer.secret, pid};
  iovec part{&reply, sizeof reply};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  sockaddr_un to = from;
  msghdr head{};
  head.msg_name = &to;
  head.msg_namelen = from_bytes;
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  head.msg_control = room;
  head.msg_controllen = sizeof room;
  cmsghdr* extra = CMSG_FIRSTHDR(&head);
  extra->cmsg_level = SOL_SOCKET;
  extra->cmsg_type = SCM_RIGHTS;
  extra->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(extra), &answer.memory, sizeof answer.memory);
  // Use a new socket for each answer. Answers that nobody reads fill the buffer of the socket that
  // sent them.
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return socket && sendmsg(socket.get(), &head, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

}  // namespace gprofx
