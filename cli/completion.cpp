#include "cli/completion.h"

namespace gprofx {
namespace {

std::string ShortName(const OptionSpec& spec) {
  const std::string_view names = spec.names;
  const size_t comma = names.find(',');
  return comma == std::string_view::npos ? "" : std::string(names.substr(comma + 1));
}

// Returns the values of an option, such as "cpu wall" for "cpu|wall". Returns "" for a value in
// capital letters, which may be any text.
std::string Choices(const OptionSpec& spec) {
  if (spec.choices != nullptr) return spec.choices;
  std::string_view rest = spec.value == nullptr ? "" : spec.value;
  if (rest.find('|') == std::string_view::npos) return "";
  std::string out;
  while (!rest.empty()) {
    const size_t end = rest.find('|');
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (word.empty() || (word[0] >= 'A' && word[0] <= 'Z')) continue;
    out += (out.empty() ? "" : " ") + std::string(word);
  }
  return out;
}

bool TakesFile(const OptionSpec& spec) {
  const std::string_view value = spec.value == nullptr ? "" : spec.value;
  return value == "FILE" || value == "FOLDER" || value == "DIR" || value == "OUT";
}

// Quotes help text for a shell. The text may contain quotes and brackets. In '...', a shell
// interprets only the character '.
std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string Bash(std::span<const CompletedCommand> commands) {
  std::string names, cases;
  for (const CompletedCommand& command : commands) {
    names += std::string(command.name) + " ";
    std::string options, values;
    for (const OptionSpec& spec : command.options) {
      const std::string flag = "--" + LongName(spec), brief = ShortName(spec);
      options += flag + " " + (brief.empty() ? "" : "-" + brief + " ");
      if (spec.value == nullptr || spec.fallback != nullptr) continue;
      const std::string pattern = flag + (brief.empty() ? "" : "|-" + brief);
      const std::string choices = Choices(spec);
      values += "      " + pattern + ") ";
      values += TakesFile(spec) ? "_gprof_x_files \"$cur\"; return ;;\n"
                : choices.empty()
                    ? "return ;;\n"
                    : "COMPREPLY=($(compgen -W " + Quoted(choices) + " -- \"$cur\")); return ;;\n";
    }
    cases += "    " + std::string(command.name) + ")\n      case \"$prev\" in\n" + values +
             "      esac\n      options=" + Quoted(options) + "\n" +
             "      words=" + Quoted(command.words) + " ;;\n";
  }
  return "# bash completion of gprof-x, made by 'gprof-x completion bash'.\n"
         "# Words are not file names: a command that a folder is named after gets no slash.\n"
         "_gprof_x_files() {\n"
         "  compopt -o filenames 2> /dev/null || true\n"
         "  COMPREPLY=($(compgen -f -- \"$1\"))\n"
         "}\n"
         "_gprof_x() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= options= "
         "words= i\n"
         "  COMPREPLY=()\n"
         "  # \"--color=never\" comes as three words.\n"
         "  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then "
         "prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    if [[ -z $command && ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; fi\n"
         "    if [[ $command == @(record|ci) && ${COMP_WORDS[i]} == -- ]]; then\n"
         "      if ((i + 1 == COMP_CWORD)); then COMPREPLY=($(compgen -c -- \"$cur\")); "
         "else _gprof_x_files \"$cur\"; fi\n"
         "      return\n"
         "    fi\n"
         "  done\n"
         "  case \"$command\" in\n"
         "    '') COMPREPLY=($(compgen -W '" +
         names +
         "help --help --version' -- \"$cur\")); "
         "return ;;\n"
         "    help) COMPREPLY=($(compgen -W '" +
         names + "' -- \"$cur\")); return ;;\n" + cases +
         "  esac\n"
         "  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
         "  elif [[ -n $words ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  else _gprof_x_files \"$cur\"; fi\n"
         "}\n"
         "complete -F _gprof_x gprof-x\n";
}

// Escapes "[", "]", ":" and "\\", which have a meaning in descriptions for zsh's _arguments.
std::string ZshText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string ZshOption(const OptionSpec& spec) {
  const std::string flag = "--" + LongName(spec), brief = ShortName(spec);
  std::string value;
  if (spec.value != nullptr) {
    const std::string choices = Choices(spec);
    const std::string action = TakesFile(spec)   ? "_files"
                               : choices.empty() ? " "
                                                 : "(" + choices + ")";
    value = (spec.fallback != nullptr ? "::" : ":") + ZshText(spec.value) + ":" + action;
  }
  const std::string text = "[" + ZshText(spec.help) + "]" + value;
  const char* joined = spec.value != nullptr ? "=" : "";
  std::string out = "        " + Quoted(flag + joined + text) + " \\\n";
  if (!brief.empty()) {
    out += "        " + Quoted("-" + brief + (spec.value != nullptr ? "+" : "") + text) + " \\\n";
  }
  return out;
}

std::string Zsh(std::span<const CompletedCommand> commands) {
  std::string list, cases, names;
  for (const CompletedCommand& command : commands) {
    list += "    " + Quoted(std::string(command.name) + ":" + ZshText(command.help)) + "\n";
    names += std::string(command.name) + " ";
    std::string options;
    for (const OptionSpec& spec : command.options) options += ZshOption(spec);
    const bool record = command.name == "record";
    const std::string words(command.words);
    const std::string operands = record          ? "'*::command:_normal'"
                                 : words.empty() ? "'*:file:_files'"
                                                 : "'*:word:(" + words + ")'";
    cases += "      " + std::string(command.name) + ")\n        _arguments -S \\\n" + options +
             "        " + operands + " ;;\n";
  }
  return "#compdef gprof-x\n"
         "# zsh completion of gprof-x, made by 'gprof-x completion zsh'.\n"
         "# Words are not file names: a command that a folder is named after gets no slash.\n"
         "_gprof_x_files() {\n"
         "  compopt -o filenames 2> /dev/null || true\n"
         "  COMPREPLY=($(compgen -f -- \"$1\"))\n"
         "}\n"
         "_gprof_x() {\n"
         "  local context state state_descr line\n"
         "  typeset -A opt_args\n"
         "  local -a commands=(\n" +
         list +
         "    'help:Explain a command.'\n"
         "  )\n"
         "  _arguments -C '--help[Print the help.]' '--version[Print the version.]' "
         "'1:command:->command' '*::arg:->arg'\n"
         "  case $state in\n"
         "    command) _describe command commands ;;\n"
         "    arg)\n"
         "      case $line[1] in\n"
         "      help) _values command " +
         names + ";;\n" + cases +
         "      esac ;;\n"
         "  esac\n"
         "}\n"
         "# As a file of fpath it is the function _gprof-x, else it was sourced.\n"
         "if [[ $funcstack[1] == _gprof-x ]]; then _gprof_x \"$@\"; else compdef _gprof_x gprof-x; "
         "fi\n";
}

std::string Fish(std::span<const CompletedCommand> commands) {
  std::string out =
      "# fish completion of gprof-x, made by 'gprof-x completion fish'.\n"
      "complete -c gprof-x -n __fish_use_subcommand -f -l help -d 'Print the help.'\n"
      "complete -c gprof-x -n __fish_use_subcommand -f -l version -d 'Print the version.'\n"
      "complete -c gprof-x -n __fish_use_subcommand -f -a help -d 'Explain a command.'\n";
  for (const CompletedCommand& command : commands) {
    const std::string name(command.name);
    out += "complete -c gprof-x -n __fish_use_subcommand -f -a " + name + " -d " +
           Quoted(command.help) + "\n" +
           "complete -c gprof-x -n '__fish_seen_subcommand_from help' -f -a " + name + "\n";
    const std::string inside = "complete -c gprof-x -n '__fish_seen_subcommand_from " + name + "'";
    if (!command.words.empty()) out += inside + " -f -a " + Quoted(command.words) + "\n";
    for (const OptionSpec& spec : command.options) {
      const std::string brief = ShortName(spec), choices = Choices(spec);
      out += inside + " -l " + LongName(spec) + (brief.empty() ? "" : " -s " + brief);
      if (spec.value != nullptr && spec.fallback == nullptr) {
        out += TakesFile(spec) ? " -r -F" : choices.empty() ? " -x" : " -x -a " + Quoted(choices);
      }
      out += " -d " + Quoted(spec.help) + "\n";
    }
  }
  return out;
}

}  // namespace

std::optional<std::string> CompletionScript(std::string_view shell,
                                            std::span<const CompletedCommand> commands) {
  if (shell == "bash") return Bash(commands);
  if (shell == "zsh") return Zsh(commands);
  if (shell == "fish") return Fish(commands);
  return std::nullopt;
}

}  // namespace gprofx
