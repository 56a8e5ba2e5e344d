#!/usr/bin/env python3
"""Layers of a model in own recordings: the module that a stack works for, by the name that the model has for it."""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from fake_gpu_support import FAKE, TRAIN
from launcher_support import Profile
from profile_support import GPROFX, Recording, pythons

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join(HERE, "..", "workloads", "python", "layers.py")
ROUNDS = 100


def record(python, rounds=ROUNDS, **env):
    env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"), PYTHONIOENCODING="utf-8", **env)
    return Recording([python, PROGRAM, FAKE, str(rounds)], ["--overhead", "none"], env=env, timeout=120)


def by_layer(file, *options):
    out = subprocess.run([GPROFX, "report", "--by", "layer", "--top", "500", "--phase", "all", "--json", *options, file],
                         stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


@unittest.skipUnless(os.path.exists(TRAIN), "built without CUDA headers")
class Layers(unittest.TestCase):
    def check(self, python, torch):
        for _ in range(5):  # on a loaded machine the recorder may be late, and loses launches
            with record(python, FAKE_TORCH=torch) as r:
                if Profile(r.file).quality["gpu_launches_lost"] == 0:
                    return self.check_recording(r)
        self.skipTest("the machine is too loaded: launches were lost in five recordings")

    def check_recording(self, r):
        said, rows = json.loads(r.out), by_layer(r.file)["rows"]
        truth = said["ns"]
        self.assertEqual(sum(row["self"] for row in rows), sum(truth.values()))
        got = {row["name"]: row["self"] for row in rows if row["self"]}
        of_type = {(row["name"], row["type"]): row["self"] for row in rows}
        self.assertEqual(got.pop(None), truth.pop(""))
        # One of another class at the same address, under the same name, is another layer.
        self.assertTrue(said["met"])
        got.pop("Replaced.part")
        for name in ("Attention", "Other"):
            self.assertEqual(of_type["Replaced.part", name], truth.pop("Replaced.part " + name))
        # Modules made for each call: some, then the module around them has their work.
        passing = {name: got.pop(name) for name in list(got) if name.startswith("Passing")}
        self.assertEqual(sum(passing.values()), truth.pop("passing"))
        self.assertLess(len(passing), 70)
        self.assertEqual(got, truth)
        # Layers of a loop share what is remembered of the stacks of launches.
        q = Profile(r.file).quality
        self.assertGreater(q["call_memo_hits"], q["call_stacks"] * 0.75)

    def test_every_layer_has_its_time_to_the_ns(self):
        for version, python in pythons():
            for torch in "1", "2":
                with self.subTest(version=version, python=python, torch=torch):
                    self.check(python, torch)


if __name__ == "__main__":
    unittest.main(verbosity=2)
