// What an emulator of user programs (qemu-user 7.2) has not: tests that need it end with one line.
#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>

namespace gprofx::agent {

inline bool Lacks(bool lacks, const char* what) {
  if (lacks) WARN("skipped: the kernel here has no " << what);
  return lacks;
}

inline bool LacksCopies() {
  char from = 1, to = 0;
  const iovec local{&to, 1}, remote{&from, 1};
  return Lacks(process_vm_readv(getpid(), &local, 1, &remote, 1, 0) < 0 && errno == ENOSYS,
               "process_vm_readv");
}

// A second mapping of shared memory: mremap of 0 bytes.
inline bool LacksSecondMapping() {
  void* first = mmap(nullptr, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  void* second = mremap(first, 0, 4096, MREMAP_MAYMOVE);
  const bool lacks = second == MAP_FAILED;
  if (!lacks) munmap(second, 4096);
  munmap(first, 4096);
  return Lacks(lacks, "mremap of 0 bytes");
}

inline bool LacksSeccomp() {
  return Lacks(prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0 && errno == EINVAL, "seccomp");
}

}  // namespace gprofx::agent
