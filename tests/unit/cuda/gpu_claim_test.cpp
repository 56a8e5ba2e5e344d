#include "samplers/cuda/gpu_claim.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>

using gprofx::cuda::DeviceId;
using gprofx::cuda::ForgetClaims;
using gprofx::cuda::GpuClaim;

namespace {

// A GPU that only this process knows.
DeviceId Gpu(uint8_t number) {
  DeviceId id{};
  const pid_t pid = getpid();
  std::memcpy(id.data(), &pid, sizeof(pid));
  id[15] = number;
  return id;
}

bool IsFree(const DeviceId& gpu) { return GpuClaim().Take(gpu); }

}  // namespace

TEST_CASE("a GPU is claimed by one at a time, until it is released") {
  GpuClaim first;
  CHECK(first.Take(Gpu(1)));
  CHECK_FALSE(IsFree(Gpu(1)));
  CHECK(IsFree(Gpu(2)));
  first.Release();
  CHECK(IsFree(Gpu(1)));
}

TEST_CASE("a claim ends with its owner, also where a fork child lives on") {
  const DeviceId gpu = Gpu(3);
  int hold[2], ready[2];
  REQUIRE(pipe(hold) == 0);
  REQUIRE(pipe(ready) == 0);
  auto claim = std::make_unique<GpuClaim>();
  REQUIRE(claim->Take(gpu));
  const pid_t child = fork();
  if (child == 0) {
    close(hold[1]);
    ForgetClaims();
    char byte = 0;
    if (write(ready[1], "r", 1) != 1 || read(hold[0], &byte, 1) != 0) _exit(1);
    _exit(0);
  }
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  CHECK_FALSE(IsFree(gpu));
  claim.reset();
  CHECK(IsFree(gpu));
  close(hold[1]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  for (const int fd : {hold[0], ready[0], ready[1]}) close(fd);
}

TEST_CASE("a program that closed our descriptor keeps what it opened by that number") {
  GpuClaim claim;
  REQUIRE(claim.Take(Gpu(4)));
  int ours = 200;
  while (ours < 300 && fcntl(ours, F_GETFD) < 0) ++ours;
  REQUIRE(ours < 300);
  const int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
  REQUIRE(dup2(other, ours) == ours);
  claim.Release();
  CHECK(fcntl(ours, F_GETFD) >= 0);
  close(ours);
  close(other);
}
