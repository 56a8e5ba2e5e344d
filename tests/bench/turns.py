"""Programs that take turns: a machine whose speed wanders by a third from second to second is the same for all of them.

Each is a process that has made everything ready, makes some steps when it is asked to, and waits otherwise. The program calls serve(),
who measures holds Players and asks them in turn.
"""
import json
import os
import signal
import subprocess
import sys
import threading

LIMIT = 120  # seconds in which a program is ready, or has had its turn


def serve(block):
    """In the program: block() makes some steps and returns the milliseconds of one. Ends with standard input."""
    print(json.dumps({"ready": True}), flush=True)
    for _ in sys.stdin:
        print(json.dumps({"step_ms": block()}), flush=True)


class Failed(Exception):
    pass


class Player:
    def __init__(self, command, errors, environment=None):
        """errors: a path that takes standard error."""
        self.errors, self.turns = errors, []
        with open(errors, "w") as file:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file, text=True, env=environment,
                                            start_new_session=True)

    def answer(self):
        timer = threading.Timer(LIMIT, self.kill)
        timer.start()
        try:
            for line in self.process.stdout:
                if line.startswith("{"):
                    return json.loads(line)
        finally:
            timer.cancel()
        self.process.wait()
        with open(self.errors) as file:
            raise Failed("status %d: %s" % (self.process.returncode, file.read()[-1500:].strip()))

    def wait_ready(self):
        self.answer()

    def turn(self):
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # answer() says why it ended
        self.turns.append(self.answer()["step_ms"])

    def finish(self):
        """The status; what it printed meanwhile is nothing to us."""
        self.process.stdin.close()
        self.process.stdout.read()
        return self.process.wait()

    def kill(self):
        """With the program that a recorder has started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def play(players, rounds):
    """Rounds in the order A B C, C B A, ...: what goes steadily is in all of them alike. They are ready."""
    for i in range(rounds):
        for player in players if i % 2 == 0 else players[::-1]:
            player.turn()


def attempt(players, what):
    """What it returns, or {"error": why}: then no player is left."""
    try:
        return what()
    except Failed as error:
        for player in players:
            player.kill()
        return {"error": str(error)}
