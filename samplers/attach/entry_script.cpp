#include "samplers/attach/entry_script.h"

#include <cstdio>

#include "samplers/wire/attach.h"

namespace gprofx {
namespace {

// A file name as a str of Python's: bytes that are no plain ASCII as os.fsdecode has them.
std::string Quoted(std::string_view path) {
  std::string text = "'";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= ' ' && byte < 0x7f && c != '\'' && c != '\\';
    char escape[8];
    std::snprintf(escape, sizeof escape, byte < 0x80 ? "\\x%02x" : "\\udc%02x", byte);
    text += plain ? std::string(1, c) : escape;
  }
  return text + "'";
}

constexpr char kBegun[] = " begun\n";

// Signals of the program may be handled while this runs; of what their handlers raise only an
// interrupt can be told again.
constexpr char kScript[] = R"(import _imp, posix
def enter(agent, copy, answer):
    said, held = 'nothing', -1
    file = posix.open(answer, posix.O_WRONLY | posix.O_APPEND | posix.O_CLOEXEC)
    posix.write(file, b'%d begun\n' % posix.getpid())
    posix.close(file)
    try:
        if copy:
            held = posix.memfd_create('libgprofx-agent.so', posix.MFD_CLOEXEC)
            file = posix.open(agent, posix.O_RDONLY | posix.O_CLOEXEC)
            while posix.sendfile(held, file, None, 1 << 20): pass
            posix.close(file)
            agent = '/proc/self/fd/%d' % held
        _imp.create_dynamic(type(_imp.__spec__)('{module}', None, origin=agent))
    except Exception as error:
        said = str(error)
    if held >= 0: posix.close(held)
    file = posix.open(answer, posix.O_WRONLY | posix.O_APPEND | posix.O_CLOEXEC)
    posix.write(file, ('%d %s\n' % (posix.getpid(), said)).encode('utf-8', 'replace'))
    posix.close(file)
try: enter({agent}, {copy}, {answer})
except KeyboardInterrupt:
    import _thread; _thread.interrupt_main()
except Exception: pass
)";

void Replace(std::string& text, std::string_view what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
}

}  // namespace

std::string EntryScript(const EntryFiles& files) {
  std::string script = kScript;
  Replace(script, "{module}", wire::kAttachModule);
  Replace(script, "{agent}", Quoted(files.agent));
  Replace(script, "{copy}", files.copy ? "True" : "False");
  Replace(script, "{answer}", Quoted(files.answer));
  return script;
}

bool HasBegun(std::string_view text, int64_t process) {
  const std::string line = std::to_string(process) + kBegun;
  return text.starts_with(line) || text.find("\n" + line) != std::string_view::npos;
}

std::optional<EntryAnswer> ReadAnswer(std::string_view text, int64_t process) {
  const std::string begin = std::to_string(process) + " ";
  for (size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    if (!text.starts_with(begin) || text.substr(0, end + 1).ends_with(kBegun)) continue;
    const std::string said(text.substr(begin.size(), end - begin.size()));
    unsigned long request = 0;
    unsigned version = 0;
    if (std::sscanf(said.c_str(), wire::kAttachAnswer, &request, &version) != 2)
      return EntryAnswer{};
    return EntryAnswer{request, version};
  }
  return std::nullopt;
}

}  // namespace gprofx
