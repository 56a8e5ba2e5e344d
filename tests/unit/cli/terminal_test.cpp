#include <catch2/catch.hpp>
#include <map>

#include "cli/report/number.h"
#include "cli/terminal/pager.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

GetEnv Env(std::map<std::string, std::string> values) {
  return [values](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

}  // namespace

TEST_CASE("control bytes and invalid UTF-8 become text") {
  CHECK(Printable("\x1b[31m") == "\\x1b[31m");
  CHECK(Printable("a\nb\tc\x7f") == "a\\x0ab\\x09c\\x7f");
  CHECK(Printable(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(Printable("caf\xC3\xA9 \xF0\x9F\x9A\x80") == "caf\xC3\xA9 \xF0\x9F\x9A\x80");
  CHECK(Printable("\xFF\xC3(") == "\\xff\\xc3(");
  CHECK(Printable("\xC0\xAF") == "\\xc0\\xaf");                    // overlong
  CHECK(Printable("\xED\xA0\x80") == "\\xed\\xa0\\x80");           // surrogate
  CHECK(Printable("\xF4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond Unicode
  CHECK(Printable("\xE2\x80\xAE") == "\\xe2\\x80\\xae");           // right-to-left override
  CHECK(Printable("\xC2\x9B") == "\\xc2\\x9b");                    // C1: CSI in one character
  CHECK(Printable("\xE6\xBC") == "\\xe6\\xbc");                    // cut short
}

TEST_CASE("columns count wide, combining and coloured text") {
  CHECK(Columns("abc") == 3);
  CHECK(Columns("\xE6\xBC\xA2\xE5\xAD\x97") == 4);
  CHECK(Columns("\xF0\x9F\x9A\x80") == 2);
  CHECK(Columns("e\xCC\x81") == 1);
  CHECK(Columns("caf\xC3\xA9") == 4);
  CHECK(Columns("\x1b[31mred\x1b[0m") == 3);
}

TEST_CASE("cut text fits and never splits a character") {
  CHECK(FitEnd("abcdef", 6) == "abcdef");
  CHECK(FitEnd("abcdefg", 6) == "abcd..");
  CHECK(FitStart("abcdefg", 6) == "..defg");
  for (int columns = 0; columns < 12; ++columns) {
    const std::string cut = FitEnd("\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2\xE5\xAD\x97 x", columns);
    CHECK(Columns(cut) <= columns);
    CHECK(Printable(cut) == cut);
    CHECK(Columns(FitStart("\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2 xy", columns)) <= columns);
  }
}

TEST_CASE("no_color_respected") {
  CHECK(UseColor(ColorWhen::kAuto, true, Env({})));
  CHECK_FALSE(UseColor(ColorWhen::kAuto, false, Env({})));
  CHECK_FALSE(UseColor(ColorWhen::kAuto, true, Env({{"NO_COLOR", "1"}})));
  CHECK(UseColor(ColorWhen::kAuto, true, Env({{"NO_COLOR", ""}})));
  CHECK_FALSE(UseColor(ColorWhen::kAuto, true, Env({{"TERM", "dumb"}})));
  CHECK(UseColor(ColorWhen::kAuto, false, Env({{"FORCE_COLOR", "1"}})));
  CHECK_FALSE(UseColor(ColorWhen::kAuto, true, Env({{"FORCE_COLOR", "0"}})));
  CHECK_FALSE(UseColor(ColorWhen::kAuto, false, Env({{"FORCE_COLOR", "1"}, {"NO_COLOR", "1"}})));
  CHECK(UseColor(ColorWhen::kAlways, false, Env({{"NO_COLOR", "1"}})));
  CHECK_FALSE(UseColor(ColorWhen::kNever, true, Env({{"FORCE_COLOR", "1"}})));
}

TEST_CASE("the width comes from COLUMNS, the terminal, or is 80 in a pipe") {
  CHECK(ScreenColumns(false, 0, Env({})) == 80);
  CHECK(ScreenColumns(true, 97, Env({})) == 97);
  CHECK(ScreenColumns(true, 0, Env({})) == 80);
  CHECK(ScreenColumns(true, 97, Env({{"COLUMNS", "100"}})) == 100);
  for (const char* bad : {"", "x", "-5", "39", "1001", "80x", "99999999999"}) {
    CHECK(ScreenColumns(false, 0, Env({{"COLUMNS", bad}})) == 80);
  }
}

TEST_CASE("kernels without a profile are called by what they do, with what stands around") {
  const std::string mul =
      "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, "
      "float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int)";
  CHECK(ShortenKernel(mul, 300) == mul);
  CHECK(ShortenKernel(mul, 30) == "mul f32");
  CHECK(ShortenKernel("launches: " + mul + " [512x1x1, 128x1x1]", 60) ==
        "launches: mul f32 [512x1x1, 128x1x1]");
  for (const char* odd : {"]", "[]", ": ", "a: ", "a: ]", " [", "a: b [", "x: [y]"}) {
    for (int columns = 0; columns < 12; ++columns) {
      CHECK(Columns(ShortenKernel(odd, columns)) <= columns);
    }
  }
}

TEST_CASE("a pager is for a text that is longer than the terminal") {
  CHECK(WantsPager(true, 24, 24, Env({{"TERM", "xterm"}})) == "less");
  CHECK(WantsPager(true, 24, 23, Env({{"TERM", "xterm"}})).empty());
  CHECK(WantsPager(false, 24, 100, Env({{"TERM", "xterm"}})).empty());
  CHECK(WantsPager(true, 0, 100, Env({{"TERM", "xterm"}})).empty());
  CHECK(WantsPager(true, 24, 100, Env({{"TERM", "dumb"}})).empty());
  CHECK(WantsPager(true, 24, 100, Env({})).empty());
  CHECK(WantsPager(true, 24, 100, Env({{"TERM", "xterm"}, {"PAGER", "most -w"}})) == "most -w");
  CHECK(WantsPager(true, 24, 100, Env({{"TERM", "xterm"}, {"PAGER", ""}})).empty());
  CHECK(WantsPager(true, 24, 100, Env({{"TERM", "xterm"}, {"PAGER", "cat"}})).empty());
}

TEST_CASE("a table cuts a long name before a short place") {
  Table table({{"function", Align::kLeft, 5}, {"called from", Align::kLeft, 1, &FitPlace}});
  table.Add({std::string(60, 'x'), "service/app.py:22 load"});
  table.Add({"f", "a_very_long_name_of_a_file.py:1234"});
  Screen screen;
  screen.columns = 40;
  const std::string text = table.Render(screen, false);
  CHECK(text.find("  service/app.py:22\n") != std::string::npos);
  CHECK(text.find("  ..e_of_a_file.py:1234\n") == std::string::npos);
  CHECK(PlaceIn("a b.py:7 f") == "a b.py:7");
  CHECK(PlaceIn("std::sort").empty());
}

TEST_CASE("tables keep to the screen and stay aligned with wide characters") {
  Table table({{"n", Align::kRight}, {"name", Align::kLeft, 1}, {"x"}});
  table.Add({"1", "\xE6\xBC\xA2\xE5\xAD\x97", "a"});
  table.Add({"22", std::string(200, 'y'), "b"});
  const std::string text = table.Render({40, false}, false);
  size_t start = 0;
  for (size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
    CHECK(Columns(text.substr(start, end - start)) <= 40);
  }
  CHECK(text.find(std::string(200, 'y')) == std::string::npos);
  CHECK(table.Render({40, false}, true).find(std::string(200, 'y')) != std::string::npos);
}

TEST_CASE("names are shortened by rule") {
  const std::string name =
      "void at::native::gemm<float, std::vector<int>>(char, std::function<void (int)> const&)";
  CHECK(ShortenName(name, 200) == name);
  CHECK(ShortenName(name, 50) == "void at::native::gemm<float, std::vector<int>>()");
  CHECK(ShortenName(name, 30) == "void at::native::gemm<>()");
  CHECK(ShortenName(name, 22) == "at::native::gemm<>()");
  CHECK(ShortenName(name, 16) == "native::gemm<>()");
  const std::string built_in = "<built-in method mm of type object>";
  CHECK(ShortenName(built_in, 35) == built_in);
  CHECK(ShortenName(built_in, 34) == "<built-in method mm>");
  CHECK(ShortenName(built_in, 19) == "<built-in mm>");
  CHECK(ShortenName("void at::parallel(long, F const&) [clone ._omp_fn.0]", 20) ==
        "void at::parallel()");
  CHECK(ShortenName("<built-in function linear>", 12) == "<built-in ..");
  CHECK(ShortenName("enumerate(DataLoader)#_Iter.__next__", 30) ==
        "enumerate(DataLoader)#_Iter...");
  CHECK(ShortenName("<u64 as core::cmp::PartialOrd>::lt", 10) == "u64::lt");
  CHECK(ShortenName("libtorch_cpu.so.1.13+0x4694fa0", 20) == "libtorch..+0x4694fa0");
  CHECK(ShortenName("libtorch_cpu.so.1.13+0x4694fa0", 12) == "..+0x4694fa0");
  CHECK(ShortenName("<u64 as core::cmp::PartialOrd>::lt", 24) == "u64::lt");
  CHECK(ShortenName("<alloc::vec::Vec<u8> as core::ops::Drop>::drop", 24) ==
        "alloc::vec::Vec<>::drop");
  CHECK(ShortenName("a::operator<<(int)", 15) == "a::operator<<()");
  CHECK(ShortenName("ns::Less::operator()(int, int) const", 26) == "Less::operator()() const");
  CHECK(ShortenName("(anonymous namespace)::f(int)", 26) == "(anonymous namespace)::f()");
  for (const char* odd :
       {"a<b", "a>b(", "))))", "<<<<", "operator", "::", "a::", "x(y", " ", "(()"}) {
    for (int columns = 0; columns < 5; ++columns) {
      CHECK(Columns(ShortenName(std::string(odd) + odd + odd, columns)) <= columns);
    }
  }
}

TEST_CASE("files of users are told from packages") {
  CHECK(IsUserPythonFile("/home/a/train.py"));
  CHECK(IsUserPythonFile("train.py"));
  CHECK_FALSE(IsUserPythonFile("/x/lib/python3.11/site-packages/torch/a.py"));
  CHECK_FALSE(IsUserPythonFile("/usr/lib/python3/dist-packages/a.py"));
  CHECK_FALSE(IsUserPythonFile("/usr/lib/python3.11/json/encoder.py"));
  CHECK_FALSE(IsUserPythonFile("<frozen importlib._bootstrap>"));
  CHECK_FALSE(IsUserPythonFile(""));
  CHECK(IsUserPythonFile("/home/a/lib/pythonic/x.py"));
}

TEST_CASE("numbers for people") {
  CHECK(Duration(0) == "0 s");
  CHECK(Duration(61'432'000'000) == "61.4 s");
  CHECK(Duration(1'234'000'000'000) == "1,234 s");
  CHECK(Duration(9'995'000'000) == "10.0 s");
  CHECK(Duration(999'600'000) == "1.00 s");
  CHECK(Duration(12'300'000) == "12.3 ms");
  CHECK(Duration(950'000) == "950 us");
  CHECK(Duration(7) == "7 ns");
  CHECK(Duration(-12'300'000) == "-12.3 ms");
  CHECK(Grouped(412880) == "412,880");
  CHECK(Grouped(-1000) == "-1,000");
  CHECK(Grouped(999) == "999");
  CHECK(Percent(1, 3) == "33.3%");
  CHECK(Percent(1, 0) == "-");
  CHECK(Percent(1e18, 1) == ">999%");
  CHECK(Percent(-1e18, 1) == "<-999%");
  CHECK(ShortCount(9'999'999'999) == "9,999,999,999");
  CHECK(ShortCount(-12'345'678'901) == "-1.2e+10");
}

}  // namespace gprofx
