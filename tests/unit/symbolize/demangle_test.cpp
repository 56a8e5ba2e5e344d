#include "symbolize/demangle.h"

#include <catch2/catch.hpp>
#include <chrono>

namespace gprofx {
namespace {

TEST_CASE("C++ names are demangled and C names stay") {
  CHECK(Demangle("_ZN2at4_ops6matmul4callERKNS_6TensorES4_") ==
        "at::_ops::matmul::call(at::Tensor const&, at::Tensor const&)");
  CHECK(Demangle("PyEval_EvalFrameDefault") == "PyEval_EvalFrameDefault");
  CHECK(Demangle("i") == "i");  // a type code, but no mangled name
  CHECK(Demangle("_Znonsense") == "_Znonsense");
  CHECK(Demangle("").empty());
}

TEST_CASE("suffixes of the linker and the optimiser are not shown") {
  CHECK(CleanSymbol("memcpy@@GLIBC_2.14") == "memcpy");
  CHECK(CleanSymbol("memcpy@GLIBC_2.2.5") == "memcpy");
  CHECK(CleanSymbol("run.cold") == "run");
  CHECK(CleanSymbol("run.part.0.cold") == "run");
  CHECK(CleanSymbol("run.constprop.12.isra.3") == "run");
  CHECK(CleanSymbol("run.lto_priv.4") == "run");
  CHECK(CleanSymbol("run.llvm.123456789") == "run");
  CHECK(Demangle("_Z3runi.part.0") == "run(int)");
}

TEST_CASE("suffixes that mean something stay") {
  CHECK(CleanSymbol("memcpy.avx512") == "memcpy.avx512");
  CHECK(CleanSymbol("outlined.7") == "outlined.7");
  CHECK(CleanSymbol(".hidden") == ".hidden");
  CHECK(CleanSymbol("@plt") == "@plt");
  CHECK(CleanSymbol(".0") == ".0");
}

TEST_CASE("Rust names are readable") {
  CHECK(Demangle("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE") == "core::fmt::Formatter::pad");
  CHECK(Demangle(
            "_ZN50_$LT$T$u20$as$u20$core..convert..Into$LT$U$GT$$GT$4into17h0123456789abcdefE") ==
        "<T as core::convert::Into<U>>::into");
  CHECK(Demangle("_RNvCs1234_7mycrate3foo") == "mycrate::foo");
  CHECK(Demangle("_RNvMs_NtCs7xvPi6zGNh_4core6optionINtB4_6OptionmE6unwrapCs5YdwmV9hV3O_4main") ==
        "<core::option::Option<u32>>::unwrap");
  CHECK(Demangle("_RNvCs1234_7mycrate3foo.llvm.123") == "mycrate::foo");
  CHECK(Demangle("_Rnonsense") == "_Rnonsense");
}

TEST_CASE("D names are readable") {
  CHECK(Demangle("_D3std5stdio7writelnFZv") == "std.stdio.writeln()");
  CHECK(Demangle("_Dmain") == "D main");
  CHECK(Demangle("_DYNAMIC") == "_DYNAMIC");
}

TEST_CASE("a demangler bomb is bounded") {
  // Each pair names the one before it twice: 2^n pairs in 6n characters.
  std::string bomb = "_Z1fSt4pairIiiE";
  std::string ids = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (const char id : ids) bomb += std::string("S_IS") + id + "_S" + id + "_E";
  const auto start = std::chrono::steady_clock::now();
  CHECK(Demangle(bomb).size() < (size_t{64} << 20));
  std::string deep = "_Z";
  for (int i = 0; i < 2000; i++) deep += "P";
  CHECK_FALSE(Demangle(deep).empty());
  // Each tuple has the one before it twice.
  std::string rust = "_RIC1aTmmE";
  const char* digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (size_t before = 3; rust.size() < 300;) {
    const size_t here = rust.size() - 2;
    const std::string at = before < 62 ? std::string(1, digits[before]) : std::string(1, digits[before / 62]) + digits[before % 62];
    rust += "TB" + at + "_B" + at + "_E";
    before = here;
  }
  CHECK(Demangle(rust + "E").size() < (size_t{1} << 15));
  CHECK(Demangle("_D1a" + std::string(200, 'Q')).size() < (size_t{64} << 20));
  const std::string huge = "_Z4000" + std::string(4200, 'x') + "v";
  CHECK(Demangle(huge) == huge);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

}  // namespace
}  // namespace gprofx
