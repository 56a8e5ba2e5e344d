// Transfers that a signal would end early, each printed with what came of it: a line is the same
// whoever watches. Sizes take several samples at 50 a second.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

namespace {

constexpr size_t kBytes = size_t{64} << 20;

std::vector<char> g_data(kBytes, 'x');

void Tell(const char* what, ssize_t got, size_t wanted) {
  const bool whole = got >= 0 && static_cast<size_t>(got) == wanted;
  printf("%s: %s\n", what, whole ? "whole" : got < 0 ? strerror(errno) : "a part");
}

// Takes what comes, slowly enough that the other side waits.
void Drain(int from) {
  std::vector<char> room(64 << 10);
  while (read(from, room.data(), room.size()) > 0) {
  }
}

void Feed(int to) {
  constexpr size_t kPiece = 64 << 10;
  for (size_t done = 0; done < kBytes; done += kPiece) {
    if (done % (kPiece * 64) == 0) usleep(2000);
    if (write(to, g_data.data(), kPiece) != static_cast<ssize_t>(kPiece)) return;
  }
}

template <class Write>
void ToPipe(const char* what, const Write& write_all) {
  int ends[2];
  if (pipe(ends) != 0) return;
  std::thread reader(Drain, ends[0]);
  Tell(what, write_all(ends[1]), kBytes);
  close(ends[1]);
  reader.join();
  close(ends[0]);
}

template <class Send>
void ToSocket(const char* what, const Send& send_all) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
  std::thread reader(Drain, ends[0]);
  Tell(what, send_all(ends[1]), kBytes);
  close(ends[1]);
  reader.join();
  close(ends[0]);
}

int FileInMemory() {
  const int file = memfd_create("transfers", 0);
  if (write(file, g_data.data(), kBytes) != static_cast<ssize_t>(kBytes)) return -1;
  return file;
}

void Receive() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
  std::thread writer(Feed, ends[1]);
  Tell("recv with MSG_WAITALL", recv(ends[0], g_data.data(), kBytes, MSG_WAITALL), kBytes);
  writer.join();
  close(ends[0]);
  close(ends[1]);
}

// A receive with a timeout fails with EAGAIN, and with EINTR where somebody signalled the thread.
void ReceiveInTime() {
  int ends[2], interrupted = 0;
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) return;
  const timeval wait{0, 3000};
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  for (int i = 0; i < 150; ++i) {
    volatile unsigned work = 0;
    for (unsigned k = 0; k < 300'000; ++k) work = work + k;
    char byte;
    if (recv(ends[0], &byte, 1, 0) < 0 && errno == EINTR) ++interrupted;
  }
  printf("recv with a timeout: %d interrupted\n", interrupted);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace

int main() {
  const int zero = open("/dev/zero", O_RDONLY), file = FileInMemory();
  Tell("read", read(zero, g_data.data(), kBytes), kBytes);
  Tell("getrandom", getrandom(g_data.data(), kBytes, 0), kBytes);
  const iovec part{g_data.data(), kBytes};
  Tell("readv", readv(zero, &part, 1), kBytes);
  ToPipe("write", [](int to) { return write(to, g_data.data(), kBytes); });
  ToPipe("writev", [&](int to) { return writev(to, &part, 1); });
  ToSocket("send", [](int to) { return send(to, g_data.data(), kBytes, 0); });
  ToSocket("sendfile", [&](int to) {
    off_t at = 0;
    return sendfile(to, file, &at, kBytes);
  });
  Receive();
  ReceiveInTime();
  return 0;
}
