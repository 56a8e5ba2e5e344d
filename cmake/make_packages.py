"""make_packages.py SOURCE BUILD VERSION: the files of a release, in BUILD/packages.

Takes the tarball and the wheel that BUILD has, makes a .deb and (with rpmbuild) an .rpm by CPack, and writes
gprof-x-VERSION.spdx.json, which names what is linked into the programs and under which licence, and SHA256SUMS. All times are
SOURCE_DATE_EPOCH's, else the commit's, so two builds of one commit are equal to the byte.
"""

import datetime
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

from make_wheel import build_time

# What Dependencies.cmake links in: package of Debian whose version it is, name, licence (SPDX), home, and where it goes.
EVERYWHERE, PROGRAM = "all programs and libraries", "bin/gprof-x"
LINKED = (
    ("libdw-dev", "elfutils (libdw, libelf)", "LGPL-3.0-or-later OR GPL-2.0-or-later", "https://sourceware.org/elfutils/", PROGRAM),
    ("zlib1g-dev", "zlib", "Zlib", "https://zlib.net/", PROGRAM),
    ("liblzma-dev", "liblzma", "LicenseRef-public-domain", "https://tukaani.org/xz/", PROGRAM),
    ("libbz2-dev", "bzip2", "bzip2-1.0.6", "https://sourceware.org/bzip2/", PROGRAM),
    ("libzstd-dev", "zstd", "BSD-3-Clause OR GPL-2.0-only", "https://facebook.github.io/zstd/", PROGRAM),
    ("libiberty-dev", "libiberty", "LGPL-2.1-or-later", "https://gcc.gnu.org/", PROGRAM),
    ("libsqlite3-dev", "SQLite", "blessing", "https://sqlite.org/", PROGRAM),
    ("libncurses-dev", "ncurses", "X11-distribute-modifications-variant", "https://invisible-island.net/ncurses/", PROGRAM),
    ("libboost-program-options-dev", "Boost.ProgramOptions", "BSL-1.0", "https://www.boost.org/", PROGRAM),
    ("nlohmann-json3-dev", "JSON for Modern C++", "MIT", "https://json.nlohmann.me/", PROGRAM),
    ("libc6-dev", "GNU C library", "LGPL-2.1-or-later", "https://www.gnu.org/software/libc/", PROGRAM),
    ("libstdc++-12-dev", "libstdc++ and libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org/", EVERYWHERE),
)
PUBLIC_DOMAIN = {
    "licenseId": "LicenseRef-public-domain",
    "extractedText": "liblzma is in the public domain; see the file COPYING of XZ Utils before 5.6.",
    "name": "public domain",
}


def run(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True, **more).stdout


def version_of(package):
    """As Debian counts; NOASSERTION where another system built it."""
    try:
        found = run("dpkg-query", "-W", "-f", "${Version}", package, stderr=subprocess.DEVNULL).strip()
    except (OSError, subprocess.CalledProcessError):
        found = ""
    # Epoch and revision are the distribution's.
    return re.sub(r"^\d+:|[-+](dfsg|deb|\d).*$", "", found) or "NOASSERTION"


def package_json(identifier, name, version, licence, home, comment=None):
    return {
        "SPDXID": "SPDXRef-" + identifier,
        "name": name,
        "versionInfo": version,
        "downloadLocation": home,
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        **({"comment": comment} if comment else {}),
    }


def sbom(version, seconds):
    """SPDX 2.3 as JSON."""
    parts = [
        package_json(re.sub(r"[^A-Za-z0-9.-]", "-", package), name, version_of(package), licence, home,
                     "linked statically into " + where)
        for package, name, licence, home, where in LINKED
    ]
    whole = package_json("gprof-x", "gprof-x", version, "Apache-2.0", "https://github.com/gprof-x/gprof-x")
    names = "%s-%d" % (version, seconds)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": "gprof-x-" + version,
        "documentNamespace": "https://github.com/gprof-x/gprof-x/spdx/" + names,
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: make_packages.py"],
        },
        "hasExtractedLicensingInfos": [PUBLIC_DOMAIN],
        "packages": [whole] + parts,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-gprof-x"}]
        + [{"spdxElementId": "SPDXRef-gprof-x", "relationshipType": "STATIC_LINK", "relatedSpdxElement": part["SPDXID"]} for part in parts],
    }


def pack(build, output, seconds):
    """What CPack makes; its own folder is not kept."""
    environment = dict(os.environ, SOURCE_DATE_EPOCH=str(seconds))
    for generator, needs in (("DEB", None), ("RPM", "rpmbuild")):
        if needs and not shutil.which(needs):
            print("packages: no .rpm, there is no %s" % needs)
            continue
        run("cpack", "-G", generator, "--config", os.path.join(build, "CPackConfig.cmake"), "-B", output, env=environment)
    shutil.rmtree(os.path.join(output, "_CPack_Packages"), ignore_errors=True)


def sums(folder):
    lines = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            lines.append("%s  %s\n" % (hashlib.sha256(file.read()).hexdigest(), name))
    return "".join(lines)


def main(source, build, version):
    os.umask(0o022)
    output = os.path.join(build, "packages")
    shutil.rmtree(output, ignore_errors=True)
    os.makedirs(output)
    seconds = build_time(source)
    pack(build, output, seconds)
    for pattern in ("gprof-x-%s-*.tar.gz" % version, "gprof_x-%s-*.whl" % version):
        (made,) = glob.glob(os.path.join(build, pattern))
        shutil.copy(made, output)
    with open(os.path.join(output, "gprof-x-%s.spdx.json" % version), "w") as file:
        json.dump(sbom(version, seconds), file, indent=1)
        file.write("\n")
    text = sums(output)
    with open(os.path.join(output, "SHA256SUMS"), "w") as file:
        file.write(text)
    for name in sorted(os.listdir(output)):
        print("packages: %s, %.2f MB" % (name, os.path.getsize(os.path.join(output, name)) / 1e6))


if __name__ == "__main__":
    main(*sys.argv[1:4])
