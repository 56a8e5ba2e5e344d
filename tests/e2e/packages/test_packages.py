#!/usr/bin/env python3
"""The files of a release: sums that hold, packages that install and record, the licences of what is linked in, the same bytes again."""
import glob
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

BUILD = os.environ["GPROFX_BUILD"]
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.first = cls.make()
        cls.folder = os.path.join(BUILD, "packages")

    @staticmethod
    def make():
        """Name and sum of each file that the target makes."""
        run = subprocess.run(["cmake", "--build", BUILD, "--target", "packages"], capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr
        with open(os.path.join(BUILD, "packages", "SHA256SUMS")) as file:
            return dict(reversed(line.split()) for line in file)

    def one(self, pattern):
        found = glob.glob(os.path.join(self.folder, pattern))
        self.assertEqual(len(found), 1, (pattern, found))
        return found[0]

    def extract(self, *command):
        """A folder with what the command unpacks into it."""
        folder = tempfile.mkdtemp(prefix="gprof-x-packages-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        subprocess.run([word.replace("FOLDER", folder) for word in command], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        return folder

    def check_program(self, root):
        gprofx = os.path.join(root, "usr", "bin", "gprof-x")
        profile = os.path.join(root, "p.gprofx")
        run = subprocess.run([gprofx, "record", "-q", "-o", profile, "--", sys.executable, "-c", "sum(i * i for i in range(3000000))"],
                             env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        report = subprocess.run([gprofx, "report", "--top", profile], capture_output=True, text=True)
        self.assertIn("<genexpr>", report.stdout)
        for name in ("man/man1/gprof-x.1", "man/man5/gprof-x-format.5", "bash-completion/completions/gprof-x", "doc/gprof-x/LICENSE"):
            self.assertTrue(os.path.exists(os.path.join(root, "usr", "share", name)), name)

    def test_sums_are_those_of_all_files(self):
        names = set(os.listdir(self.folder)) - {"SHA256SUMS"}
        self.assertEqual(set(self.first), names)
        for name, expected in self.first.items():
            with open(os.path.join(self.folder, name), "rb") as file:
                self.assertEqual(hashlib.sha256(file.read()).hexdigest(), expected, name)
        for end in (".tar.gz", ".whl", ".deb", ".spdx.json"):
            self.assertEqual(sum(name.endswith(end) for name in names), 1, end)

    def test_the_lines_of_the_readme_install_what_is_there(self):
        with open(os.path.join(SOURCE, "README.md")) as file:
            block = re.search(r"<!-- install -->\n```sh\n(.*?)```", file.read(), re.S).group(1)
        lines = {line.split()[0]: line.split(" #")[0].rstrip() for line in block.splitlines()}
        self.assertEqual(set(lines), {"python3", "apt-get", "rpm", "tar"})
        for line in lines.values():
            found = glob.glob(os.path.join(self.folder, line.split()[-1]))
            self.assertEqual(len(found), 0 if line.endswith(".rpm") and shutil.which("rpmbuild") is None else 1, line)
        unpacked = self.extract("sh", "-c", lines["tar"].replace("gprof-x-", self.folder + "/gprof-x-"))
        venv = tempfile.mkdtemp(prefix="gprof-x-packages-")
        self.addCleanup(shutil.rmtree, venv, ignore_errors=True)
        programs = glob.glob(unpacked + "/gprof-x-*/bin/gprof-x")
        if subprocess.run([sys.executable, "-m", "venv", venv], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
            subprocess.run(lines["python3"] + " --no-index -q", shell=True, check=True, cwd=self.folder, env=dict(os.environ, PATH=venv + "/bin:/usr/bin:/bin"))
            programs.append(venv + "/bin/gprof-x")
        for program in programs:
            said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
            self.assertRegex(said, r"^gprof-x \d+\.\d+\.\d+\n$")

    def test_the_same_bytes_at_each_build(self):
        self.assertEqual(self.make(), self.first)

    def test_the_deb_holds_a_program_that_runs(self):
        if shutil.which("dpkg-deb") is None:
            self.skipTest("no dpkg-deb")
        deb = self.one("*.deb")
        fields = subprocess.run(["dpkg-deb", "-f", deb, "Package", "Architecture", "Depends"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(fields, "Package: gprof-x\nArchitecture: amd64\nDepends: libc6 (>= 2.17)\n")
        self.check_program(self.extract("dpkg-deb", "-x", deb, "FOLDER"))

    def test_the_rpm_holds_a_program_that_runs(self):
        if shutil.which("rpmbuild") is None or shutil.which("rpm2cpio") is None or shutil.which("cpio") is None:
            self.skipTest("no rpmbuild, rpm2cpio or cpio")
        rpm = self.one("*.rpm")
        needs = subprocess.run(["rpm", "-qp", "--requires", rpm], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual([line for line in needs if not line.startswith("rpmlib(")], ["glibc >= 2.17"])
        owned = subprocess.run(["rpm", "-qpl", rpm], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual([path for path in owned if path in ("/usr", "/usr/bin", "/usr/lib", "/usr/share/man", "/usr/share/man/man1")], [])
        self.check_program(self.extract("sh", "-c", "rpm2cpio '%s' | cpio -id --quiet" % rpm))

    def test_installing_runs_nothing_and_opens_nothing(self):
        """Members are root's; only their owner may write to them; none is set-user-id, a device or a link out; no package has a script."""
        def check(members):
            self.assertGreater(len(members), 20)
            for member in members:
                self.assertTrue(member.isreg() or member.isdir() or member.issym(), member.name)
                self.assertFalse(member.issym() and (member.linkname.startswith("/") or ".." in member.linkname.split("/")), member.name)
                self.assertTrue(member.issym() or member.mode & 0o7022 == 0, "%s %o" % (member.name, member.mode))
                self.assertEqual((member.uid, member.gid), (0, 0), member.name)
        with tarfile.open(self.one("*.tar.gz")) as tarball:
            check(tarball.getmembers())
        with zipfile.ZipFile(self.one("*.whl")) as wheel:
            for entry in wheel.infolist():
                self.assertEqual((entry.external_attr >> 16) & 0o7022, 0, entry.filename)
        if shutil.which("dpkg-deb"):
            deb = self.one("*.deb")
            with tarfile.open(fileobj=io.BytesIO(subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], capture_output=True, check=True).stdout)) as files:
                check(files.getmembers())
            self.assertEqual(set(os.listdir(self.extract("dpkg-deb", "-e", deb, "FOLDER"))) - {"control", "md5sums"}, set())
        if shutil.which("rpmbuild"):
            rpm = self.one("*.rpm")
            self.assertEqual(subprocess.run(["rpm", "-qp", "--scripts", rpm], capture_output=True, check=True).stdout, b"")

    def test_what_builds_images_is_there_and_names_the_files_of_a_release(self):
        with tarfile.open(self.one("*.tar.gz")) as tarball:
            inside = {os.path.basename(name): name for name in tarball.getnames()}
            texts = {name: tarball.extractfile(inside[name]).read().decode() for name in ("Containerfile.ci", "Containerfile.pytorch")}
        for name, text in texts.items():
            lines = text.replace("\\\n", " ").splitlines()
            copied = [line.split()[1] for line in lines if line.startswith("COPY ")]
            self.assertEqual([len(glob.glob(os.path.join(self.folder, pattern))) for pattern in copied], [1], name)
            for line in lines:
                self.assertRegex(line, "^(#.*|ARG .*|FROM .*|COPY .*|RUN .*|CMD .*|)$", name)
                if line.startswith("RUN "):
                    subprocess.run(["sh", "-n", "-c", line[4:]], check=True)

    def test_the_page_of_clusters_is_installed_and_renders(self):
        if shutil.which("dpkg-deb") is None or shutil.which("mandoc") is None:
            self.skipTest("no dpkg-deb or mandoc")
        page = os.path.join(self.extract("dpkg-deb", "-x", self.one("*.deb"), "FOLDER"), "usr/share/man/man7/gprof-x-cluster.7")
        lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
        self.assertEqual((lint.returncode, lint.stdout + lint.stderr), (0, ""))
        text = subprocess.run(["mandoc", "-T", "ascii", page], capture_output=True, text=True, check=True).stdout
        self.assertIn("srun gprof-x record -o run-%r.gprofx -- python train.py", text)

    def test_what_is_linked_in_is_named_with_its_licence(self):
        with open(self.one("*.spdx.json")) as file:
            document = json.load(file)
        self.assertEqual(document["spdxVersion"], "SPDX-2.3")
        packages = {package["name"]: package for package in document["packages"]}
        self.assertEqual(packages["gprof-x"]["licenseDeclared"], "Apache-2.0")
        for package in packages.values():
            self.assertNotEqual(package["licenseConcluded"], "NOASSERTION", package["name"])
        # All that CMake links in is there.
        with open(os.path.join(BUILD, "build.ninja")) as file:
            line = next(text for text in file if "LINK_LIBRARIES" in text and "libsqlite3" in text and "libdw" in text)
        names = " ".join(packages).lower()
        for archive in {os.path.basename(word)[3:-2] for word in line.split() if word.endswith(".a") and word.startswith("/")}:
            name = {"dw": "libdw", "elf": "libelf", "z": "zlib", "lzma": "liblzma", "bz2": "bzip2", "sqlite3": "sqlite", "ncursesw": "ncurses",
                    "tinfo": "ncurses", "boost_program_options": "boost.programoptions"}.get(archive, archive)
            self.assertIn(name, names)
        related = {one["relatedSpdxElement"] for one in document["relationships"]}
        self.assertEqual(related, {package["SPDXID"] for package in document["packages"]})


if __name__ == "__main__":
    unittest.main()
