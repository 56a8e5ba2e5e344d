#include "samplers/attach/python/entry_script.h"

#include <cstdio>

#include "samplers/wire/attach.h"

namespace gprofx::attach {
namespace {

// Returns a file name as a Python str literal. Escapes bytes that are not ASCII as os.fsdecode
// does. Escapes braces, too, because a file name must not look like a placeholder of the script.
std::string Quoted(std::string_view path) {
  std::string text = "'";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= ' ' && byte < 0x7f && c != '\'' && c != '\\' && c != '{';
    char escape[8];
    std::snprintf(escape, sizeof escape, byte < 0x80 ? "\\x%02x" : "\\udc%02x", byte);
    text += plain ? std::string(1, c) : escape;
  }
  return text + "'";
}

// Loads the agent, twice if needed.
//
// CPython runs the program's signal handlers when it checks the eval breaker, after each call that
// returns. An exception from a handler is then raised in the script. If the agent's file is loaded
// directly, there is no such check, because the one call ends with an exception.
//
// If an exception is caught all the same (during the copy, or from a hook of the program), it is
// kept in `met`, and the load is tried once more. The agent raises `met` in the program
// (late_python.cpp). If the load fails twice, for example because a hook forbids it, the attempt
// ends and `met` is not raised.
constexpr char kScript[] = R"(import _imp, posix
spec, met, answer = lambda: 0, None, {answer}
spec.name, spec.origin = '{module}', {agent}
def load():
    held = -1
    try:
        if {copy}:
            held = posix.memfd_create('libgprofx-agent.so', posix.MFD_CLOEXEC)
            file = posix.open({agent}, posix.O_RDONLY | posix.O_CLOEXEC)
            try:
                while posix.sendfile(held, file, None, 1 << 20): pass
            finally: posix.close(file)
            spec.origin = '/proc/self/fd/%d' % held
        _imp.create_dynamic(spec)
    finally:
        if held >= 0: posix.close(held)
def tell():
    file = posix.open(answer, posix.O_WRONLY | posix.O_APPEND | posix.O_CLOEXEC)
    posix.write(file, b'%d nothing\n' % posix.getpid())
    posix.close(file)
try: load()
except ImportError as error:
    if error.name: tell()
except BaseException as error:
    met, error.__traceback__ = error, error.__traceback__.tb_next.tb_next
    try: load()
    except ImportError as error:
        if error.name: tell()
    except BaseException: tell()
)";

void Replace(std::string& text, std::string_view what, const std::string& by) {
  for (size_t at; (at = text.find(what)) != std::string::npos;) text.replace(at, what.size(), by);
}

}  // namespace

std::string EntryScript(const EntryFiles& files) {
  std::string script = kScript;
  Replace(script, "{module}", wire::kAttachModule);
  Replace(script, "{agent}", Quoted(files.agent));
  Replace(script, "{copy}", files.copy ? "True" : "False");
  Replace(script, "{answer}", "b" + Quoted(files.answer));
  return script;
}

std::optional<EntryAnswer> ReadAnswer(std::string_view text, int64_t process) {
  const std::string begin = std::to_string(process) + " ";
  for (size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    if (!text.starts_with(begin)) continue;
    const std::string said(text.substr(begin.size(), end - begin.size()));
    unsigned long request = 0;
    unsigned version = 0;
    if (std::sscanf(said.c_str(), wire::kAttachAnswer, &request, &version) != 2)
      return EntryAnswer{};
    return EntryAnswer{request, version};
  }
  return std::nullopt;
}

}  // namespace gprofx::attach
