#!/usr/bin/env python3
"""The start of the page of `gprof-x report --html`: the verdict, where the time went and the findings, in the words of the text."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from page_support import FAKE, PROFILES, Page, js, report
from profile_support import GPROFX, QUERY, Recording

TRAIN = os.path.join(FAKE, "fake_train")


def text_of(file, *options):
    run = subprocess.run([GPROFX, "report", "--no-pager", "--wide", *options, file], check=True, capture_output=True, text=True)
    return " ".join(run.stdout.split())


class Start(Page):
    def sentences(self):
        return self.ask("[...document.querySelectorAll('#verdict p')].map(each => each.textContent)")

    def bottom(self, query):
        """Of an element in the window; 0 if it is not there."""
        return self.ask("(() => { const box = document.querySelector(%s); return box && box.offsetHeight ? box.getBoundingClientRect().bottom : 0; })()" % js(query))

    def test_the_verdict_of_a_cpu_recording(self):
        self.browser.size(1440, 900)
        with tempfile.TemporaryDirectory(prefix="gprof-x-start-") as folder:
            script = os.path.join(folder, "app.py")
            with open(script, "w") as file:
                file.write(QUERY)
            with Recording([sys.executable, script]) as r:
                self.page(r.file)
                said, text = self.sentences(), text_of(r.file)
                self.assertRegex(" ".join(said), r"\d% of the CPU time is in load \(app\.py:4\), \d+\.\d% of that in calls to sqlite3\.")
                for sentence in said:
                    self.assertIn(sentence, text)
                self.assertEqual(self.ask("document.querySelector('#verdict button').textContent"), "load (app.py:4)")
                self.assertTrue(0 < self.bottom("#verdict") < 200)
                self.assertLess(self.bottom("#flame"), 901)
                # Without a GPU there are no tabs of one.
                tabs = self.ask("[...document.querySelectorAll('#tabs button')].map(each => each.textContent)")
                for absent in ("Kernels", "GPU code", "Model", "Findings"):
                    self.assertNotIn(absent, tabs)
                self.fine()

    @unittest.skipUnless(PROFILES, "no real recordings")
    def test_findings_are_those_of_analyze(self):
        self.browser.size(1440, 900)
        file = os.path.join(PROFILES, "gpt2_train_h100.gprofx")
        self.page(file)
        for sentence in self.sentences():
            self.assertIn(sentence, text_of(file))
        self.assertIn("The GPU is idle for", self.sentences()[0])
        self.assertTrue(0 < self.bottom("#wall") < 250)
        told = json.loads(subprocess.run([GPROFX, "analyze", "--findings", "--json", file], check=True, stdout=subprocess.PIPE).stdout)
        rows = told["findings"][0]["rows"]
        self.ask("gprofx.open('findings')")
        cards = self.ask("[...document.querySelectorAll('.card')].map(each => each.textContent)")
        self.assertEqual(len(cards), len(rows))
        self.assertEqual(self.ask("gprofx.findings().map(each => [each.rule, each.saving_ns])"), [[row["rule"], row["saving_ns"]] for row in rows])
        for card, row in zip(cards, rows):
            for word in (row["advice"], *row["evidence"]):
                self.assertIn(word, card)
        # A card selects a step.
        self.ask("document.querySelector('.card button').click()")
        chosen = self.ask("gprofx.state().range")
        self.assertAlmostEqual((chosen["end"] - chosen["begin"]) / 1e6, 71.4, delta=2)
        self.fine()

    @unittest.skipUnless(os.path.exists(TRAIN), "built without CUDA headers")
    def test_each_process_and_gpu_has_a_bar(self):
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
        with Recording(["sh", "-c", "%s return & %s return; wait" % (TRAIN, TRAIN)], env=env) as r:
            self.page(r.file)
            lanes = report(r.file)["wall"]["lanes"]
            self.assertEqual(len(lanes), 2)
            names = self.ask("[...document.querySelectorAll('#wall .lane')].map(each => each.textContent)")
            self.assertEqual(len(names), 2)
            for lane in lanes:
                self.assertTrue(any(str(lane["pid"]) in name for name in names), (lane["pid"], names))
            self.fine()


if __name__ == "__main__":
    unittest.main(verbosity=2)
