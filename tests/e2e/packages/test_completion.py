"""Completion of bash, zsh and fish, loaded into the real shells; the pager on a real terminal."""
import fcntl
import os
import pty
import select
import shutil
import struct
import subprocess
import tempfile
import termios
import time
import unittest

GPROFX = os.environ["GPROFX"]


def script(shell):
    return subprocess.run([GPROFX, "completion", shell], stdout=subprocess.PIPE, check=True, text=True).stdout


def on_terminal(argv, keys=b"", rows=24, columns=80, env=None, seconds=30):
    """What argv writes on a terminal of that size; `keys` are typed when it has been quiet for a moment."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(dict(TERM="xterm"), **(env or {}))
        os.execvp(argv[0], argv)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    out, deadline = b"", time.time() + seconds
    keys = list(keys) if isinstance(keys, (list, tuple)) else [keys]
    while time.time() < deadline:
        ready, _, _ = select.select([terminal], [], [], 1.0)
        if not ready:
            if keys:
                os.write(terminal, keys.pop(0))
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        out += data
    else:
        os.kill(child, 9)
    os.close(terminal)
    return os.waitpid(child, 0)[1], out.decode(errors="replace")


class Completion(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def save(self, shell, name):
        path = os.path.join(self.folder.name, name)
        with open(path, "w") as out:
            out.write(script(shell))
        return path

    def bash(self, *words):
        line = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gprof_x; printf "%s\\n" "${COMPREPLY[@]}"'
        run = subprocess.run(["bash", "--norc", "-uec", line, "bash", self.save("bash", "gprof-x"), "gprof-x", *words],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder.name)
        self.assertEqual(run.stderr, "")
        return run.stdout.split()

    def test_a_folder_that_is_called_like_a_command(self):
        os.mkdir(os.path.join(self.folder.name, "ci"))
        start = self.save("bash", "start")
        with open(start, "a") as out:
            out.write("cd %s; PS1='> '\n" % self.folder.name)
        _, text = on_terminal(["bash", "--noprofile", "--rcfile", start, "-i"], [b"gprof-x ci\tX", b"\x03", b"exit\n"])
        self.assertIn("gprof-x ci X", text)

    def test_bash(self):
        self.assertEqual(self.bash("rep"), ["report"])
        self.assertIn("record", self.bash(""))
        self.assertEqual(self.bash("report", "--call"), ["--callers"])
        self.assertEqual(self.bash("report", "--by", "mo"), ["module"])
        self.assertEqual(self.bash("report", "--color", "=", "ne"), ["never"])
        self.assertEqual(self.bash("report", "--color", "="), ["auto", "always", "never"])
        self.assertEqual(self.bash("record", "--gpu", ""), ["auto", "trace", "pc", "off"])
        self.assertEqual(self.bash("record", "--", "bas"), [w for w in self.bash("record", "--", "bas") if w.startswith("bas")])
        self.assertEqual(self.bash("completion", "z"), ["zsh"])
        self.assertEqual(self.bash("ci", "ba"), ["baseline"])
        self.assertEqual(self.bash("ci", "run", "--base-"), ["--base-dir"])
        self.assertEqual(self.bash("ci", "run", "--least", "2", "--warm"), ["--warm-up"])
        self.assertEqual(self.bash("ci", "run", "--", "bas"), self.bash("record", "--", "bas"))
        open(os.path.join(self.folder.name, "run.gprofx"), "w").close()
        self.assertEqual(self.bash("report", "run"), ["run.gprofx"])

    def test_every_option_is_known(self):
        for command in ("record", "report", "annotate", "forecast", "variability", "doctor"):
            few = command in ("annotate", "variability", "doctor")  # options: --help lists them all
            text = subprocess.run([GPROFX, command, "--help" if few else "--help-all"], stdout=subprocess.PIPE, text=True, check=True).stdout
            wanted = sorted({w.strip(",").split("=")[0] for line in text.splitlines() if line.startswith("  -")
                             for w in line.split()[:2] if w.startswith("--")})
            self.assertEqual(sorted(self.bash(command, "--")), wanted, command)
            for shell in ("zsh", "fish"):
                for option in wanted:
                    self.assertIn(("--" if shell == "zsh" else "-l ") + option[2:], script(shell))

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish(self):
        path = self.save("fish", "gprof-x.fish")

        def complete(line):
            run = subprocess.run(["fish", "--no-config", "-c", "source %s; complete -C '%s'" % (path, line)], cwd=self.folder.name,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ, HOME=self.folder.name))
            self.assertEqual(run.stderr, "")
            return [word.split("\t")[0] for word in run.stdout.splitlines()]

        self.assertEqual(complete("gprof-x rep"), ["report"])
        self.assertEqual(complete("gprof-x report --call"), ["--callers"])
        self.assertEqual(complete("gprof-x report --by mo"), ["module"])
        self.assertEqual(complete("gprof-x record --gpu t"), ["trace"])
        self.assertEqual(complete("gprof-x completion z"), ["zsh"])

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh(self):
        self.save("zsh", "_gprof-x")
        os.symlink(GPROFX, os.path.join(self.folder.name, "gprof-x"))
        start = "fpath=(%s $fpath); PATH=%s:$PATH; autoload -U compinit; compinit -u -D; PS1='> '\n" % (self.folder.name, self.folder.name)
        for typed, result in ((b"gprof-x rep\t", "report"), (b"gprof-x report --call\t", "--callers"),
                              (b"gprof-x report --by mo\t", "--by module"), (b"gprof-x record --gpu tr\t", "--gpu trace")):
            _, screen = on_terminal(["zsh", "-f"], [start.encode(), typed, b"\x03", b"\x04exit\n"])
            self.assertIn(result, screen, typed)


class Pager(unittest.TestCase):
    def report(self, rows, **env):
        profile = os.path.join(self.folder.name, "p.gprofx")
        if not os.path.exists(profile):
            subprocess.run([GPROFX, "record", "-q", "-o", profile, "--", "python3", "-c", "sum(i * i for i in range(3000000))"],
                           check=True, stdout=subprocess.DEVNULL)
        return on_terminal([GPROFX, "report", *self.args, profile], rows=rows, env=dict(env, NO_COLOR="1"))

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.args = []

    def test_long_texts_only(self):
        status, text = self.report(6, PAGER="sed s/^/paged:/")
        self.assertEqual(status, 0)
        self.assertIn("paged:gprof-x report", text)
        self.assertNotIn("paged:", self.report(200, PAGER="sed s/^/paged:/")[1])
        self.assertNotIn("paged:", self.report(6, PAGER="")[1])
        self.args = ["--no-pager"]
        self.assertNotIn("paged:", self.report(6, PAGER="sed s/^/paged:/")[1])

    def test_a_pager_that_is_not_there_or_leaves(self):
        self.assertIn("gprof-x report:", self.report(6, PAGER="/no/such/pager")[1])
        status, text = self.report(6, PAGER="head -n 1")
        self.assertEqual(status, 0)
        self.assertIn("gprof-x report:", text)


if __name__ == "__main__":
    unittest.main()
