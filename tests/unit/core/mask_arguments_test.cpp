#include "core/redact/mask_arguments.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "core/redact/mask_source.h"

namespace gprofx {
namespace {

using Words = std::vector<std::string>;

std::string Joined(const Words& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " | ") + word;
  return line;
}

TEST_CASE("arguments that look like secrets are masked") {
  for (const Words& words : std::vector<Words>{
           {"train", "--password=q7zk9"},
           {"train", "--password=a b,q7zk9;c"},
           {"train", "--password", "q7zk9"},
           {"train", "--db-password", "q7zk9"},
           {"train", "--dbPassword", "q7zk9"},
           {"train", "--api-key=q7zk9"},
           {"train", "--api_key", "q7zk9"},
           {"train", "--apiKey=q7zk9"},
           {"train", "token=q7zk9"},
           {"train", "key=q7zk9"},
           {"train", "model.secret=q7zk9"},
           {"train", "-Dtoken=q7zk9"},
           {"train", "-Ddb.password=q7zk9"},
           {"env", "HF_TOKEN=q7zk9", "python", "x.py"},
           {"env", "AWS_SECRET_ACCESS_KEY=q7zk9/a+b=", "python", "x.py"},
           {"curl", "-H", "Authorization: Bearer q7zk9"},
           {"curl", "-H", "Authorization: Token token=q7zk9"},
           {"curl", "-HAuthorization: Basic q7zk9=="},
           {"curl", "-H", "X-Api-Key: q7zk9"},
           {"curl", "Authorization:", "q7zk9"},
           {"curl", "Authorization:", "Bearer", "q7zk9"},
           {"curl", "-H", "Cookie: a=1; b=q7zk9"},
           {"curl", "-u", "me:q7zk9", "host"},
           {"curl", "--user", "me:q7zk9"},
           {"curl", "--user=me:q7zk9"},
           {"curl", "-ume:q7zk9", "host"},
           {"curl", "-U", "me:q7zk9", "-Ume:q7zk9"},
           {"/usr/bin/mysql", "-u", "me", "-pq7zk9", "db"},
           {"env", "A=1", "mysqldump", "-pq7zk9"},
           {"mariadb-admin", "-ume", "-pq7zk9"},
           {"sshpass", "-p", "q7zk9", "ssh", "-p", "22", "host"},
           {"sshpass", "-v", "-pq7zk9", "ssh", "host"},
           {"sshpass", "-p", "-q7zk9", "ssh", "host"},
           {"train", "--password", "-q7zk9"},
           {"train", "--password", "--/q7zk9"},
           {"sh", "-c", "train --password -q7zk9 --lr 1"},
           {"x", "https://me:q7zk9@host/path"},
           {"x", "postgresql+psycopg://me:q7zk9@host:5432/db"},
           {"x", "https://q7zk9@github.com/a/b"},
           {"x", "--url=redis://:q7zk9@host"},
           {"x", "https://host/a?x=1&token=q7zk9&y=2"},
           {"x", "https://host/a?X-Amz-Signature=q7zk9"},
           {"x", "Server=s;User=u;Password=q7zk9;Timeout=3"},
           {"x", "{\"password\": \"q7zk9\", \"a\": 1}"},
           {"x", "{'api_key':'q7zk9'}"},
           {"sh", "-c", "TOKEN=q7zk9 python train.py --lr 1"},
           {"sh", "-c", "train --password q7zk9 --lr 1"},
           {"sh", "-c", "train --password 'q7zk9' --lr 1"},
           {"sh", "-c", "curl -H 'Authorization: Bearer q7zk9' https://host"},
           {"sh", "-c", "curl -H \"Bearer q7zk9\" https://host"},
           {"python", "-c", "connect(password='q7zk9', x=1)"},
           {"python", "-c", "connect(password = \"q7zk9\")"},
           {"x", "AKIAQ7ZK9Q7ZK9Q7ZK9Q", "q7zk9"},
           {"x", "--id=hf_q7zk9q7zk9q7zk9q7zk9"},
           {"x", "ghp_q7zk9q7zk9q7zk9q7zk9"},
           {"x", "eyJq7zk9q7zk9q7zk9.q7zk9q7zk9.q7zk9"},
       }) {
    Words copy = words;
    if (copy.back() == "q7zk9" && copy[1].starts_with("AKIA")) {
      copy.pop_back();
      CHECK(Joined(StoredCommand(copy)) == "x | ***");
      continue;
    }
    const std::string line = Joined(StoredCommand(words));
    CAPTURE(line);
    CHECK(line.find("q7zk9") == std::string::npos);
    CHECK(line.find("***") != std::string::npos);
    CHECK(line.starts_with(words[0]));
    CHECK(StoredCommand(words).size() == words.size());
  }
}

TEST_CASE("other arguments stay as they are") {
  for (const Words& words : std::vector<Words>{
           {"python", "train.py", "--lr", "1e-3", "--tokenizer", "gpt2", "--max-tokens=5"},
           {"python", "train.py", "--password-file=/run/pw", "--token-path", "/run/t"},
           {"python", "train.py", "--keyboard=de", "--monkey", "x", "--keys=3", "key"},
           {"python", "-c", "print('a: b', x == 3)"},
           {"ssh", "ssh://git@host/repo", "me@host:path"},
           {"docker", "-u", "1000:1000", "image"},
           {"docker", "-u1000:1000", "-p8080:80", "image"},
           {"x", "-url=http://host:80", "-u/path:x", "-user", "python", "-u"},
           {"mysql", "-p", "database", "--port=3306"},
           {"ssh", "-p", "22", "host"},
           {"x", "--token", "--verbose"},
           {"x", "https://host:8080/a@b?c=d"},
           {"x", "a=b", "--x=y=z", "path/to/key", "sk-3", "Basic", ""},
           {},
           {""},
       }) {
    CHECK(Joined(StoredCommand(words)) == Joined(words));
  }
}

TEST_CASE("what is harmless in a masked argument stays") {
  CHECK(MaskText("https://me:x@host/path?a=1&token=q&b=2") ==
        "https://me:***@host/path?a=1&token=***&b=2");
  CHECK(MaskText("TOKEN=q python train.py --lr 1") == "TOKEN=***");
  CHECK(MaskText("run TOKEN=q python train.py --lr 1") == "run TOKEN=*** python train.py --lr 1");
  CHECK(MaskText("curl -H 'Authorization: Bearer q' https://host") ==
        "curl -H 'Authorization: ***' https://host");
}

TEST_CASE("only the password of sshpass is masked, not the port of ssh") {
  CHECK(Joined(StoredCommand({"sshpass", "-p", "q", "ssh", "-p", "22"})) ==
        "sshpass | -p | *** | ssh | -p | 22");
  CHECK(Joined(StoredCommand({"curl", "-ume:q", "-sS"})) == "curl | -ume:*** | -sS");
}

TEST_CASE("masking twice is masking once, and long words are quick") {
  const Words once =
      StoredCommand({"x", "--password", "a", "https://u:p@h", "token=b", "Bearer c"});
  CHECK(StoredCommand(once) == once);
  const std::string text(1 << 20, 'a');
  CHECK(MaskText(text) == text);
  std::string names;
  for (int i = 0; i < 100'000; ++i) names += "token=a&";
  CHECK(MaskText("x?" + names).size() == names.size() + 2 + 200'000);
  for (const std::string_view odd : {"token", "token=", "--token ", "password: ", "://", "://@",
                                     "Bearer ", "'token'", "'token':'", "=", ":", "--"}) {
    CHECK(MaskText(odd).find("***") == std::string::npos);
  }
}

TEST_CASE("without arguments the program stays, and an interpreter's script") {
  const auto only = [](const Words& words) {
    return Joined(StoredCommand(words, Arguments::kLeftOut));
  };
  CHECK(only({"train", "--lr", "1"}) == "train | ...");
  CHECK(only({"train"}) == "train");
  CHECK(only({"/v/bin/python3.12", "-u", "-X", "dev", "train.py", "q"}) ==
        "/v/bin/python3.12 | train.py | ...");
  CHECK(only({"python", "-m", "pkg.train", "q"}) == "python | -m | pkg.train | ...");
  CHECK(only({"python", "-c", "secret()"}) == "python | ...");
  CHECK(only({"bash", "-ec", "secret"}) == "bash | ...");
  CHECK(only({"worker: secret q"}) == "worker: | ...");
  CHECK(only({}) == "");
}

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

}  // namespace
}  // namespace gprofx
