#include "cli/terminal/nearest_word.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace gprofx;

TEST_CASE("the distance of words counts edits and exchanged neighbours") {
  CHECK(EditDistance("record", "record") == 0);
  CHECK(EditDistance("recrod", "record") == 1);
  CHECK(EditDistance("pyton", "python") == 1);
  CHECK(EditDistance("", "abc") == 3);
  CHECK(EditDistance("kitten", "sitting") == 3);
  CHECK(EditDistance(std::string(65, 'a'), "a") == 65);
}

TEST_CASE("a mistyped word is known again, another one is not") {
  const std::vector<std::string> known = {"top", "record", "report", "redact"};
  CHECK(NearestWord("recrod", known) == "record");
  CHECK(NearestWord("reprot", known) == "report");
  CHECK(NearestWord("tpo", known) == "top");
  CHECK(NearestWord("xyz", known).empty());
  CHECK(NearestWord("", known).empty());
  CHECK(NearestWord("no", std::vector<std::string>{"go"}).empty());
  CHECK(DidYouMean("top") == "did you mean 'top'? ");
  CHECK(DidYouMean("").empty());
}
