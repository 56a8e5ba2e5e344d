#include "cli/options.h"

#include <algorithm>
#include <boost/program_options.hpp>

#include "cli/terminal/nearest_word.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

namespace po = boost::program_options;

constexpr char kOperands[] =
    "operands of the command";  // contains blanks, so it cannot be the name of an option

po::options_description Describe(std::span<const OptionSpec> specs) {
  po::options_description all;
  for (const OptionSpec& spec : specs) {
    if (spec.value == nullptr) {
      all.add_options()(spec.names, spec.help);
      continue;
    }
    if (spec.repeats) {
      all.add_options()(spec.names, po::value<std::vector<std::string>>(), spec.help);
      continue;
    }
    auto* value = po::value<std::string>();
    if (spec.fallback != nullptr) value->implicit_value(spec.fallback);
    all.add_options()(spec.names, value, spec.help);
  }
  all.add_options()(kOperands, po::value<std::vector<std::string>>());
  return all;
}

// True if `word` is one of `words`, which are separated by blanks.
bool HasWord(std::string_view words, const std::string& word) {
  return (" " + std::string(words) + " ").find(" " + word + " ") != std::string::npos;
}

bool IsNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Returns the option that a word such as "--help" or "-h" gives.
const OptionSpec* GivenOption(std::span<const OptionSpec> specs, std::string_view arg) {
  if (arg.starts_with("--")) return FindOption(specs, arg.substr(2));
  const auto is_given = [&](const OptionSpec& spec) {
    const size_t comma = std::string_view(spec.names).find(',');
    return comma != std::string_view::npos && arg.starts_with('-') &&
           arg.substr(1) == std::string_view(spec.names).substr(comma + 1);
  };
  const auto found = std::find_if(specs.begin(), specs.end(), is_given);
  return found == specs.end() ? nullptr : &*found;
}

// Joins an option and its optional number. "--top 5" becomes "--top=5", and "--top" alone gets
// OptionSpec::fallback. Boost would take any argument after such an option as its value, for
// example FILE in "--top FILE". Only a number is a value here.
std::vector<std::string> JoinOptionalNumbers(std::span<const OptionSpec> specs,
                                             const std::vector<std::string>& args) {
  std::vector<std::string> out;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--") {
      out.insert(out.end(), args.begin() + static_cast<ptrdiff_t>(i), args.end());
      break;
    }
    out.push_back(args[i]);
    const OptionSpec* spec = GivenOption(specs, args[i]);
    if (spec == nullptr || spec->fallback == nullptr) continue;
    const bool number = i + 1 < args.size() && IsNumber(args[i + 1]);
    out.back() += "=" + (number ? args[++i] : std::string(spec->fallback));
  }
  return out;
}

std::string NearestOption(std::span<const OptionSpec> specs, const std::string& given) {
  std::vector<std::string> names;
  for (const OptionSpec& spec : specs) names.push_back("--" + LongName(spec));
  return NearestWord(given, names);
}

std::string Plain(const po::error& error) {
  std::string text;
  for (const char c : std::string_view(error.what())) {
    if (text.size() < 300) text += c;
  }
  return Printable(text);
}

}  // namespace

Error BadValue(const std::string& option, const std::string& needed, const std::string& given,
               const std::string& fix) {
  return {
      ErrorId::kBadValue,
      "option '" + option + "' needs " + needed + ", not '" + FitEnd(Printable(given), 40) + "'",
      fix};
}

Error CannotCombine(const std::string& option, const std::string& other, const std::string& fix) {
  return {ErrorId::kConflict, "options '" + option + "' and '" + other + "' cannot be combined",
          fix};
}

Error NeedsOption(const std::string& option, const std::string& other, const std::string& fix) {
  return {ErrorId::kMissingOption, "option '" + option + "' needs option '" + other + "'",
          fix.empty() ? "add '" + other + "' or leave '" + option + "' out" : fix};
}

std::string LongName(const OptionSpec& spec) {
  const std::string_view names = spec.names;
  return std::string(names.substr(0, names.find(',')));
}

const OptionSpec* FindOption(std::span<const OptionSpec> specs, std::string_view long_name) {
  const auto found = std::find_if(specs.begin(), specs.end(), [&](const OptionSpec& spec) {
    return LongName(spec) == long_name;
  });
  return found == specs.end() ? nullptr : &*found;
}

Result<ParsedOptions> ParseOptions(std::string_view command, std::span<const OptionSpec> specs,
                                   const std::vector<std::string>& args) {
  const bool has_more = FindOption(specs, "help-all") != nullptr;
  const std::string fix =
      "'" + std::string(command) + " --help" + (has_more ? "-all" : "") + "' lists the options";
  try {
    const po::options_description all = Describe(specs);
    po::positional_options_description operands;
    operands.add(kOperands, -1);
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::variables_map map;
    po::store(po::command_line_parser(JoinOptionalNumbers(specs, args))
                  .options(all)
                  .positional(operands)
                  .style(style)
                  .run(),
              map);
    ParsedOptions parsed;
    for (const OptionSpec& spec : specs) {
      const std::string name = LongName(spec);
      if (map.count(name) == 0) continue;
      if (spec.repeats) {
        parsed.lists[name] = map[name].as<std::vector<std::string>>();
        continue;
      }
      parsed.values[name] = spec.value == nullptr ? "" : map[name].as<std::string>();
    }
    if (map.count(kOperands) != 0) {
      parsed.operands = map[kOperands].as<std::vector<std::string>>();
    }
    return parsed;
  } catch (const po::unknown_option& error) {
    return Error{ErrorId::kUnknownOption,
                 "unknown option '" + Printable(error.get_option_name()) + "'",
                 DidYouMean(NearestOption(specs, error.get_option_name())) + fix};
  } catch (const po::error& error) {
    return Error{ErrorId::kOptionSyntax, Plain(error), fix};
  }
}

Help AskedHelp(const ParsedOptions& parsed) {
  return parsed.Has("help-all") ? Help::kAll : parsed.Has("help") ? Help::kCommon : Help::kNone;
}

std::string OptionHelp(std::span<const OptionSpec> specs, Help which, std::string_view common) {
  constexpr size_t kIndent = 22, kColumns = 80;
  std::string out;
  for (const OptionSpec& spec : specs) {
    if (which == Help::kCommon && LongName(spec) != "help-all" && !HasWord(common, LongName(spec)))
      continue;
    std::string line = "  ";
    const std::string_view names = spec.names;
    const size_t comma = names.find(',');
    if (comma != std::string_view::npos) line += "-" + std::string(names.substr(comma + 1)) + ", ";
    line += "--" + LongName(spec);
    if (spec.value != nullptr) {
      line += spec.fallback != nullptr ? std::string(" [") + spec.value + "]"
                                       : std::string(" ") + spec.value;
    }
    if (line.size() + 2 > kIndent) {
      out += line + "\n";
      line.clear();
    }
    line.resize(kIndent, ' ');
    std::string_view rest = spec.help;
    while (!rest.empty()) {
      const size_t end = rest.find(' ');
      const std::string_view word = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (line.size() + 1 + word.size() > kColumns) {
        out += line + "\n";
        line.assign(kIndent, ' ');
      }
      if (line.size() > kIndent) line += ' ';
      line += word;
    }
    out += line + "\n";
  }
  return out;
}

size_t CommandStart(std::span<const OptionSpec> specs, const std::vector<std::string>& args) {
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--") return i + 1;
    if (args[i].empty() || args[i][0] != '-' || args[i] == "-") return i;
    const OptionSpec* spec = GivenOption(specs, args[i]);
    if (spec != nullptr && spec->value != nullptr) ++i;
  }
  return args.size();
}

}  // namespace gprofx
