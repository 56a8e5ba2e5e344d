#include "samplers/recorder/forked_work.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

namespace gprofx {
using namespace recorder;
namespace {

TEST_CASE("the answer of a copy comes back whole, and its end is told") {
  ForkedWork work;
  const std::string large(3 << 20, 'x');
  REQUIRE(work.Begin([&] { return large; }).ok());
  CHECK(work.under_way());
  work.WaitForEnd();
  const auto answer = work.Take();
  REQUIRE(answer);
  CHECK(**answer == large);
  CHECK_FALSE(work.under_way());
  CHECK_FALSE(work.Take());
}

TEST_CASE("a copy says when it needs nothing of its origin any more") {
  ForkedWork work;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const auto wait_for = [&](const std::function<void()>& ready) {
    ready();
    char byte = 0;
    return std::string(read(ends[0], &byte, 1) == 1 ? "went on" : "");
  };
  REQUIRE(work.Begin(ForkedWork::Work(wait_for)).ok());
  while (!work.ready()) usleep(1000);
  CHECK_FALSE(work.Take());
  REQUIRE(write(ends[1], "x", 1) == 1);
  work.WaitForEnd();
  CHECK(**work.Take() == "went on");
  CHECK(work.ready());  // nothing is under way
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("a copy that dies is an error") {
  for (const int status : {0, 3}) {
    ForkedWork work;
    REQUIRE(work.Begin([=]() -> std::string { _exit(status); }).ok());
    work.WaitForEnd();
    const auto answer = work.Take();
    REQUIRE(answer);
    CHECK_FALSE(answer->ok());
  }
}

}  // namespace
}  // namespace gprofx
