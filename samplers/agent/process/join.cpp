#include "samplers/agent/process/join.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/process/session.h"
#include "samplers/wire/layout.h"
#include "samplers/wire/secret_filter.h"

namespace gprofx::agent {
namespace {

constexpr int64_t kPatienceNs = 200'000'000;

class Address {  // socket address in the abstract namespace
 public:
  explicit Address(const char (&name)[64]) {
    address_.sun_family = AF_UNIX;
    const size_t length = strnlen(name, sizeof name);
    std::memcpy(address_.sun_path + 1, name, length);
    bytes_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&address_); }
  socklen_t bytes() const { return bytes_; }

 private:
  sockaddr_un address_{};
  socklen_t bytes_ = 0;
};

class Socket {
 public:
  Socket() : fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int get() const { return fd_; }

  bool Connect(const char (&name)[64]) const {
    Address address(name);
    return name[0] != 0 && connect(fd_, address.get(), address.bytes()) == 0;
  }
  // Installs a filter on the socket that drops datagrams which do not begin with the secret. Other
  // processes can see the address to which this socket is bound next, and may send to it. The
  // kernel runs the filter in the sender's own system call.
  bool DropOthers(uint64_t secret) const {
    wire::SecretFilter code = wire::FilterFor(secret);
    const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    return RawSyscall(SYS_setsockopt, fd_, SOL_SOCKET, SO_ATTACH_FILTER, AsArgument(&program),
                      sizeof program) == 0;
  }
  // Binds the socket to an address that the kernel chooses. The collector sends its reply there.
  bool BindAnywhere() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    return bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address.sun_family) == 0;
  }

 private:
  int fd_;
};

bool WaitFor(int fd, short event, int64_t until) {
  while (true) {
    const int64_t left = until - MonotonicNs();
    if (left <= 0) return false;
    pollfd waiting{fd, event, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left / 1'000'000 + 1));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// Sends the request and returns true on success. While the collector's queue is full, tries again
// until `until`: on many machines the queue holds only ten datagrams (net.unix.max_dgram_qlen). The
// socket must not be connected, because it would then accept a reply only from the collector's own
// socket.
bool Send(int fd, const char (&name)[64], wire::JoinRequest request, int64_t until) {
  Address to(name);
  iovec part{&request, sizeof request};
  msghdr head{};
  head.msg_name = to.get();
  head.msg_namelen = to.bytes();
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  while (sendmsg(fd, &head, MSG_NOSIGNAL) != sizeof request) {
    if ((errno != EAGAIN && errno != EINTR) || MonotonicNs() >= until) return false;
    poll(nullptr, 0, 1);
  }
  return true;
}

int TakeReply(int fd, uint64_t secret, int64_t* host_pid) {
  wire::JoinReply reply{};
  iovec part{&reply, sizeof reply};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))];
  msghdr head{};
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  head.msg_control = room;
  head.msg_controllen = sizeof room;
  const ssize_t got = recvmsg(fd, &head, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  const cmsghdr* extra = got < 0 ? nullptr : CMSG_FIRSTHDR(&head);
  if (extra == nullptr || extra->cmsg_type != SCM_RIGHTS) return -1;
  int memory = -1;
  std::memcpy(&memory, CMSG_DATA(extra), sizeof memory);
  if (got == sizeof reply && reply.secret == secret) {
    *host_pid = reply.host_pid;
    return memory;
  }
  close(memory);
  return -1;
}

// Copies the part of `from` that precedes the character `end` into `to`, or all of it if there is
// no such character. Returns a pointer to the rest of the text, or null if `to` is too small.
template <size_t kRoom>
const char* CopyPart(const char* from, char end, char (&to)[kRoom]) {
  size_t n = 0;
  for (; *from != 0 && *from != end; ++from) {
    if (n + 1 >= kRoom) return nullptr;
    to[n++] = *from;
  }
  to[n] = 0;
  return *from == end ? from + 1 : from;
}

// Sets name->spool from `rest`, the part of the session variable that names the spool. "@9" is the
// file 9 in the directory of name->path. "" and "@" mean that there is no spool; name->spool is
// then empty. Returns false if `rest` is malformed.
bool ParseSpool(const char* rest, SessionName* name) {
  name->spool[0] = 0;
  if (rest[0] == 0 || rest[1] == 0) return true;
  const char* slash = std::strrchr(name->path, '/');
  const size_t folder = slash == nullptr ? 0 : static_cast<size_t>(slash - name->path) + 1;
  const size_t digits = std::strspn(rest + 1, "0123456789");
  if (digits == 0 || rest[1 + digits] != 0 || folder + digits >= sizeof name->spool) return false;
  std::memcpy(name->spool, name->path, folder);
  std::memcpy(name->spool + folder, rest + 1, digits + 1);
  return true;
}

}  // namespace

bool ParseSessionName(const char* value, SessionName* name) {
  const char* rest = CopyPart(value, '@', name->path);
  if (rest != nullptr) rest = CopyPart(rest, '@', name->socket_name);
  if (rest == nullptr) return false;
  name->secret = 0;
  for (; *rest != 0 && *rest != '@'; ++rest) {
    const char c = *rest;
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return false;
    name->secret = name->secret << 4 | static_cast<uint64_t>(digit);
  }
  return ParseSpool(rest, name) && name->path[0] == '/';
}

int OpenByPath(const SessionName& name) { return open(name.path, O_RDWR | O_CLOEXEC); }

int OpenSpool(const SessionName& name) {
  if (name.spool[0] == 0) return -1;
  const int fd = open(name.spool, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  // Check that the descriptor is the spool. The collector's process id may have been reused, and
  // the path may then name any file.
  struct stat facts;
  const bool is_spool = fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) &&
                        facts.st_nlink == 0 && facts.st_uid == geteuid();
  if (is_spool || fd < 0) return fd;
  close(fd);
  return -1;
}

int AskCollector(const SessionName& name, int64_t* host_pid) {
  const int64_t until = MonotonicNs() + kPatienceNs;
  const Socket socket;
  if (socket.get() < 0 || name.socket_name[0] == 0 || !socket.DropOthers(name.secret) ||
      !socket.BindAnywhere()) {
    return -1;
  }
  if (!Send(socket.get(), name.socket_name, {name.secret, 0}, until)) return -1;
  while (WaitFor(socket.get(), POLLIN, until)) {
    const int memory = TakeReply(socket.get(), name.secret, host_pid);
    if (memory >= 0) return memory;
  }
  return -1;
}

bool CanReach(const SessionName& name) {
  if (const int fd = OpenByPath(name); fd >= 0) {
    close(fd);
    return true;
  }
  const Socket socket;
  return socket.get() >= 0 && socket.Connect(name.socket_name);
}

}  // namespace gprofx::agent
