// The ids of errors: no error is without one, and each has an entry in the catalogue.
#include <catch2/catch.hpp>
#include <string>
#include <type_traits>

#include "cli/errors/catalogue.h"
#include "core/base/result.h"

namespace gprofx {

// Whoever makes an error names its id, so no error without one reaches the terminal.
static_assert(!std::is_default_constructible_v<Error>);
static_assert(!std::is_constructible_v<Error, std::string>);
static_assert(!std::is_constructible_v<Error, const char*, const char*>);
static_assert(!std::is_constructible_v<Error, int, const char*, const char*>);

TEST_CASE("the id ends the line, which stays one") {
  const Error error{ErrorId::kEmptyFile, "'p' is empty", "record again"};
  CHECK(error.Text() == "'p' is empty; record again");
  CHECK(error.TextWithId() == "'p' is empty; record again [GX-0203]");
  CHECK(Error(ErrorId::kNoResources, "out of memory").TextWithId() == "out of memory [GX-1001]");
  CHECK(error.IdMark() == " [GX-0203]");
}

TEST_CASE("help of an id says cause and way out") {
  for (const ErrorClass& one : ErrorCatalogue()) {
    INFO(IdText(one.id));
    CHECK(ClassWithId(IdText(one.id)) == &one);
    const std::string help = ErrorHelp(one);
    CHECK(help.starts_with(IdText(one.id) + ": " + one.cause));
    CHECK(help.find(one.way_out) != std::string::npos);
    CHECK(AllErrorsHelp().find(help) != std::string::npos);
  }
  REQUIRE(ClassWithId("gx-0203") != nullptr);
  CHECK(ClassWithId("gx-0203")->id == ErrorId::kEmptyFile);
  CHECK(ClassWithId("GX-9999") == nullptr);
  CHECK(ClassWithId("") == nullptr);
}

}  // namespace gprofx
