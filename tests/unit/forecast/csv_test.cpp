// CSV as other tools write it, and literals of Python in its cells.
#include "core/forecast/device/csv.h"

#include <catch2/catch.hpp>

#include "core/forecast/device/literal.h"

namespace gprofx::testing {
using namespace gprofx::forecast;
namespace {

// With a budget of its own.
std::optional<Literal> Parse(std::string_view text) {
  LiteralBudget budget;
  return ParseLiteral(text, budget);
}

using Row = std::vector<std::string>;

std::vector<Row> All(std::string_view text) {
  CsvReader reader(text, "f.csv");
  std::vector<Row> rows;
  for (;;) {
    auto row = reader.Next();
    REQUIRE(row);
    if (!*row) return rows;
    rows.push_back(**row);
  }
}

}  // namespace

TEST_CASE("fields in quotes hold commas, quotes and line ends") {
  CHECK(All("a,b\r\n\"x,1\",\"say \"\"yes\"\"\"\n\"two\nlines\",\n") ==
        std::vector<Row>{{"a", "b"}, {"x,1", "say \"yes\""}, {"two\nlines", ""}});
  CHECK(All("# a remark\n\n\na").size() == 1);
  CHECK(All("").empty());
}

TEST_CASE("lines are counted through quotes, remarks and empty lines") {
  CsvReader reader("# one\n\"a\nb\",c\nd,e\n", "f.csv");
  REQUIRE(reader.Next());
  CHECK(reader.line() == 2);
  REQUIRE(reader.Next());
  CHECK(reader.line() == 4);
  CHECK(reader.At("is wrong").what == "f.csv:4: is wrong");
}

TEST_CASE("an open quote is an error with its line") {
  CsvReader reader("a\nb,\"c\nd", "f.csv");
  REQUIRE(reader.Next());
  const auto row = reader.Next();
  REQUIRE_FALSE(row);
  CHECK(row.error().what.find("f.csv:2:") == 0);
}

TEST_CASE("numbers are whole cells") {
  CHECK(ParseNumber(" 2.5e3 ") == 2500);
  for (const char* text : {"", "x", "1x", "nan", "inf", "1e999", "0x10", "1 2"}) {
    CHECK_FALSE(ParseNumber(text));
  }
}

TEST_CASE("a row has at most 100 columns") {
  CHECK(All("a\n" + std::string(99, ',')).back().size() == 100);
  const std::string text = "a\n" + std::string(1'000'000, ',');
  CsvReader reader(text, "f.csv");
  REQUIRE(reader.Next());
  const auto row = reader.Next();
  REQUIRE_FALSE(row);
  CHECK(row.error().what == "f.csv:2: the line has more than 100 columns");
}

TEST_CASE("literals have a budget of values, one for all of a row") {
  LiteralBudget budget{4};
  CHECK(ParseLiteral("[1, 2]", budget));
  CHECK(budget.left == 1);
  CHECK_FALSE(budget.spent);
  CHECK_FALSE(ParseLiteral("[1, 2]", budget));
  CHECK(budget.spent);
}

TEST_CASE("literals of Python") {
  const auto ops = Parse("[['Linear', (4096, 3072, 9216)], ['MEM', ((1,), (2, 3))]]");
  REQUIRE(ops);
  REQUIRE(ops->items.size() == 2);
  CHECK(ops->items[0].items[0].text == "Linear");
  CHECK(ops->items[0].items[1].IsNumbers());
  CHECK(ops->items[0].items[1].Product() == 4096.0 * 3072 * 9216);
  CHECK_FALSE(ops->items[1].items[1].IsNumbers());
  CHECK(Parse("set()")->items.empty());
  CHECK(Parse("{'a', 'b'}")->items.size() == 2);
  for (const char* text : {"", "[", "[1", "(1,", "'a", "[1 2]", "abc", "[1]]"}) {
    CHECK_FALSE(Parse(text));
  }
  CHECK_FALSE(Parse(std::string(100'000, '[')));
}

}  // namespace gprofx::testing
