// Whose line a stack is seen as.
#include "core/views/naming/seen_as.h"

#include <catch2/catch.hpp>
#include <string>

#include "core/model/libraries.h"
#include "core/views/naming/names.h"
#include "sample_profile.h"

namespace gprofx::testing {
namespace {

std::string SeenAsOf(ProfileMaker& make, std::initializer_list<FrameId> stack) {
  make.Add(make.AddThread(1, 1, "p", "t"), stack, 1);
  const FrameId best = SeenAsLines(make.profile, make.profile.nodes).back().best();
  return best ? FrameName(make.profile, make.profile.frame(best)) : "";
}

constexpr char kSite[] = "/usr/lib/python3/dist-packages/";

}  // namespace

TEST_CASE("the innermost line of the user's code goes before all packages") {
  ProfileMaker make;
  const FrameId user = make.Python("train", "/home/u/train.py", 3, 1);
  const FrameId package = make.Python("call", std::string(kSite) + "torch/nn.py", 3, 1);
  const FrameId inner = make.Python("forward", "/home/u/model.py", 3, 1);
  const FrameId standard = make.Python("dumps", "/usr/lib/python3.11/json/__init__.py", 3, 1);
  CHECK(SeenAsOf(make, {user, package, inner, package, standard}) == "forward");
}

TEST_CASE("where all code is installed it is the innermost line of the main program's package") {
  ProfileMaker make;
  const FrameId script = make.Python("<module>", "/usr/bin/pip", 8, 1);
  const FrameId main_fn = make.Python("main", std::string(kSite) + "pip/main.py", 3, 1);
  const FrameId vendored = make.Python("match", std::string(kSite) + "pip/_vendor/tags.py", 3, 1);
  const FrameId other = make.Python("other", std::string(kSite) + "setuptools/a.py", 3, 1);
  const FrameId standard = make.Python("read", "/usr/lib/python3.11/zipfile.py", 3, 1);
  CHECK(SeenAsOf(make, {script, main_fn, vendored, other, standard}) == "match");
  CHECK(SeenAsOf(make, {script, standard}) == "read");
  // What it runs for somebody is that one's.
  const FrameId user = make.Python("app", "/srv/app.py", 3, 1);
  CHECK(SeenAsOf(make, {script, main_fn, user, other}) == "app");
}

TEST_CASE("without Python it is the nearest caller outside of system libraries") {
  ProfileMaker make;
  const ModuleId libc = make.AddModule("/lib/x86_64-linux-gnu/libc.so.6", 0);
  const ModuleId zlib = make.AddModule("/usr/lib/x86_64-linux-gnu/libz.so.1", 0);
  const ModuleId own = make.AddModule("/home/u/build/libparse.so", 0);
  const ModuleId app = make.AddModule("/usr/lib/git-core/git", 0);
  const FrameId copy = make.Native("memcpy", libc), inflate = make.Native("inflate", zlib);
  CHECK(SeenAsOf(make, {make.Native("run", app), inflate, copy}) == "run");
  CHECK(SeenAsOf(make, {make.Native("run", app), make.Native("parse", own), copy}) == "parse");
  CHECK(SeenAsOf(make, {inflate, copy}).empty());
}

TEST_CASE("libraries are told by their paths") {
  CHECK(IsCRuntime("/usr/lib/x86_64-linux-gnu/libc.so.6"));
  CHECK(IsCRuntime("/opt/conda/lib/libstdc++.so.6"));
  CHECK_FALSE(IsCRuntime("/opt/conda/lib/libcrypto.so.3"));
  CHECK(IsSystemLibrary("/usr/lib/x86_64-linux-gnu/libcrypto.so.3"));
  CHECK_FALSE(IsSystemLibrary("/usr/local/lib/libown.so"));
  CHECK_FALSE(IsSystemLibrary("/usr/lib/git-core/git"));
  CHECK(LibraryTitle("/a/libopenblas64_p-r0-0cf96a72.so") == "OpenBLAS");
  CHECK(LibraryTitle("/a/libown.so.2") == "libown.so.2");
  CHECK(LibraryStem("/a/libcrypto.so.3") == "crypto");
  CHECK(LibraryStem("/a/_umath.cpython-311-x86_64-linux-gnu.so") ==
        "_umath.cpython-311-x86_64-linux-gnu");
  CHECK(LibraryStem("/a/libmkl_avx512.so.2") == "MKL");
  CHECK(LibraryStem("lib.so") == "lib");
  CHECK_FALSE(IsUserPythonFile("/usr/local/bin/gunicorn"));
  CHECK(IsUserPythonFile("/home/u/bin/tool.py"));
  CHECK(PackageOf("/a/site-packages/six.py") == "/a/site-packages/six.py");
  CHECK(PackageOf("/a/lib/python3.11/json/decoder.py").empty());
}

}  // namespace gprofx::testing
