"""make_wheel.py BUNDLE PACKAGE VERSION MACHINE OUTPUT: gprof-x as a wheel for any Python 3 on any
Linux with glibc 2.28 or newer on MACHINE, x86_64 or aarch64.

BUNDLE is the folder that the target `bundle` makes, PACKAGE the Python sources, OUTPUT the folder
that the wheel goes to. Two builds of one commit are equal to the byte: all files have one time
(SOURCE_DATE_EPOCH, else that of the commit), names are in order, and both have the same
zopfli, which packs 3 % better where it is installed, or none. The binaries lie in the package,
bin/ beside lib/ as they look for each other; manual pages and completions go to share/ of the
environment. What the tag promises about glibc is checked where the bundle is made
(CheckBundle.cmake).
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib

TAG = "py3-none-manylinux_2_28_%s"
BINARIES = "gprof_x/_bundle/"
LARGE = 100_000  # bytes from which on the time of zopfli is worth it

METADATA = """Metadata-Version: 2.1
Name: gprof-x
Version: %s
Summary: Sampling profiler for GPU-accelerated Python
License: Apache-2.0
Keywords: profiler,gpu,cuda,python,pytorch
Classifier: Development Status :: 4 - Beta
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Software Development :: Debuggers
Classifier: Typing :: Typed
Requires-Python: >=3.8
Description-Content-Type: text/markdown
License-File: LICENSE

%s"""

WHEEL = """Wheel-Version: 1.0
Generator: gprof-x make_wheel
Root-Is-Purelib: false
Tag: %s
"""

ENTRY_POINTS = """[console_scripts]
gprof-x = gprof_x.__main__:main
"""


def build_time(source):
    """Seconds since 1970; 1980 where nobody knows, the first year that a zip file can tell."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        git = subprocess.run(
            ["git", "-C", source, "log", "-1", "--format=%ct"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
        )
        epoch = git.stdout.strip()
    return max(int(epoch or 0), 315532800)


def files_of(root):
    """Paths of all files below, relative, in order."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f != "__pycache__"]
        found += [
            os.path.relpath(os.path.join(folder, name), root)
            for name in names
            if not name.endswith(".pyc")
        ]
    return sorted(found)


def read(*parts):
    with open(os.path.join(*parts), "rb") as file:
        return file.read()


def place_of(path, name_version):
    """Where a file of the bundle goes in the wheel; None: it is a part of the metadata."""
    if path.startswith("share/doc/"):
        return None
    if path.startswith("share/"):
        return "%s.data/data/%s" % (name_version, path)
    return BINARIES + path


def contents(bundle, package, version, tag):
    """{place in the wheel: (bytes, is it a program)}, without the list of them."""
    name_version = "gprof_x-" + version
    info = name_version + ".dist-info/"
    documents = os.path.join(bundle, "share", "doc", "gprof-x")
    found = {"gprof_x/" + path: (read(package, path), False) for path in files_of(package)}
    for path in files_of(bundle):
        place = place_of(path, name_version)
        if place is not None:
            found[place] = (
                read(bundle, path),
                path.startswith("bin/") or path.endswith("/gprofx-foreign"),
            )
    for path in files_of(documents):
        if path != "README.md":
            found[info + "licenses/" + path] = (read(documents, path), False)
    # A page of a package index has no pictures of the repository.
    readme = re.sub(r"(?m)^!\[.*\n", "", read(documents, "README.md").decode())
    found[info + "METADATA"] = ((METADATA % (version, readme)).encode(), False)
    found[info + "WHEEL"] = ((WHEEL % tag).encode(), False)
    found[info + "entry_points.txt"] = (ENTRY_POINTS.encode(), False)
    return found


def record(found, place):
    """The list of files, with the hash and the size of each."""
    lines = [
        "%s,sha256=%s,%d"
        % (
            name,
            base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(),
            len(data),
        )
        for name, (data, _) in sorted(found.items())
    ]
    return "\n".join(lines + [place + ",,"]).encode() + b"\n"


def deflate(data):
    """The stream as a zip file has it, by zopfli; None where that is not worth it or not there."""
    if len(data) < LARGE or shutil.which("zopfli") is None:
        return None
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        return subprocess.check_output(["zopfli", "--deflate", "--i3", "-c", file.name])


def write_deflated(wheel, entry, data, packed):
    """As wheel.writestr, which makes streams itself only."""
    entry.CRC, entry.file_size, entry.compress_size = zlib.crc32(data), len(data), len(packed)
    entry.header_offset = wheel.fp.tell()
    wheel.fp.write(entry.FileHeader(False) + packed)
    wheel.start_dir = wheel.fp.tell()
    wheel.filelist.append(entry)
    wheel.NameToInfo[entry.filename] = entry


def write(path, found, seconds):
    """The zip file; the metadata come last, as the format recommends."""
    moment = time.gmtime(seconds)[:6]
    order = sorted(found, key=lambda name: (".dist-info/" in name, name.endswith("/RECORD"), name))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name in order:
            data, is_program = found[name]
            entry = zipfile.ZipInfo(name, moment)
            entry.create_system = 3  # Unix: pip takes the permissions from the entry
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            packed = deflate(data)
            if packed is None:
                wheel.writestr(entry, data, compresslevel=9)
            else:
                write_deflated(wheel, entry, data, packed)


def main(bundle, package, version, machine, output):
    tag = TAG % machine
    found = contents(bundle, package, version, tag)
    place = "gprof_x-%s.dist-info/RECORD" % version
    found[place] = (record(found, place), False)
    path = os.path.join(output, "gprof_x-%s-%s.whl" % (version, tag))
    write(path, found, build_time(package))
    print("wheel: %s, %.1f MB" % (path, os.path.getsize(path) / 1e6))


if __name__ == "__main__":
    main(*sys.argv[1:6])
