// Who may write which file.
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "formats/profile/profile_db.h"
#include "tests/unit/core/random_profile.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
namespace {

using test::TempFolder;
using Names = std::vector<std::string>;

Result<ProfileWriter> Claim(const std::string& path, Existing existing = Existing::kKeepOld) {
  ClaimTrouble trouble{};
  return ProfileWriter::Claim(path, existing, trouble);
}

ClaimTrouble TroubleOf(const std::string& path, Existing existing = Existing::kKeepOld) {
  ClaimTrouble trouble{};
  CHECK_FALSE(ProfileWriter::Claim(path, existing, trouble).ok());
  return trouble;
}

void Finish(Result<ProfileWriter> writer, uint32_t nodes) {
  REQUIRE(writer.ok());
  const Profile profile = test::RandomProfile(1, nodes);
  REQUIRE(writer->Commit(profile).ok());
  REQUIRE(writer->Finish(profile, {}).ok());
}

TEST_CASE("a file that is being written is refused, from the start of its recording to the end") {
  TempFolder folder;
  const std::string path = folder / "p.gprofx";
  for (int i = 0; i < 2; ++i) {  // a free name, and one that has a profile
    Result<ProfileWriter> first = Claim(path);
    REQUIRE(first.ok());
    CHECK(TroubleOf(path) == ClaimTrouble::kInUse);
    REQUIRE(first->Begin().ok());
    CHECK(TroubleOf(path) == ClaimTrouble::kInUse);
    CHECK(TroubleOf(path, Existing::kForce) == ClaimTrouble::kInUse);
    CHECK(TroubleOf(path, Existing::kMustBeNew) == ClaimTrouble::kExists);
    const Profile profile = test::RandomProfile(1, 20);
    REQUIRE(first->Commit(profile).ok());
    CHECK(LoadProfile(path)->nodes.size() == 20);    // readers are not kept out
    CHECK(TroubleOf(path) == ClaimTrouble::kInUse);  // nor do they end the claim
    REQUIRE(first->Finish(profile, {}).ok());
    Finish(ProfileWriter::Create(path), 30);  // it is over before the first writer is gone
    CHECK(LoadProfile(path)->nodes.size() == 30);
    CHECK(folder.Names() == Names{"p.gprofx", "p.gprofx.old"});
    CHECK(LoadProfile(path + ".old")->nodes.size() == 20);
  }
}

TEST_CASE("the claim of a killed recording ends with it") {
  TempFolder folder;
  const std::string path = folder / "p.gprofx";
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t other = fork();
  if (other == 0) {
    auto writer = ProfileWriter::Create(path);
    const Profile profile = test::RandomProfile(1, 20);
    const char ok = writer && writer->Commit(profile) ? 'y' : 'n';
    if (write(ends[1], &ok, 1) == 1) pause();
    _exit(1);
  }
  char ok = 0;
  REQUIRE(read(ends[0], &ok, 1) == 1);
  CHECK(ok == 'y');
  CHECK(TroubleOf(path) == ClaimTrouble::kInUse);
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  Finish(ProfileWriter::Create(path), 30);
  CHECK(LoadProfile(path + ".old")->nodes.size() == 20);
}

TEST_CASE("a recording that does not start leaves everything as it was") {
  TempFolder folder;
  const std::string path = folder / "p.gprofx";
  CHECK(Claim(path).ok());  // given up at once
  CHECK(folder.Names().empty());
  Finish(ProfileWriter::Create(path), 20);
  Finish(ProfileWriter::Create(path), 30);
  CHECK(Claim(path).ok());
  CHECK(folder.Names() == Names{"p.gprofx", "p.gprofx.old"});
  CHECK(LoadProfile(path)->nodes.size() == 30);
  CHECK(LoadProfile(path + ".old")->nodes.size() == 20);
}

TEST_CASE(
    "a file that is no profile is left alone without --force, also at the name of the old one") {
  TempFolder folder;
  const std::string path = folder / "thesis";
  for (const char* text : {"three years of work", ""}) {
    test::WriteBytes(path, std::string(text));
    const auto refused = Claim(path);
    REQUIRE_FALSE(refused.ok());
    CHECK_THAT(refused.error().Text(),
               Catch::Contains("is not a profile") && Catch::Contains("--force"));
    CHECK(test::ReadBytes(path) == text);
    CHECK(folder.Names() == Names{"thesis"});
  }
  test::WriteBytes(path, std::string("three years of work"));
  auto forced = Claim(path, Existing::kForce);
  REQUIRE(forced.ok());
  REQUIRE(forced->Begin().ok());
  CHECK(test::ReadBytes(path + ".old") == "three years of work");
  REQUIRE(forced->Finish(test::RandomProfile(1, 20), {}).ok());
  CHECK_THAT(Claim(path).error().Text(), Catch::Contains(".old' exists and is not a profile"));
  CHECK(test::ReadBytes(path + ".old") == "three years of work");
  CHECK(LoadProfile(path)->nodes.size() == 20);
}

TEST_CASE("a file that one may not read is not called something else than a profile") {
  TempFolder folder;
  const std::string path = folder / "p.gprofx";
  test::WriteBytes(path, std::string("x"));
  REQUIRE(chmod(path.c_str(), 0) == 0);
  REQUIRE(chmod((folder / ".").c_str(), 0777) == 0);
  constexpr uid_t kNobody = 65534;
  const uid_t own = geteuid();
  if (own == 0) REQUIRE(seteuid(kNobody) == 0);  // root may read everything
  const auto refused = Claim(path);
  if (own == 0) REQUIRE(seteuid(own) == 0);
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(refused.error().Text(), Catch::Contains("cannot be read: Permission denied"));
}

TEST_CASE("somebody else's file with a name that we would like for a moment is left alone") {
  TempFolder folder;
  const std::string path = folder / "p.gprofx";
  test::WriteBytes(path + ".tmp", std::string("mine"));
  test::WriteBytes(path + "." + std::to_string(getpid()) + ".tmp", std::string("mine too"));
  CHECK_THAT(Claim(path).error().Text(), Catch::Contains(".tmp"));
  unlink((path + "." + std::to_string(getpid()) + ".tmp").c_str());
  Finish(ProfileWriter::Create(path), 20);
  CHECK(test::ReadBytes(path + ".tmp") == "mine");
  CHECK(folder.Names() == Names{"p.gprofx", "p.gprofx.tmp"});
  // What a recording that was killed at its end left goes.
  unlink((path + ".tmp").c_str());
  REQUIRE(link(path.c_str(), (path + ".tmp").c_str()) == 0);
  Finish(ProfileWriter::Create(path), 30);
  CHECK(folder.Names() == Names{"p.gprofx", "p.gprofx.old"});
}

TEST_CASE("twenty recordings that start at once get one file each, and one gets the name") {
  TempFolder folder;
  const std::string path = folder / "p.gprofx";
  Finish(ProfileWriter::Create(path), 20);
  int start[2], claimed[2], end[2];
  REQUIRE((pipe(start) == 0 && pipe(claimed) == 0 && pipe(end) == 0));
  std::vector<pid_t> children;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      close(start[1]);
      close(end[1]);
      char byte = 0;
      if (read(start[0], &byte, 1) != 0) _exit(9);
      ClaimTrouble trouble{};
      auto writer = ProfileWriter::Claim(path, Existing::kKeepOld, trouble);
      if (write(claimed[1], &byte, 1) != 1) _exit(8);
      if (!writer) _exit(trouble == ClaimTrouble::kInUse ? 1 : 2);
      const bool done = writer->Begin().ok() && writer->Commit(test::RandomProfile(1, 30)).ok();
      if (read(end[0], &byte, 1) != 0) _exit(7);  // until all have tried
      _exit(done ? 0 : 3);
    }
    children.push_back(child);
  }
  close(start[0]);
  close(start[1]);
  close(claimed[1]);
  char byte;
  for (size_t i = 0; i < children.size(); ++i) REQUIRE(read(claimed[0], &byte, 1) == 1);
  close(claimed[0]);
  close(end[0]);
  close(end[1]);
  int winners = 0, refused = 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    winners += status == 0;
    refused += WIFEXITED(status) && WEXITSTATUS(status) == 1;
  }
  CHECK(winners == 1);
  CHECK(refused == 19);
  CHECK(LoadProfile(path)->nodes.size() == 30);
  CHECK(LoadProfile(path + ".old")->nodes.size() == 20);
}

TEST_CASE("places that take no files are named as what they are") {
  if (access("/proc/self", F_OK) == 0) {
    CHECK_THAT(Claim("/proc/x").error().Text(), Catch::Contains("no files can be created"));
  }
  TempFolder folder;
  CHECK_THAT(Claim(folder / std::string(240, 'x')).error().Text(),
             Catch::Contains("name is too long"));
}

}  // namespace
}  // namespace gprofx
