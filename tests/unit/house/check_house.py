"""The rules of the house that a compiler does not check: who includes whom, and what the libraries of a target may need and show."""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True

from types_defined_twice import types_defined_twice  # noqa: E402

MAY_INCLUDE = {
    "core": {"core"},
    "core/levels": {"core/levels", "core"},
    "core/analyses": {"core/analyses", "core/levels", "core"},
    "core/forecast": {"core/forecast", "core/replay", "core/levels", "core"},
    "core/findings": {"core/findings", "core/analyses", "core/replay", "core/views", "core/levels", "core"},
    "core/variability": {"core/variability", "core"},
    "core/replay": {"core/replay", "core/levels", "core"},
    "core/views": {"core/views", "core/levels", "core"},
    "core/compare": {"core/compare", "core/views", "core"},
    "formats": {"formats", "core/variability", "core"},
    "formats/exporters": {"formats/exporters", "formats", "core/views", "core"},
    "symbolize": {"symbolize", "core"},
    "samplers/wire": {"samplers/wire"},
    "samplers/agent": {"samplers/agent", "samplers/wire"},
    "samplers/cuda": {"samplers/cuda", "samplers/wire"},
    "samplers/nvtx": {"samplers/nvtx", "samplers/wire"},
    "samplers/memory": {"samplers/memory", "samplers/wire"},
    "samplers/collector": {"samplers/collector", "samplers/wire", "symbolize", "core"},
    "samplers/attach": {"samplers/attach", "samplers/collector", "samplers/wire", "core"},
    "samplers/recorder": {"samplers/recorder", "samplers/attach", "samplers/collector", "samplers/wire", "symbolize", "formats", "core"},
    "cli": {"cli", "samplers/attach", "samplers/recorder", "samplers/collector", "samplers/wire", "symbolize", "formats", "formats/exporters", "core/views", "core/levels", "core/analyses", "core/findings", "core/replay", "core/compare", "core/forecast", "core/variability", "core"},
}
ONLY_IN = {r"sqlite3\.h": "formats", r"(elfutils/.*|libelf|gelf)\.h": "symbolize", r"boost/math/.*": "core", r"boost/(?!math/).*": "cli", r"nlohmann/.*": "cli"}
EXPORTS = {"pthread_create", "thrd_create", "dlclose", "sigaction", "signal", "bsd_signal", "ssignal", "__sysv_signal", "sysv_signal", "sigset", "sigignore", "siginterrupt",
           "pthread_sigmask", "sigprocmask", "sigaltstack", "sigpending", "sigwait", "sigwaitinfo", "sigtimedwait", "signalfd", "pthread_cancel", "gprofx_agent_entry", "gprofx_agent_attach", "PyInit_gprofx_agent", "execve", "execv", "execvp", "execvpe", "execl", "execle", "execlp",
           "fexecve", "execveat", "posix_spawn", "posix_spawnp", "_exit", "_Exit", "wait", "waitpid", "wait3", "wait4", "prctl",
           "pthread_setname_np", "syscall"}
MEMORY_EXPORTS = {"_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE", "_ZN3c1027reportMemoryUsageToProfilerEPvlNS_6DeviceE"}
FORBIDDEN = {"malloc", "calloc", "realloc", "free", "_Znwm", "_Znam", "_ZdlPv", "__cxa_throw", "__tls_get_addr",
             "pthread_mutex_lock", "printf", "fprintf", "fopen", "dl_iterate_phdr_unsafe"}


TOP = {".ci", ".clang-format", ".clang-tidy", ".gitignore", "CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "LICENSE",
       "README.md", "SECURITY.md", "cli", "cmake", "core", "docs", "formats", "man", "samplers", "symbolize", "tests"}

# What core is made of knows no descriptor and no process; what everybody above it shares may.
SYSTEM = r'#include (<(unistd|fcntl|poll|signal|spawn|pthread|dirent|sys/[^>]*)\.h>|"core/base/(unique_fd|file_io)\.h")'


# What a file defines, at its left margin: a class or a function by its name.
DEFINED = r"(?!namespace|\s)(?:\w+ )*(?:class |struct |[\w:<>*&]+ [*&]*)(\w+)(?: final)?(?:\(.*| \{)$"


def defined(path):
    with open(path) as file:
        return {found.group(1) for found in (re.match(DEFINED, line) for line in file if not line.rstrip().endswith(";")) if found}


def room_of(path):
    return next((r for r in sorted(MAY_INCLUDE, key=len, reverse=True) if path.startswith(r + "/")), None)


def strangers_at_the_top(root):
    """Of the files that the repository keeps; none where there is no repository."""
    try:
        run = subprocess.run(["git", "-C", root, "ls-files", "-z"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return []
    return sorted({path.split("/")[0] for path in run.stdout.split("\0") if path} - TOP)


def full_folders(root):
    """Folders of the product and of its tests in which nobody finds a file; those of data have no limit."""
    most = 35
    for room in ("cli", "core", "formats", "samplers", "symbolize", "tests"):
        for folder, inside, files in os.walk(os.path.join(root, room)):
            inside[:] = [name for name in inside if name not in ("data", "corpus", "__pycache__")]
            if len(files) > most:
                yield "%s holds %d files, %d at most: divide it" % (os.path.relpath(folder, root), len(files), most)


def main(root, agent, nvtx, memory):
    wrong = ["%s: does not belong at the top" % name for name in strangers_at_the_top(root)]
    base = os.path.join(root, "core/base")
    texts = {}
    shared = set().union(*(defined(os.path.join(base, name)) for name in os.listdir(base)))
    for folder, _, files in os.walk(root):
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), root)
            room = room_of(path)
            if room is None or not name.endswith((".h", ".cpp")):
                continue
            if "core" in MAY_INCLUDE[room] and not path.startswith("core/base/"):
                wrong += ["%s: the base has %s" % (path, twice) for twice in sorted(shared & defined(os.path.join(root, path)))]
            with open(os.path.join(root, path)) as file:
                texts[path] = file.read()
                for number, line in enumerate(texts[path].splitlines(), 1):
                    own = re.match(r'#include "([^"]+)"', line)
                    if own and room_of(own.group(1)) not in MAY_INCLUDE[room] | {None}:
                        wrong.append("%s:%d includes %s" % (path, number, own.group(1)))
                    if room == "core" and not path.startswith("core/base/") and re.match(SYSTEM, line):
                        wrong.append("%s:%d: core knows no system" % (path, number))
                    if path.startswith("core/base/") and own and not own.group(1).startswith("core/base/"):
                        wrong.append("%s:%d: the base stands on nothing" % (path, number))
                    for pattern, home in ONLY_IN.items():
                        # Whoever reads the JSON of other tools is a part of formats.
                        if home == "cli" and "nlohmann" in pattern and path.startswith("formats/importers/"):
                            continue
                        if re.match(r'#include [<"]%s[>"]' % pattern, line) and not (room + "/").startswith(home + "/"):
                            wrong.append("%s:%d: only %s may include this" % (path, number, home))
    wrong += types_defined_twice(texts)
    wrong += full_folders(root)

    def symbols(option, library=agent):
        out = subprocess.run(["nm", "-D", option, library], stdout=subprocess.PIPE, text=True, check=True).stdout
        return {line.split()[-1].split("@")[0] for line in out.split("\n") if line}
    wrong += ["the agent exports %s" % s for s in symbols("--defined-only") - EXPORTS]
    wrong += ["the agent needs %s" % s for s in symbols("--undefined-only") & FORBIDDEN]
    wrong += ["the NVTX side exports %s" % s for s in symbols("--defined-only", nvtx) - {"InitializeInjectionNvtx2"}]
    wrong += ["the NVTX side needs %s" % s for s in symbols("--undefined-only", nvtx) & FORBIDDEN]
    wrong += ["the memory side exports %s" % s for s in symbols("--defined-only", memory) - MEMORY_EXPORTS]
    wrong += ["the memory side needs %s" % s for s in symbols("--undefined-only", memory) & (FORBIDDEN | {"dlsym", "dlopen"})]
    print("\n".join(wrong) or "the house is in order")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:5]))
