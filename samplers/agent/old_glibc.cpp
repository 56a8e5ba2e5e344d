#include "samplers/old_glibc.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

GPROFX_OLD(dlerror, "2.2.5");
GPROFX_OLD(dlsym, "2.2.5");
GPROFX_OLD(pthread_key_create, "2.2.5");
GPROFX_OLD(pthread_setspecific, "2.2.5");

// A function since 2.33 only; __fxstat before.
extern "C" int fstat(int fd, struct stat* status) noexcept {
  return static_cast<int>(syscall(SYS_fstat, fd, status));
}
