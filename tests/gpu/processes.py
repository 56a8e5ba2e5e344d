"""Runs programs for the GPU suite: with a time limit that really ends them, output in files, and the exit status as shells say it.

Every program gets a session of its own, so that what it leaves behind can be found and ended, whatever process group it is in.
"""
import os
import re
import signal
import subprocess
import tempfile
import time

OWN_LINE = re.compile(r"^gprof-x: .*$\n?", re.M)


class Ended:
    """What a program did. status: as shells say it, 128 + signal; None when it had to be stopped."""

    def __init__(self, command, status, out, err, seconds, leftovers):
        self.command, self.status, self.out, self.err = command, status, out, err
        self.seconds, self.leftovers = seconds, leftovers

    def text(self):
        status = "stopped at its time limit" if self.status is None else "status %d" % self.status
        return "$ %s\n%s after %.1f s\n--- stdout\n%s\n--- stderr\n%s\n" % (
            " ".join(self.command), status, self.seconds, cut(self.out), cut(self.err))


def cut(text, most=6000):
    if len(text) <= most:
        return text
    return "%s\n[... %d characters ...]\n%s" % (text[:most // 2], len(text) - most, text[-most // 2:])


def shell_status(code):
    return 128 - code if code < 0 else code


def members(session):
    """Process ids of a session that are not zombies."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open("/proc/%s/stat" % entry) as file:
                    fields = file.read().rpartition(")")[2].split()
                if int(fields[3]) == session and fields[0] != "Z":
                    found.append(int(entry))
            except (OSError, IndexError, ValueError):
                pass
    return found


def end_session(session):
    """Kills what is left of a session; how many processes that were."""
    killed = set()
    for _ in range(20):
        left = members(session)
        if not left:
            break
        for pid in left:
            killed.add(pid)
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.05)
    return len(killed)


def run(command, limit, env=None, folder=None, while_running=None, grace=0.0):
    """Runs a command to its end or for `limit` seconds; what it leaves behind gets `grace` seconds more.

    while_running(pid) is called again and again until it returns True.
    """
    command = [str(c) for c in command]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.monotonic()
        try:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, cwd=folder,
                                     start_new_session=True)
        except OSError as error:
            return Ended(command, 127, "", str(error), 0.0, 0)
        status = wait_for(child, begin + max(0.1, limit), while_running)
        seconds = time.monotonic() - begin
        until = time.monotonic() + grace
        while time.monotonic() < until and members(child.pid):
            time.sleep(0.05)
        leftovers = end_session(child.pid)
        if status is None:
            child.wait()
        out.seek(0)
        err.seek(0)
        return Ended(command, status, read(out), read(err), seconds, leftovers)


def wait_for(child, deadline, while_running):
    busy = while_running is not None
    while True:
        try:
            return shell_status(child.wait(0.02 if busy else max(0.01, min(0.5, deadline - time.monotonic()))))
        except subprocess.TimeoutExpired:
            if busy:
                busy = not while_running(child.pid)
        if time.monotonic() > deadline:
            return None


def read(file, most=64 << 20):
    return file.read(most).decode("utf-8", "replace")


def own_lines(text):
    """What gprof-x itself said on standard error."""
    return "".join(OWN_LINE.findall(text))


def without_own_lines(text):
    return OWN_LINE.sub("", text)


def masked(text):
    """Without what differs between two runs of one program: numbers, and lines that only the clock decides."""
    return re.sub(r"0x[0-9a-fA-F]+|\d+", "#", text).strip()
