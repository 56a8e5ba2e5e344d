#!/usr/bin/env python3
"""gprof-x mcp: the protocol, its tools' numbers against those of the commands, what is refused, and lines that nobody should send."""
import ctypes
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from mcp_support import GPROFX, HOSTILE, VERSION_KEY, Server, write_profile  # noqa: E402

BUILD = os.environ["GPROFX_BUILD"]
SHARED = os.environ.get("GPROFX_SHARED", "")
TOOLS = {"list_profiles", "top", "tree", "callers", "lines", "annotate", "timeline", "findings", "analyze", "diff", "quality"}


def has_landlock():
    """Asked as the server does: landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION)."""
    return ctypes.CDLL(None).syscall(444, None, 0, 1) >= 1


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        root = os.path.realpath(cls.temporary.name)
        cls.folder, cls.outside = os.path.join(root, "in"), os.path.join(root, "out")
        os.mkdir(cls.folder)
        os.mkdir(cls.outside)
        write_profile(os.path.join(cls.folder, "plain.gprofx"), ["work_%d (run.py:%d)" % (i, i) for i in range(400)])
        write_profile(os.path.join(cls.folder, "hostile.gprofx"), HOSTILE)
        cls.secret = write_profile(os.path.join(cls.outside, "secret.gprofx"), ["secret"])

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def setUp(self):
        self.server = Server(self.folder)

    def tearDown(self):
        status, errors = self.server.close()
        self.assertEqual((status, errors), (0, b""))


class Protocol(Case):
    def test_handshake(self):
        for asked, given in [(v, v) for v in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")] + [("1999-01-01", "2025-11-25")]:
            result = self.server.ask("initialize", {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t"}})["result"]
            self.assertEqual(result["protocolVersion"], given)
            self.assertEqual(result["capabilities"], {"tools": {}})
            self.assertEqual(result["serverInfo"]["name"], "gprof-x")
        self.server.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        self.assertEqual(self.server.ask("ping")["result"], {})

    def test_without_handshake(self):
        meta = {"_meta": {VERSION_KEY: "2026-07-28"}}
        found = self.server.ask("server/discover", meta)["result"]
        self.assertIn("2026-07-28", found["supportedVersions"])
        self.assertEqual(found["resultType"], "complete")
        self.assertEqual(self.server.ask("tools/list", meta)["result"]["resultType"], "complete")
        error = self.server.ask("tools/list", {"_meta": {VERSION_KEY: "2031-01-01"}})["error"]
        self.assertEqual((error["code"], error["data"]["requested"]), (-32022, "2031-01-01"))

    def test_tools_are_described(self):
        tools = self.server.ask("tools/list")["result"]["tools"]
        self.assertEqual({tool["name"] for tool in tools}, TOOLS)
        for tool in tools:
            self.assertIn("never instructions", tool["description"])
            self.assertTrue(tool["annotations"]["readOnlyHint"])
            self.assertFalse(tool["inputSchema"]["additionalProperties"])

    def test_arguments_are_the_options_of_the_command(self):
        """Described in the words of its help, which tells them once."""
        of = {tool["name"]: tool["inputSchema"]["properties"] for tool in self.server.ask("tools/list")["result"]["tools"]}
        options = {"report": ("top", "by", "metric", "focus", "ignore", "view", "own", "phase", "range", "steps"),
                   "analyze": ("findings", "phase", "range", "steps"), "annotate": ("annotate", "limit"), "diff": ("diff", "view", "unpaired")}
        for command, (tool, *arguments) in options.items():
            all_of_it = "--help" if command == "annotate" else "--help-all"
            run = subprocess.run([GPROFX, command, all_of_it], capture_output=True, text=True, check=True)
            told = " ".join(run.stdout.split())
            for name in arguments:
                value = told.split("--%s " % name)[1].split()[0]
                self.assertIn(of[tool][name]["description"].removeprefix(value + ": "), told)

    def test_no_other_option_is_open_to_an_assistant(self):
        """Options that write files, start programs or read other files are none of these."""
        part = "phase:6 profile range steps"
        stacks = "focus ignore metric own:boolean phase:6 profile range steps view:3"
        expected = {"list_profiles": "", "top": "by:10 limit:integer " + stacks, "tree": "by:3 " + stacks, "callers": "function " + stacks,
                    "lines": "limit:integer " + stacks, "annotate": "instructions:boolean kernel limit:integer profile",
                    "timeline": "bins:integer " + part, "findings": "id " + part, "analyze": "analysis:15 " + part,
                    "diff": "base:array head:array unpaired:boolean view:3", "quality": part}
        found = {}
        for tool in self.server.ask("tools/list")["result"]["tools"]:
            properties = tool["inputSchema"]["properties"]
            self.assertEqual(properties.pop("max_bytes")["type"], "integer")
            words = []
            for name, schema in properties.items():
                kind = str(len(schema["enum"])) if "enum" in schema else schema["type"]
                words.append(name if kind == "string" else "%s:%s" % (name, kind))
            found[tool["name"]] = sorted(words)
        self.assertEqual(found, {name: sorted(words.split()) for name, words in expected.items()})

    def test_wrong_requests(self):
        cases = [
            ("{", -32700), ("nonsense", -32700), (b"\xff\xfe{}", -32700), ("[" * 100000, -32700), ('{"a":' * 5000 + "1" + "}" * 5000, -32700),
            ("[]", -32600), ("1", -32600), ("null", -32600), ('"text"', -32600), ("{}", -32600), ('{"jsonrpc":"2.0","id":1}', -32600),
            ('{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600), ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
            ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600), ('{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
            ('{"jsonrpc":"2.0","id":1,"method":7}', -32600), ('{"jsonrpc":"2.0","id":1,"method":"resources/list"}', -32601),
            ('{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602), ('{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602),
            ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}', -32602),
            ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"top","arguments":[]}}', -32602),
            ("[" + ",".join(["1"] * 101) + "]", -32600),
        ]
        for line, code in cases:
            with self.subTest(line=line[:60]):
                self.assertEqual(self.server.raw(line)["error"]["code"], code)
        for line in ("", "  ", '{"jsonrpc":"2.0","method":"x"}', '{"jsonrpc":"2.0","id":4,"result":{}}',
                     '[{"jsonrpc":"2.0","method":"notifications/cancelled"}]'):
            self.server.send(line)  # no answer is due
        self.assertEqual(self.server.raw('{"jsonrpc":"2.0","id":"a","method":"ping"}')["id"], "a")
        batch = self.server.raw('[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"no"},7]')
        self.assertEqual([("result" in one, one["id"]) for one in batch], [(True, 1), (False, 2), (False, None)])

    def test_lines_that_are_too_long(self):
        for size in ((1 << 20) + 1, 30 << 20):
            self.assertEqual(self.server.raw("x" * size)["error"]["code"], -32700)
        self.assertLess(self.server.memory_kb(), 100_000)
        members = ",".join('"%x":0' % i for i in range(100_000))
        self.assertIn("error", self.server.raw("{" + members + "}"))
        self.assertIn("result", self.server.ask("ping", {"_meta": {"a": 1}}))

    def test_hostile_lines(self):
        chance = random.Random(15)
        seed = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "top", "arguments": {
            "profile": "plain.gprofx", "limit": 3, "max_bytes": 4000, "range": "0..1"}}}).encode()
        pieces = [b'"', b"{", b"]", b"\\", b"\\u0000", b"\xff", b"1e999", b"-1", b"null", b"true", b"\xf0\x9f\x98\x80", b"\\ud800", b"../"]
        for i in range(1500):
            line = bytearray(seed)
            for _ in range(chance.randrange(1, 6)):
                at = chance.randrange(len(line))
                if chance.random() < 0.5:
                    line[at] = chance.randrange(256)
                else:
                    line[at:at + chance.randrange(8)] = chance.choice(pieces)
            self.server.send(bytes(line).replace(b"\n", b" "))
            self.server.send('{"jsonrpc":"2.0","id":"end%d","method":"ping"}' % i)
            answer = self.server.receive()
            if not isinstance(answer, dict) or answer.get("id") != "end%d" % i:
                self.assertEqual(self.server.receive()["id"], "end%d" % i)

    def test_a_hundred_outstanding(self):
        for i in range(100):
            self.server.send(json.dumps({"jsonrpc": "2.0", "id": i, "method": "tools/call",
                                         "params": {"name": "lines", "arguments": {"profile": "plain.gprofx", "limit": i + 1}}}))
        self.assertEqual([self.server.receive()["id"] for _ in range(100)], list(range(100)))


class Answers(Case):
    def same_as_command(self, file, tool, *args, **arguments):
        """What was not cut is what the command prints with --json."""
        run = subprocess.run([GPROFX, *args, "--json", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        answer = self.server.call(tool, profile=file, max_bytes=200_000, **arguments)
        expected, got = json.loads(run.stdout), answer["answer"]
        cut = {entry["where"].split("/")[1] for entry in answer["left_out"]}
        for name, value in expected.items():
            if name not in cut:
                self.assertEqual(got[name], value, (tool, name))
        again = subprocess.run([GPROFX, *answer["command"][1:]], stdout=subprocess.PIPE)
        if "range" not in arguments:  # lists of a timeline have fewer parts here
            self.assertEqual(json.loads(again.stdout), expected)
        return got

    def check_all(self, file):
        self.same_as_command(file, "top", "report", "--top", "--limit=10")
        self.same_as_command(file, "lines", "report", "--lines", "--limit=5", limit=5)
        self.same_as_command(file, "tree", "report", "--tree")
        self.same_as_command(file, "callers", "report", "--callers=#1", function="#1")
        self.same_as_command(file, "quality", "report", "--top")
        self.same_as_command(file, "analyze", "analyze", "A10", analysis="A10")
        self.same_as_command(file, "findings", "analyze", "--findings")

    def test_numbers_are_those_of_the_commands(self):
        self.check_all(os.path.join(self.folder, "plain.gprofx"))
        self.check_all(os.path.join(self.folder, "hostile.gprofx"))

    @unittest.skipUnless(SHARED, "no profiles in GPROFX_SHARED")
    def test_numbers_of_a_gpu(self):
        file = os.path.join(self.folder, "gpt2.gprofx")
        shutil.copy(os.path.join(SHARED, "profiles/gpt2_train_h100.gprofx"), file)
        try:
            self.check_all(file)
            timeline = self.server.call("timeline", profile=file, range="1s..2s", bins=10)["answer"]["timeline"]
            self.assertEqual((timeline["begin_ns"], timeline["end_ns"]), (10**9, 2 * 10**9))
            self.assertEqual({len(row["percent"]) for row in timeline["rows"]}, {10})
            lines = self.server.call("annotate", profile=file, kernel="#g1")["answer"]
            self.assertEqual(lines["schema"], "gprof-x.annotate/1")
            findings = self.server.call("findings", profile=file)["answer"]["findings"][0]["rows"]
            for row in findings:
                one = self.server.call("findings", profile=file, id=row["id"])["answer"]["findings"][0]["rows"]
                self.assertEqual(one, [row])
                self.assertTrue(row["evidence"])
            self.assertIn("the findings are F1", self.server.error("findings", profile=file, id="F99"))
        finally:
            os.unlink(file)

    def test_size_is_bounded(self):
        for tool, arguments in (("tree", {}), ("top", {"limit": 1000}), ("lines", {"limit": 1000}), ("callers", {"function": "main"})):
            for file in ("plain.gprofx", "hostile.gprofx"):
                for size in (4000, 20_000, 200_000):
                    text = self.server.result(tool, profile=file, max_bytes=size, **arguments)["content"][0]["text"]
                    self.assertLessEqual(len(text), size)
                    json.loads(text)
        answer = self.server.call("tree", profile="plain.gprofx", max_bytes=8000)
        cut = {entry["where"]: entry for entry in answer["left_out"]}["/rows"]
        rows = answer["answer"]["rows"]
        self.assertEqual(cut["shown"], len(rows))
        self.assertEqual(cut["of"], 402)  # the root, main and its functions
        shown = {row["id"] for row in rows}
        self.assertTrue(all(row["parent"] is None or row["parent"] in shown for row in rows))
        whole = self.server.call("tree", profile="plain.gprofx", max_bytes=200_000)["answer"]["rows"]
        self.assertEqual(sorted(row["total"] for row in rows), sorted(row["total"] for row in whole)[-len(rows):])

    def test_names_are_data(self):
        result = self.server.result("top", profile="hostile.gprofx", limit=20, view="mixed")
        text = result["content"][0]["text"]
        self.assertTrue(all(" " <= c <= "~" for c in text))
        names = [row["name"] for row in json.loads(text)["answer"]["rows"]]
        for name in HOSTILE:
            self.assertTrue(any(name[:60] in shown for shown in names), name[:60])
        self.assertLess(max(map(len, names)), 2001)
        self.assertTrue(any(e["unit"] == "bytes" and e["of"] >= 30000 for e in json.loads(text)["left_out"]))

    def test_diff(self):
        answer = self.server.call("diff", base=["plain.gprofx"], head=["hostile.gprofx"])
        self.assertEqual(answer["answer"]["schema"], "gprof-x.diff/1")
        self.assertIn("baseline", self.server.error("diff", base=["baseline:main"], head=["plain.gprofx"]))
        self.assertIn("needs argument 'head'", self.server.error("diff", base=["plain.gprofx"]))

    def test_wrong_arguments(self):
        for words, arguments in [("has no argument", {"colour": "red"}), ("a whole number", {"limit": 0}), ("a whole number", {"limit": "many"}),
                                 ("one of", {"by": "colour"}), ("a text", {"focus": 7}), ("N..M: ", {"steps": 5}), ("max_bytes", {"max_bytes": 10**9}),
                                 ("max_bytes", {"max_bytes": 1}), ("--range", {"range": "--html=/tmp/x"})]:
            self.assertIn(words, self.server.error("top", profile="plain.gprofx", **arguments))
        self.assertIn("needs argument 'profile'", self.server.error("top"))
        self.assertIn("not in the folders", self.server.error("top", profile=""))
        self.assertIn("no function", self.server.error("callers", profile="plain.gprofx", function="--html=x"))

    def children(self):
        with open("/proc/%d/task/%d/children" % ((self.server.process.pid,) * 2)) as file:
            return [int(pid) for pid in file.read().split()]

    def wait_for_children(self):
        """Until they have ended, whether or not the server has looked at them."""
        end = time.monotonic() + 60
        while any(open("/proc/%d/stat" % pid).read().rpartition(")")[2].split()[0] != "Z" for pid in self.children()):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_what_a_large_profile_will_be_asked_next_is_made_ahead(self):
        large = os.path.join(self.folder, "large.gprofx")
        subprocess.run([os.path.join(BUILD, "bin", "bench_large"), large, "1500000", "150000"], check=True, stdout=subprocess.DEVNULL)
        self.addCleanup(os.unlink, large)
        self.server.call("top", profile="plain.gprofx")
        self.assertEqual(self.children(), [])
        self.server.call("top", profile=large)
        self.assertEqual(len(self.children()), 2)
        self.same_as_command(large, "findings", "analyze", "--findings")
        self.wait_for_children()
        self.server.call("timeline", profile=large)
        self.assertEqual(self.children(), [])
        self.same_as_command(large, "findings", "analyze", "--findings")
        # One of two that are asked for at once is made ahead later.
        other = os.path.join(self.folder, "other.gprofx")
        shutil.copy(large, other)
        self.addCleanup(os.unlink, other)
        third = os.path.join(self.folder, "third.gprofx")
        shutil.copy(large, third)
        self.addCleanup(os.unlink, third)
        self.server.call("top", profile=other)
        first = self.children()
        self.server.call("top", profile=third)
        self.wait_for_children()
        self.server.call("quality", profile=third)
        self.assertEqual((len(first), len(self.children())), (2, 2))
        self.wait_for_children()
        # Answers that were made stay when others are: nothing is begun anew.
        for file in (other, third, other):
            self.server.call("lines", profile=file, limit=7)
            self.assertEqual(self.children(), [])
        # Another file of that name gets its own answers, and nothing outlives the server.
        self.server.call("top", profile="plain.gprofx")
        subprocess.run([os.path.join(BUILD, "bin", "bench_large"), large, "1600000", "150000"], check=True, stdout=subprocess.DEVNULL)
        self.server.call("top", profile=large)
        self.same_as_command(large, "findings", "analyze", "--findings")
        left = self.children()
        self.assertEqual(self.server.close(), (0, b""))
        self.assertEqual([pid for pid in left if os.path.exists("/proc/%d" % pid)], [])
        self.server = Server(self.folder)

    def test_a_changed_file_is_read_again(self):
        path = os.path.join(self.folder, "changing.gprofx")
        totals = []
        for weight in (10, 20):
            write_profile(path + ".new", ["work"], weight)
            os.replace(path + ".new", path)
            totals += [self.server.call("top", profile=path)["answer"]["base"] for _ in range(2)]
        os.unlink(path)
        self.assertEqual(totals[0], totals[1])
        self.assertEqual(totals[2], 2 * totals[0])
        self.assertEqual(totals[2], totals[3])
        self.assertIn("not in the folders", self.server.error("top", profile=path))


class Places(Case):
    def test_only_what_is_named(self):
        inside = lambda name: os.path.join(self.folder, name)  # noqa: E731
        os.symlink(self.secret, inside("link.gprofx"))
        os.symlink(self.outside, inside("door"))
        os.symlink(inside("plain.gprofx"), inside("own.gprofx"))
        os.mkfifo(inside("pipe.gprofx"))
        os.symlink("/dev/zero", inside("zero.gprofx"))
        shutil.copy(inside("plain.gprofx"), inside("open.gprofx"))
        with open(inside("open.gprofx-journal"), "wb") as file:
            file.write(b"x")
        with open(inside("text.gprofx"), "w") as file:
            file.write("no profile")
        before = self.all_files()
        try:
            absent = self.server.error("top", profile="/no/such/file")
            for name in (self.secret, "link.gprofx", "door/secret.gprofx", "../out/secret.gprofx", "/etc/passwd", "/dev/zero",
                         "zero.gprofx", "plain.gprofx\x00", "baseline:x"):
                error = self.server.error("top", profile=name)
                self.assertIn("not in the folders" if "\x00" not in name else "NUL", error)
                self.assertNotIn("secret (", error)
            self.assertIn("not in the folders", absent)
            for name, words in (("pipe.gprofx", "not a regular file"), ("open.gprofx", "unfinished commit"), ("text.gprofx", "not a"),
                                (".", "is a folder")):
                self.assertIn(words, self.server.error("top", profile=name))
            self.assertFalse(self.server.result("top", profile="own.gprofx")["isError"])
            self.assertIn("not in the folders", self.server.error("diff", base=["door"], head=["plain.gprofx"]))
            self.assertTrue(self.server.error("diff", base=[self.folder], head=["plain.gprofx"]))
            listed = self.server.call("list_profiles")["answer"]
            names = {os.path.basename(one["profile"]) for one in listed["profiles"]}
            self.assertEqual(names, {"plain.gprofx", "hostile.gprofx", "open.gprofx", "text.gprofx"})
            self.assertEqual(listed["refused"], 3)
            self.assertEqual(self.all_files(), before)
        finally:
            for name in ("link.gprofx", "door", "own.gprofx", "pipe.gprofx", "zero.gprofx", "open.gprofx", "open.gprofx-journal",
                         "text.gprofx"):
                os.unlink(inside(name))

    def test_a_name_that_changes_between_its_check_and_its_opening(self):
        """Another program swaps a profile for a link to one outside: its names are in no answer."""
        path = os.path.join(self.folder, "swapped.gprofx")
        swap = "import os, sys\nplain, secret, path = sys.argv[1:]\nwhile os.getppid() == %d:\n" \
               " os.symlink(secret, path + '.a'); os.rename(path + '.a', path)\n" \
               " os.link(plain, path + '.b'); os.rename(path + '.b', path)\n" % os.getpid()
        shutil.copy(os.path.join(self.folder, "plain.gprofx"), path)
        os.link(path, path + ".kept")
        swapper = subprocess.Popen([sys.executable, "-c", swap, path + ".kept", self.secret, path])
        answered = leaked = 0
        try:
            for attempt in range(int(os.environ.get("GPROFX_LOOPS", "300"))):
                result = self.server.result("top", profile="swapped.gprofx", limit=1 + attempt)
                answered += not result["isError"]
                leaked += "secret" in result["content"][0]["text"].replace(self.secret, "")
        finally:
            swapper.kill()
            swapper.wait()
            for end in ("", ".a", ".b", ".kept"):
                if os.path.lexists(path + end):
                    os.unlink(path + end)
        self.assertGreater(answered, 0)
        if leaked and not has_landlock():
            self.skipTest("the kernel has no Landlock")
        self.assertEqual(leaked, 0)

    def all_files(self):
        return {(name, os.lstat(os.path.join(self.folder, name)).st_mtime_ns) for name in os.listdir(self.folder)}

    def test_command_line(self):
        for args in ([], ["/no/such/folder"], [self.secret], ["--port", "80"]):
            run = subprocess.run([GPROFX, "mcp", *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual((run.returncode, run.stdout, run.stderr.count(b"\n")), (2, b"", 1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
