#include "cli/redact/redact.h"

#include <unistd.h>

#include "cli/command.h"
#include "cli/options/shared.h"
#include "cli/terminal/screen.h"
#include "formats/redaction/redacted_file.h"
#include "formats/redaction/redaction_key.h"

namespace gprofx {
namespace {

constexpr char kCommand[] = "gprof-x redact";

constexpr OptionSpec kSpecs[] = {
    option::Output("Write the profile to FILE."),
    {"key", "FILE", nullptr,
     "Hash names with the key in FILE, so that profiles redacted with the same key can be compared "
     "(default: a random key)."},
    option::kHelp,
};

}  // namespace

std::span<const OptionSpec> RedactOptionSpecs() { return kSpecs; }

std::string RedactHelp() {
  return "Usage: gprof-x redact -o FILE [FILE]\n"
         "Copies a profile without data that identifies its owner: hashes replace paths,\n"
         "arguments, host and the names in your code. FILE defaults to profile.gprofx.\n\n" +
         OptionHelp(kSpecs) + "\nSee gprof-x-redact(1) for what remains readable.\n";
}

int RunRedact(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kCommand, kSpecs, args);
  if (!parsed) return Fail(kCommand, parsed.error());
  if (parsed->Has("help")) return Print(kCommand, RedactHelp(), "the help");
  if (parsed->operands.size() > 1) {
    return Fail(kCommand, {ErrorId::kBadOperands,
                           "one FILE is needed, but " + std::to_string(parsed->operands.size()) +
                               " are given",
                           "run one command for each file"});
  }
  const std::string output = ValueOf(*parsed, "output");
  if (output.empty()) {
    return Fail(kCommand, {ErrorId::kBadOperands, "no output file is given",
                           "name one: gprof-x redact -o shared.gprofx"});
  }
  const std::string input = parsed->operands.empty() ? "profile.gprofx" : parsed->operands[0];
  const std::string key_file = ValueOf(*parsed, "key");
  const Result<std::string> key = parsed->Has("key") ? ReadKey(key_file) : RandomKey();
  if (!key) return Fail(kCommand, key.error());
  ProgressLine progress(STDERR_FILENO);
  progress.Show("reading " + input);
  const Status written = WriteRedacted(input, output, *key);
  return written ? 0 : Fail(kCommand, written.error());
}

}  // namespace gprofx
