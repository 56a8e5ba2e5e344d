// The ids of error lines: which class a line belongs to, and what is said of it.
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "cli/errors/catalogue.h"

namespace gprofx {
namespace {

std::string IdOf(std::string_view what) {
  const ErrorClass* found = ClassOf(what);
  return found == nullptr ? "" : found->id;
}

}  // namespace

TEST_CASE("a line has the class that says the most of it in its own words") {
  CHECK(IdOf("'run.gprofx' is empty") == "GX-0203");
  CHECK(IdOf("cannot read '/data/run.gprofx': Permission denied") == "GX-0201");
  CHECK(IdOf("cannot read /opt/lib/gprof-x/libgprofx-agent.so") == "GX-0402");
  CHECK(IdOf("cannot write '/out/p.gprofx': another program keeps it locked") == "GX-0208");
  CHECK(IdOf("cannot write '/out/p.gprofx': folder '/out' does not exist") == "GX-0301");
  // Names are whatever users call their files.
  CHECK(IdOf("'is empty' is truncated: 5 of 10 bytes") == "GX-0205");
  CHECK(IdOf("'a\nb*' is empty") == "GX-0203");
  CHECK(IdOf("").empty());
  CHECK(IdOf("all is well").empty());
}

TEST_CASE("the id ends the line, which stays one") {
  CHECK(TextWithId({"'p' is empty", "record again"}) == "'p' is empty; record again [GX-0203]");
  CHECK(TextWithId({"all is well", ""}) == "all is well");
  CHECK(IdMark({"'p' is empty", ""}) == " [GX-0203]");
}

TEST_CASE("help of an id says cause, way out and lines; ids are unlike each other") {
  std::set<std::string> ids;
  for (const ErrorClass& one : ErrorCatalogue()) {
    INFO(one.id);
    CHECK(ids.insert(one.id).second);
    CHECK(ClassWithId(one.id) == &one);
    const std::string help = ErrorHelp(one);
    CHECK(help.find(one.cause) != std::string::npos);
    CHECK(help.find(one.way_out) != std::string::npos);
    CHECK(AllErrorsHelp().find(std::string(one.id) + ": " + one.cause) != std::string::npos);
  }
  CHECK(ClassWithId("gx-0203") == ClassOf("'p' is empty"));
  CHECK(ErrorHelp(*ClassWithId("GX-0203")).find("\n  '...' is empty\n") != std::string::npos);
  CHECK(ClassWithId("GX-9999") == nullptr);
  CHECK(ClassWithId("") == nullptr);
}

}  // namespace gprofx
