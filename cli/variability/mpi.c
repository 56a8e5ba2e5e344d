// gprofx-mpi: forwards the messages between the ranks of `mpirun gprof-x variability`.
//
// gprof-x is linked statically and without MPI, because each cluster has its own. Only this file
// uses it:
//   mpicc -O2 -o .../lib/gprof-x/gprofx-mpi gprofx-mpi.c
// If gprof-x was started as one of several ranks, it replaces itself by this program. This program
// first starts gprof-x again, before it uses MPI, with a socket as descriptor GPROFX_RANKS_FD. It
// sends rank, size and the number of ranks on this host. From then on, gprof-x sends these
// requests:
//   {1, to, n} and n bytes     send the bytes to a rank
//   {2, from, 0}               answer: 8 bytes n, then the n bytes that the rank sent
//   {3, 0, 0}                  end
// If gprof-x ends without the last request, the job is aborted, so that no other rank waits for it.
// The exit status is that of gprof-x.
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct frame {
  uint32_t what, rank;
  uint64_t bytes;
};

static int piece_size = 1 << 28;  // bytes; the length of an MPI message is an int

static int read_all(int fd, char* data, uint64_t size) {
  while (size > 0) {
    const ssize_t got = read(fd, data, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    data += got;
    size -= (uint64_t)got;
  }
  return 1;
}

static int write_all(int fd, const char* data, uint64_t size) {
  while (size > 0) {
    const ssize_t put = write(fd, data, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return 0;
    data += put;
    size -= (uint64_t)put;
  }
  return 1;
}

static char* room(uint64_t size) {
  char* data = malloc(size > 0 ? size : 1);
  if (data == NULL) {
    fputs("gprofx-mpi: out of memory\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return data;
}

static int piece(uint64_t left) { return left < (uint64_t)piece_size ? (int)left : piece_size; }

static int pass_on(int fd, const struct frame* frame) {
  char* data = room(frame->bytes);
  const int is_read = read_all(fd, data, frame->bytes);
  if (is_read) {
    uint64_t size = frame->bytes;
    MPI_Send(&size, 1, MPI_UINT64_T, (int)frame->rank, 0, MPI_COMM_WORLD);
    for (uint64_t at = 0; at < size; at += (uint64_t)piece(size - at)) {
      MPI_Send(data + at, piece(size - at), MPI_BYTE, (int)frame->rank, 1, MPI_COMM_WORLD);
    }
  }
  free(data);
  return is_read;
}

static int fetch(int fd, const struct frame* frame) {
  uint64_t size = 0;
  MPI_Recv(&size, 1, MPI_UINT64_T, (int)frame->rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  char* data = room(size);
  for (uint64_t at = 0; at < size; at += (uint64_t)piece(size - at)) {
    MPI_Recv(data + at, piece(size - at), MPI_BYTE, (int)frame->rank, 1, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
  const int is_written =
      write_all(fd, (const char*)&size, sizeof size) && write_all(fd, data, size);
  free(data);
  return is_written;
}

int main(int argc, char** argv) {
  int pair[2];
  if (argc < 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
    fputs("gprofx-mpi: only gprof-x, which mpirun starts, may start this program\n", stderr);
    return 2;
  }
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    char number[16];
    close(pair[0]);
    snprintf(number, sizeof number, "%d", pair[1]);
    setenv("GPROFX_RANKS_FD", number, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(2);
    execv(argv[1], argv + 1);
    perror("gprofx-mpi: cannot start gprof-x");
    _exit(2);
  }
  close(pair[1]);
  if (child < 0) return 2;
  signal(SIGPIPE, SIG_IGN);

  MPI_Init(&argc, &argv);
  int rank = 0, size = 1, local = 1;
  MPI_Comm host;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &local);
  MPI_Comm_free(&host);
  const uint32_t facts[3] = {(uint32_t)rank, (uint32_t)size, (uint32_t)local};
  int is_done = 0;
  struct frame frame;
  if (write_all(pair[0], (const char*)facts, sizeof facts)) {
    while (read_all(pair[0], (char*)&frame, sizeof frame)) {
      if (frame.what == 3) is_done = 1;
      if (frame.what == 1 && frame.rank < (uint32_t)size && pass_on(pair[0], &frame)) continue;
      if (frame.what == 2 && frame.rank < (uint32_t)size && fetch(pair[0], &frame)) continue;
      break;
    }
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (!is_done) MPI_Abort(MPI_COMM_WORLD, code != 0 ? code : 2);
  MPI_Finalize();
  return code;
}
