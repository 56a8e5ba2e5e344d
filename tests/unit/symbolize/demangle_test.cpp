#include "symbolize/names/demangle.h"

#include <catch2/catch.hpp>
#include <ctime>

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

// A tuple, and as many others of which each has the one before it twice.
std::string RustBomb(int levels) {
  constexpr std::string_view kDigits =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  // A position counts from behind "_R", in base 62, and is one more than its number; 0 is no digit.
  const auto reference = [&](size_t at) {
    std::string digits;
    for (size_t n = at - 1; digits.empty() || n > 0; n /= 62)
      digits.insert(digits.begin(), kDigits[n % 62]);
    return "B" + digits + "_";
  };
  std::string name = "_RINvC1a1bTmmE";
  size_t before = name.size() - 4 - 2;
  for (int i = 0; i < levels; ++i) {
    const size_t here = name.size() - 2;
    name += "T" + reference(before) + reference(before) + "E";
    before = here;
  }
  return name + "E";
}

TEST_CASE("Rust names that would have no end stay as they are") {
  const std::clock_t start = std::clock();
  CHECK(Demangle(RustBomb(5)).size() > 1.8 * static_cast<double>(Demangle(RustBomb(4)).size()));
  CHECK(Demangle(RustBomb(60)) == RustBomb(60));
  const std::string lifetimes = "_RMIC1aFGzzzzzzzzzz_EuEu";
  CHECK(Demangle(lifetimes) == lifetimes);
  const std::string many = "_RMIC1aFGzzz_EuEu";
  CHECK(Demangle(many) == many);
  for (const char* honest :
       {"_RNvXs8_NtNtCs5YdwmV9hV3O_3std4sync5mutexINtB5_10MutexGuardmENtNtNtCs7xvPi6zGNh_"
        "4core3ops4drop4Drop4drop",
        "_RNvMs_Cs1234_7mycrateNtB4_5Graph8add_edge", "_RNvNtCs7xGPi6zaNh3_4core3fmt5write"})
    CHECK(Demangle(honest) != honest);
  CHECK(std::clock() - start < 1 * CLOCKS_PER_SEC);
}

TEST_CASE("a demangler bomb is bounded") {
  // Each pair names the one before it twice: 2^n pairs in 6n characters.
  std::string bomb = "_Z1fSt4pairIiiE";
  std::string ids = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (const char id : ids) bomb += std::string("S_IS") + id + "_S" + id + "_E";
  const std::clock_t start = std::clock();
  CHECK(Demangle(bomb).size() < (size_t{64} << 20));
  std::string deep = "_Z";
  for (int i = 0; i < 2000; i++) deep += "P";
  CHECK_FALSE(Demangle(deep).empty());
  const std::string huge = "_Z4000" + std::string(4200, 'x') + "v";
  CHECK(Demangle(huge) == huge);
  CHECK(std::clock() - start < 5 * CLOCKS_PER_SEC);
}

}  // namespace

namespace {

// A type that refers to the previous one twice, `levels` times.
std::string DReferences(int levels) {
  std::string name = "_D3foo3barF";
  size_t previous = name.size();
  name += "Hii";
  const auto refer = [&name](size_t to) {
    const size_t back = name.size() - to;
    name += 'Q';
    if (back >= 26) name += static_cast<char>('A' + back / 26);
    name += static_cast<char>('a' + back % 26);
  };
  for (int i = 0; i < levels; ++i) {
    const size_t begin = name.size();
    name += 'H';
    refer(previous);
    refer(previous);
    previous = begin;
  }
  return name + "Zv";
}

std::string DTemplates(int levels) {
  std::string name = "3foo";
  for (int i = 0; i < levels; ++i) {
    const std::string instance = "__T1aS" + std::to_string(name.size()) + name + "Z";
    name = std::to_string(instance.size()) + instance;
  }
  return "_D" + name + "i";
}

}  // namespace

TEST_CASE("a C++ name that could have no end keeps its scopes and its name") {
  std::string many;
  for (int i = 0; i < 60; ++i) many += "S1_";
  CHECK(Demangle("_ZN3c104impl7wrap_upINS0_6detailE" + many + "EE4callEv") ==
        "c10::impl::wrap_up<...>");
  CHECK(Demangle("_ZNKSt6vector4sizeE" + many) == "std::vector::size");
  CHECK(Demangle("_Z3addIi" + many + "Evv") == "add<...>");
  CHECK(Demangle("_ZN12_GLOBAL__N_13addE" + many) == "(anonymous namespace)::add");
  CHECK(Demangle("_ZN999addE" + many) == "_ZN999addE" + many);
  CHECK(Demangle("_Z" + many) == "_Z" + many);
}

TEST_CASE("D names are readable") {
  CHECK(Demangle("_Dmain") == "D main");
  CHECK(Demangle("_D3std5stdio9writeStrZ") == "_D3std5stdio9writeStrZ");
  CHECK(Demangle("_D3std8datetime4date4Date9dayOfYearMFNdiZv") ==
        "std.datetime.date.Date.dayOfYear(int)");
  CHECK(Demangle("_D4core8internal4hash__T6hashOfTaZQkFNaNbNiNexaZm") ==
        "core.internal.hash.hashOf!(char).hashOf(const(char))");
  CHECK(Demangle("_Draw_picture") == "_Draw_picture");
}

std::string Repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST_CASE("D names that would take long stay as they are") {
  const std::clock_t start = std::clock();
  CHECK(Demangle(DReferences(3)) != DReferences(3));
  CHECK(Demangle(DTemplates(3)) != DTemplates(3));
  const std::string functions = "_D1a" + Repeated("FC1a", 60);
  for (const std::string& bomb :
       {DReferences(60), DTemplates(40), functions, "_D1a" + Repeated("FC1aMFS1a", 30),
        "_D1aFQb" + functions,
        "_D3foo" + Repeated("__T1aS1000000", 8) + "3bar" + Repeated("Z", 8) + "i",
        "_D3foo" + std::string("3500") + std::string(3500, 'x') + Repeated("QbQc", 12) + "Zv"})
    CHECK(Demangle(bomb) == bomb);
  CHECK(std::clock() - start < 1 * CLOCKS_PER_SEC);
}

}  // namespace gprofx
