"""The zoo's runner: what it chooses, that it goes on where it was stopped, that a model that hangs costs its own time only."""
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ZOO = os.path.join(HERE, "zoo.py")

GPROFX = '''#!%s
"""Records nothing: answers as gprof-x does."""
import json, os, sys, time
if sys.argv[1] == "record":
    name, mode = sys.argv[sys.argv.index("--") + 3:][:2]
    with open(os.environ["CALLS"], "a") as file:
        file.write(name + " " + mode + "\\n")
    if name == "vgg16":
        time.sleep(60)
    if name == "alexnet":
        sys.exit("no such thing")
    open(sys.argv[sys.argv.index("-o") + 1], "w").close()
    print(json.dumps({"model": name, "family": "f", "mode": mode, "parameters": 1, "step_ms": 2.5}))
else:
    rows = {"A15": [{"kernels": 7, "busy_share": 0.5, "flop": 2e9}]}
    notes = {"A3": ["97.5%% of the GPU time lies in layers, 2.5%% elsewhere"]}
    names = ["A%%d" %% n for n in range(1, 16)]
    print(json.dumps({"analyses": [{"name": n, "rows": rows.get(n, []), "notes": notes.get(n, [])} for n in names], "findings": []}))
'''


class Zoo(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.gprofx = os.path.join(self.folder.name, "gprof-x")
        with open(self.gprofx, "w") as file:
            file.write(GPROFX % sys.executable)
        os.chmod(self.gprofx, os.stat(self.gprofx).st_mode | stat.S_IXUSR)
        self.out, self.called = os.path.join(self.folder.name, "out"), os.path.join(self.folder.name, "calls")

    def run_zoo(self, *args):
        return subprocess.run([sys.executable, ZOO, "--gprofx", self.gprofx, "--out", self.out, *args], capture_output=True, text=True, timeout=60,
                              env=dict(os.environ, CALLS=self.called))

    def calls(self):
        with open(self.called) as file:
            return sorted(file.read().splitlines())

    def test_goes_on_where_it_was(self):
        run = self.run_zoo("--only", "train,infer", "resnet18", "gpt2")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(self.calls(), ["gpt2 infer", "gpt2 train", "resnet18 infer", "resnet18 train"])
        self.assertIn("| resnet18 | train | 2.50 | 50.0% | 7 | 97.5% |", run.stdout)
        again = self.run_zoo("--only", "train", "resnet18", "bert")
        self.assertEqual(self.calls()[0], "bert train")
        self.assertEqual(len(self.calls()), 5)
        self.assertIn("| gpt2 | infer |", again.stdout)  # one table of all
        self.run_zoo("--only", "train", "--again", "resnet18")
        self.assertEqual(self.calls().count("resnet18 train"), 2)

    def test_words_of_each_kind(self):
        self.run_zoo("--only", "infer,torchaudio")
        self.assertEqual(self.calls(), ["conformer infer", "conv_tasnet infer", "wav2letter infer"])
        self.assertIn("no model, family or mode is called x", self.run_zoo("--only", "x").stderr)

    def test_one_that_hangs_and_one_that_fails(self):
        run = self.run_zoo("--only", "train", "--each", "2", "--seconds", "40", "vgg16", "alexnet", "resnet18")
        self.assertEqual(run.returncode, 0)
        self.assertIn("vgg16, train: took longer than --each seconds", run.stdout)
        self.assertIn("alexnet, train: status 1: no such thing", run.stdout)
        self.assertIn("| resnet18 | train |", run.stdout)

    def test_without_time_it_is_asked_again(self):
        run = self.run_zoo("--only", "train", "--seconds", "1", "resnet18")
        self.assertEqual((run.returncode, run.stdout.count("no time left")), (77, 1))
        self.assertIn("| resnet18 | train |", self.run_zoo("--only", "train", "resnet18").stdout)


if __name__ == "__main__":
    unittest.main()
