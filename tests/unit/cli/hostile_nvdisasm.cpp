// In the place of nvdisasm: tries what a disassembler has no business with, and lists what worked.
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int count, char** words) {
  const std::string file = words[count - 1];
  int line = 0;
  const auto tell = [&line](const char* what) {
    std::printf("/*%04x*/ %s ;\n", 16 * line++, what);
  };
  const auto worked = [&tell](const char* what, bool done) {
    if (done) tell(what);
  };
  char first = 0;
  const int in = open(file.c_str(), O_RDONLY);
  worked("READ", in >= 0 && read(in, &first, 1) == 1);
  worked("WRITE", open(file.c_str(), O_WRONLY) >= 0);
  worked("CREATE", open((file + ".new").c_str(), O_CREAT | O_RDWR, 0600) >= 0);
  worked("REMOVE", unlink(file.c_str()) == 0);
  worked("RENAME", rename(file.c_str(), (file + ".new").c_str()) == 0);
  worked("CHMOD", chmod(file.c_str(), 0777) == 0);
  worked("INTERNET", socket(AF_INET, SOCK_STREAM, 0) >= 0);
  worked("LOCAL", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
  worked("SIGNAL", kill(getppid(), 0) == 0 || kill(-1, 0) == 0);
  worked("TRACE", ptrace(PTRACE_SEIZE, getppid(), nullptr, nullptr) == 0);
  struct rlimit limit = {};
  worked("LIMITS", prlimit(1, RLIMIT_NOFILE, nullptr, &limit) == 0);
  const rlimit more = {RLIM_INFINITY, RLIM_INFINITY};
  worked("MEMORY", setrlimit(RLIMIT_AS, &more) == 0);
  worked("SECRETS", getenv("GPROFX_TEST_SECRET") != nullptr);
  for (int fd = 3; fd < 1024; ++fd) worked("DESCRIPTOR", fd != in && fcntl(fd, F_GETFD) >= 0);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  worked("FORK", child > 0);
  return 0;
}
