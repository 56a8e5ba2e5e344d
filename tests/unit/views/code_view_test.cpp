// Whose code a view shows: Python and native code together, one of them alone, and the
// interpreter's own work as families of its functions.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "core/views/code/code_view.h"
#include "core/views/naming/interpreter.h"
#include "core/views/view.h"
#include "sample_profile.h"

namespace gprofx::testing {
namespace {

constexpr int64_t kMs = 1'000'000;

struct Numbers {
  ProfileMaker make;
  ModuleId python = make.AddModule("/usr/bin/python3.13", kModuleIsPython);
  ModuleId libc = make.AddModule("/usr/lib/x86_64-linux-gnu/libc.so.6", 0);
  ModuleId numpy = make.AddModule("/v/lib/python3.13/site-packages/numpy/_core.so", 0);
  ModuleId blas = make.AddModule("/v/lib/python3.13/site-packages/numpy.libs/libopenblas.so", 0);
  ThreadId thread = make.AddThread(1, 1, "p", "t");
  ThreadId pool = make.AddThread(1, 2, "p", "pool");
  FrameId eval = make.Native("_PyEval_EvalFrameDefault", python);
  FrameId main_fn = make.Python("main", "/home/u/run.py", 5, 1);
  FrameId step = make.Python("step", "/home/u/run.py", 9, 8);
  FrameId dot = make.Native("array_matmul", numpy);
  FrameId gemm = make.Native("dgemm_kernel", blas);
  FrameId copy = make.Native("memcpy", libc);
  FrameId sort = make.Native("list_sort_impl", python);
  FrameId getattr = make.Native("PyObject_GetAttr", python);
  FrameId lookup = make.Native("unicodekeys_lookup_unicode", python);
  FrameId collect = make.Native("deduce_unreachable.constprop.0", python);
  FrameId is_gc = make.Native("_PyObject_IS_GC", python);
  FrameId server = make.Native("blas_thread_server", blas);

  Numbers() {
    make.Add(thread, {eval, main_fn}, 1);
    make.Add(thread, {eval, main_fn, eval, step, dot, gemm}, 20);
    make.Add(thread, {eval, main_fn, eval, step, dot, copy}, 4);
    make.Add(thread, {eval, main_fn, eval, step, copy}, 2);
    make.Add(thread, {eval, main_fn, eval, step, sort}, 7);
    make.Add(thread, {eval, main_fn, eval, step, sort, getattr}, 3);
    make.Add(thread, {eval, main_fn, getattr}, 10);
    make.Add(thread, {eval, main_fn, getattr, lookup}, 5);
    make.Add(thread, {eval, main_fn, lookup}, 6);
    make.Add(thread, {eval, main_fn, getattr, collect}, 11);
    make.Add(thread, {eval, main_fn, getattr, collect, is_gc}, 12);
    make.Add(pool, {server}, 30);
    make.Add(pool, {server, gemm}, 8);
  }
};

View Built(const Profile& profile, const Query& query) {
  Result<View> view = BuildView(profile, query);
  REQUIRE(view);
  return std::move(*view);
}

// Name -> self in ms.
std::map<std::string, int64_t> Selfs(const Profile& profile, const View& view) {
  std::map<std::string, int64_t> selfs;
  int64_t sum = 0;
  for (const Row& row : view.rows->rows) {
    sum += row.self;
    if (row.self != 0) selfs[LabelOf(profile, view.rows->groups, row.group).name] += row.self / kMs;
  }
  CHECK(sum == view.base);
  return selfs;
}

const Row& RowOf(const Profile& profile, const View& view, const std::string& name) {
  for (const Row& row : view.rows->rows) {
    if (LabelOf(profile, view.rows->groups, row.group).name == name) return row;
  }
  FAIL("no row " << name);
  return view.rows->rows[0];
}

}  // namespace

TEST_CASE("the mixed view tells families of the interpreter's functions, never their names") {
  const Numbers in;
  const View view = Built(in.make.profile, {.code = CodeView::kMixed});
  CHECK(Selfs(in.make.profile, view) ==
        std::map<std::string, int64_t>{{"main", 1},
                                       {"dgemm_kernel", 28},
                                       {"memcpy", 6},
                                       {"list_sort_impl", 10},  // with what it looks up
                                       {"Python interpreter: attribute lookup", 15},
                                       {"Python interpreter: dictionaries", 6},
                                       {"Python interpreter: gc", 23},
                                       {"blas_thread_server", 30}});
  const Row& attributes = RowOf(in.make.profile, view, "Python interpreter: attribute lookup");
  CHECK(attributes.total == 38 * kMs);  // with the collection that it started
  CHECK(attributes.family == Family::kAttributes);
  CHECK(RowOf(in.make.profile, view, "blas_thread_server").waits);
  CHECK_FALSE(RowOf(in.make.profile, view, "dgemm_kernel").waits);
}

TEST_CASE("--all-frames opens the families") {
  const Numbers in;
  const auto selfs = Selfs(in.make.profile, Built(in.make.profile, {.all_frames = true}));
  CHECK(selfs.at("_PyObject_IS_GC") == 12);
  CHECK(selfs.at("unicodekeys_lookup_unicode") == 11);
  CHECK(selfs.at("PyObject_GetAttr") == 13);
}

TEST_CASE("in the Python view native time is its line's own, with the library that spent it") {
  const Numbers in;
  const View view = Built(in.make.profile, {.code = CodeView::kPython});
  CHECK(Selfs(in.make.profile, view) ==
        std::map<std::string, int64_t>{{"main", 45}, {"step", 36}, {"[libopenblas.so]", 38}});
  const Row& step = RowOf(in.make.profile, view, "step");
  CHECK(step.native == 26 * kMs);  // sorting is the interpreter's
  CHECK(step.library == in.blas);
  CHECK(RowOf(in.make.profile, view, "main").native == 0);
  CHECK_FALSE(RowOf(in.make.profile, view, "[libopenblas.so]").seen_as);
  CHECK(RowOf(in.make.profile, view, "main").total == 81 * kMs);
  // By line it is the same time.
  const View by_line = Built(in.make.profile, {.by = RowsBy::kLine, .code = CodeView::kPython});
  const auto lines = Selfs(in.make.profile, by_line);
  CHECK(lines.at("step") == 36);
}

TEST_CASE("native code that no Python called is one row for each library") {
  ProfileMaker make;
  const ModuleId libc = make.AddModule("/lib/x86_64-linux-gnu/libc.so.6", 0);
  const ModuleId python = make.AddModule("/usr/bin/python3.11", kModuleIsPython);
  const ThreadId thread = make.AddThread(1, 1, "p", "t");
  make.Add(thread, {make.Native("__libc_start_main", libc)}, 1);
  make.Add(thread, {make.Native("memcpy", libc)}, 2);
  make.Add(thread, {make.Native("_start", python), make.Native("Py_FinalizeEx", python)}, 4);
  make.Add(thread, {make.Native("pymain_main", python)}, 8);
  make.Add(thread, {make.Special(FrameKind::kUnknown)}, 16);
  CHECK(Selfs(make.profile, Built(make.profile, {.code = CodeView::kPython})) ==
        std::map<std::string, int64_t>{
            {"[libc.so.6]", 3}, {"[python3.11]", 12}, {"[code in no file]", 16}});
}

TEST_CASE("the C library works for the library that called it") {
  Numbers in;
  in.make.Add(in.thread, {in.eval, in.main_fn, in.eval, in.step, in.dot, in.copy}, 100);
  const View view = Built(in.make.profile, {.code = CodeView::kPython});
  CHECK(RowOf(in.make.profile, view, "step").library == in.numpy);
}

TEST_CASE("the native view knows no Python frame and folds nothing of the interpreter") {
  const Numbers in;
  const View view = Built(in.make.profile, {.code = CodeView::kNative});
  const auto selfs = Selfs(in.make.profile, view);
  CHECK(selfs.at("_PyEval_EvalFrameDefault") == 1);
  CHECK(selfs.at("_PyObject_IS_GC") == 12);
  CHECK(selfs.at("memcpy") == 6);
  CHECK(selfs.count("main") == 0);
}

TEST_CASE("a name that the view folds is told from one that is not there") {
  const Numbers in;
  const auto why = [&](const std::string& name, CodeView code, bool all) {
    const Result<View> view = BuildView(
        in.make.profile,
        {.kind = ViewKind::kCallers, .callers_of = name, .all_frames = all, .code = code});
    return view ? "" : view.error().what;
  };
  CHECK(why("_PyObject_IS_GC", CodeView::kMixed, false).find("leaves out") != std::string::npos);
  CHECK(why("dgemm_kernel", CodeView::kPython, false).find("leaves out") != std::string::npos);
  CHECK(why("_PyObject_IS_GC", CodeView::kMixed, true).empty());
  CHECK(why("nobody", CodeView::kMixed, false).find("no function") != std::string::npos);
  CHECK(why("Python interpreter: gc", CodeView::kMixed, false).empty());
}

TEST_CASE("each family has functions, and work is of none") {
  const std::map<std::string, Family> families = {
      {"gc_collect_main", Family::kGc},
      {"gc_list_size", Family::kGc},
      {"_PyObject_IS_GC", Family::kGc},
      {"visit_decref", Family::kGc},
      {"dict_traverse", Family::kGc},
      {"deduce_unreachable.lto_priv.0", Family::kGc},
      {"subtype_dealloc", Family::kMemory},
      {"_PyObject_Malloc", Family::kMemory},
      {"_PyObject_GC_Alloc", Family::kMemory},
      {"_PyType_Lookup", Family::kAttributes},
      {"_PyObject_GenericGetAttrWithDict", Family::kAttributes},
      {"unicodekeys_lookup_unicode", Family::kDictionaries},
      {"_Py_dict_lookup", Family::kDictionaries},
      {"_PyArg_ParseStack", Family::kCalls},
      {"PyObject_RichCompare", Family::kOperators},
      {"PyUnicode_InternInPlace", Family::kStrings},
      {"_PyErr_SetObject", Family::kExceptions},
      {"type_new_impl", Family::kClasses},
      {"PyType_Ready", Family::kClasses},
      {"r_object", Family::kImport},
      {"expression_rule", Family::kCompiler},
      {"take_gil", Family::kThreads},
      {"Py_FinalizeEx", Family::kStart},
      {"PyLong_FromLong", Family::kOther},
      {"list_sort_impl", Family::kNone},
      {"builtin_sorted", Family::kNone},
      {"unicode_join", Family::kNone},
      {"long_mul", Family::kNone},
      {"PyTorch::gemm", Family::kNone},
      {"Pygments", Family::kNone},
      {"", Family::kNone},
  };
  for (const auto& [name, family] : families) {
    INFO(name);
    CHECK(InterpreterFamily(name) == family);
  }
  for (size_t i = 1; i < kFamilies; ++i) CHECK_FALSE(FamilyName(static_cast<Family>(i)).empty());
}

TEST_CASE("a program that embeds Python keeps its own functions") {
  ProfileMaker make;
  const ModuleId app = make.AddModule("/opt/app/bin/render", kModuleIsPython);
  make.Add(make.AddThread(1, 1, "p", "t"), {make.Native("assemble_mesh", app)}, 3);
  CHECK(Selfs(make.profile, Built(make.profile, {})).at("assemble_mesh") == 3);
}

TEST_CASE("an interpreter without names is folded where its functions have places") {
  ProfileMaker make;
  const ModuleId python = make.AddModule("/usr/bin/python3.11", kModuleIsPython);
  const FrameId place = make.Native("python3.11+0x1a20", python);
  make.Add(make.AddThread(1, 1, "p", "t"), {place, make.Python("f", "/f.py", 2, 1), place}, 3);
  CHECK(Selfs(make.profile, Built(make.profile, {})) == std::map<std::string, int64_t>{{"f", 3}});
}

TEST_CASE("where most time has Python frames a table shows Python's functions") {
  Numbers in;
  CHECK(ChooseCode(in.make.profile, {}) == CodeView::kPython);
  CHECK(ChooseCode(in.make.profile, {.kind = ViewKind::kLines}) == CodeView::kPython);
  CHECK(ChooseCode(in.make.profile, {.by = RowsBy::kModule}) == CodeView::kMixed);
  CHECK(ChooseCode(in.make.profile, {.kind = ViewKind::kTree}) == CodeView::kMixed);
  CHECK(ChooseCode(in.make.profile, {.all_frames = true}) == CodeView::kMixed);
  CHECK(ChooseCode(in.make.profile, {.code = CodeView::kNative}) == CodeView::kNative);
  // Callers of a name are looked up among all functions, those of a row in its table.
  CHECK(ChooseCode(in.make.profile, {.kind = ViewKind::kCallers, .callers_of = "dgemm_kernel"}) ==
        CodeView::kMixed);
  CHECK(ChooseCode(in.make.profile, {.kind = ViewKind::kCallers, .callers_of = "#2"}) ==
        CodeView::kPython);
  in.make.Add(in.pool, {in.server, in.gemm}, 1000);
  CHECK(ChooseCode(in.make.profile, {}) == CodeView::kMixed);
}

TEST_CASE("only the default view numbers its rows, whichever it is") {
  const Numbers in;
  CHECK(Built(in.make.profile, {}).is_numbered);
  CHECK(Built(in.make.profile, {.code = CodeView::kPython}).is_numbered);
  CHECK_FALSE(Built(in.make.profile, {.code = CodeView::kMixed}).is_numbered);
  Query callers{.kind = ViewKind::kCallers, .callers_of = "#2"};
  const View table = Built(in.make.profile, {}), tree = Built(in.make.profile, callers);
  CHECK(tree.tree->tree.nodes[0].total == table.rows->rows[1].total);
}

TEST_CASE("in the Python view a function's row has its own line, and waiting is its own") {
  Numbers in;
  const FrameId fetch = in.make.Python("fetch", "/home/u/run.py", 30, 28);
  const FrameId other = in.make.Python("fetch", "/home/u/run.py", 31, 28);
  const FrameId sleep = in.make.Native("clock_nanosleep", in.libc);
  in.make.Add(in.thread, {in.eval, fetch}, 1);
  in.make.Add(in.thread, {in.eval, other, sleep, in.make.Special(FrameKind::kIdle)}, 50);
  const View view = Built(in.make.profile, {.code = CodeView::kPython});
  const Row& row = RowOf(in.make.profile, view, "fetch");
  CHECK(row.self == 51 * kMs);
  CHECK(row.waits);
  CHECK(row.native == 0);
  REQUIRE(row.own_line);
  CHECK(in.make.profile.frame(row.own_line).line == 31);
}

TEST_CASE("in the Python view the line that imports has the time of the import machinery") {
  Numbers in;
  const FrameId find =
      in.make.Python("_find_and_load", "<frozen importlib._bootstrap>", 1176, 1170);
  const FrameId stat = in.make.Native("stat", in.libc);
  in.make.Add(in.thread, {in.eval, in.main_fn, in.eval, find, stat}, 100);
  const View view = Built(in.make.profile, {.code = CodeView::kPython});
  CHECK(RowOf(in.make.profile, view, "main").self == 145 * kMs);
}

}  // namespace gprofx::testing
