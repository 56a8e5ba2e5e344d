#include "samplers/collector/spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "samplers/collector/session.h"

namespace gprofx {
namespace {

std::string TestFolder() {
  std::string name = "/tmp/gprofx-spool-XXXXXX";
  return mkdtemp(name.data());
}

size_t EntriesOf(const std::string& folder) {
  size_t count = 0;
  DIR* open_folder = opendir(folder.c_str());
  while (readdir(open_folder) != nullptr) ++count;
  closedir(open_folder);
  return count - 2;
}

TEST_CASE("What a target writes into the spool can be read, and nothing else") {
  const std::string folder = TestFolder();
  auto spool = Spool::Create(folder + "/run.gprofx");
  REQUIRE(spool);
  CHECK(EntriesOf(folder) == 0);  // it has no name
  CHECK(spool->limit() > 0);
  CHECK(spool->limit() <= Spool::kMaxBytes);

  const std::string path = "/proc/self/fd/" + std::to_string(spool->descriptor());
  const UniqueFd target(open(path.c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(target);
  struct stat status {};
  fstat(target.get(), &status);
  CHECK((status.st_mode & 0777) == 0600);
  REQUIRE(pwrite(target.get(), "cubin", 5, 100) == 5);

  const auto read = spool->Read(100, 5);
  REQUIRE(read);
  CHECK(static_cast<char>((*read)[4]) == 'n');
  CHECK_FALSE(spool->Read(100, 6));
  CHECK_FALSE(spool->Read(106, 1));
  CHECK_FALSE(spool->Read(UINT64_MAX, 2));
  CHECK_FALSE(spool->Read(2, UINT64_MAX));
  CHECK_FALSE(spool->Read(0, 0));
  REQUIRE(ftruncate(target.get(), 50) == 0);
  CHECK_FALSE(spool->Read(100, 5));
  rmdir(folder.c_str());
}

TEST_CASE("A folder that is not there is an error") {
  CHECK_FALSE(Spool::Create("/nonexistent/folder/run.gprofx"));
}

TEST_CASE("Targets learn of the GPU side from the facts, and of the spool from the environment") {
  auto session = Session::Create({}, true);
  REQUIRE(session);
  session->SetGpu({wire::kModePc, 16, 0}, 9, 1000);
  const wire::SessionFacts& facts = session->memory(0).control().facts;
  CHECK(facts.gpu.mode == wire::kModePc);
  CHECK(facts.gpu.pc_period == 16);
  CHECK(facts.spool_limit == 1000);
  CHECK(session->EnvironmentValue().ends_with("@9"));
  session->SetGpu({wire::kModeOff, 0, 0}, -1, 1000);
  CHECK(facts.spool_limit == 0);
  CHECK(session->EnvironmentValue().ends_with("@"));
}

}  // namespace
}  // namespace gprofx
