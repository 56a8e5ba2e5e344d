#include "core/redact/mask_source.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

namespace gprofx {

TEST_CASE("Strings of statements that name a secret are masked, and their code stays") {
  const auto [source, masked] = GENERATE(table<std::string, std::string>({
      {"token: str = \"abc\"", "token: str = \"***\""},
      {"SECRET_KEY = b\"abc\"", "SECRET_KEY = b\"***\""},
      {"os.environ[\"API_KEY\"] = \"abc\"", "os.environ[\"***\"] = \"***\""},
      {"os.getenv('DB_PASSWORD', 'abc')", "os.getenv('***', '***')"},
      {"if token == \"abc\": go()", "if token == \"***\": go()"},
      {"password = \"\"\"abc\"\"\"", "password = \"\"\"***\"\"\""},
      {"password = \"a\\\"cd\"", "password = \"***\""},
      {"password = (\n    \"abc\"\n)", "password = (\n    \"***\"\n)"},
      {"password = \\\n    \"abc\"", "password = \\\n    \"***\""},
      {"login(password='abc')  # not abc", "login(password='***')  #***"},
      {"x = '''-----BEGIN PRIVATE KEY-----\nMII\n'''", "x = '''***\n\n'''"},
      {"password = 'abc", "password = '***"},
      {"# the password is abc\nf()", "#***\nf()"},
  }));
  CHECK(MaskSource(source) == masked);
}

TEST_CASE("Other statements stay as they are, but for what is masked in arguments, too") {
  const std::string plain = "def f(x):\n    return \"a\" + x[1:]  # why\n\nf('it''s')\n";
  CHECK(MaskSource(plain) == plain);
  CHECK(MaskSource("").empty());
  CHECK(MaskSource("run('curl -H \"Authorization: Bearer abc\"')").find("abc") ==
        std::string::npos);
  CHECK(MaskSource("a = 'x'\ntoken = 'abc'\nb = 'y'") == "a = 'x'\ntoken = '***'\nb = 'y'");
}

TEST_CASE("Lines keep their numbers, whatever the text") {
  for (const std::string text : {"((\n\"\"\"\npassword\n", "\\", "'\\", "\"\"\"",
                                 "}\n)\ntoken = [\n'\n'\n", "#", "'\\\n'\ntoken = '\\\n'"}) {
    const std::string masked = MaskSource(text);
    CHECK(std::count(masked.begin(), masked.end(), '\n') ==
          std::count(text.begin(), text.end(), '\n'));
  }
}

}  // namespace gprofx
