#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "core/views/call_tree.h"
#include "core/views/fold.h"
#include "core/views/naming/names.h"
#include "sample_profile.h"

namespace gprofx::testing {
namespace {

CallTree TreeOf(const Profile& profile, bool all_frames = false) {
  return BuildCallTree(profile, profile.FindMetric("samples"), KeptStacks(profile, {}), all_frames);
}

// "a;b;c" -> self
std::map<std::string, int64_t> Paths(const Profile& profile, const CallTree& tree) {
  std::map<std::string, int64_t> paths;
  std::vector<std::string> path(tree.nodes.size());
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    if (i != 0) {
      const std::string& parent = path[tree.nodes[i].parent];
      path[i] = (parent.empty() ? "" : parent + ";") +
                FrameName(profile, profile.frame(FrameId{tree.nodes[i].key}));
    }
    if (tree.nodes[i].self != 0) paths[path[i]] += tree.nodes[i].self;
  }
  return paths;
}

struct Interpreter {
  ProfileMaker make;
  ModuleId python = make.AddModule("/usr/bin/python3.12", kModuleIsPython);
  ModuleId library = make.AddModule("/usr/lib/libx.so", 0);
  ModuleId agent = make.AddModule("/usr/lib/libgprofx-agent.so", kModuleIsProfiler);
  ThreadId thread = make.AddThread(1, 1, "p", "t");
  FrameId outer = make.Python("outer", "/a.py", 1, 1);
  FrameId inner = make.Python("inner", "/a.py", 5, 4);
  FrameId eval = make.Native("_PyEval_EvalFrameDefault", python);
};

FrameId InlinedIn(Profile& profile, const char* name, const char* file, ModuleId module) {
  Function function;
  function.name = profile.Intern(name);
  function.file = profile.Intern(file);
  function.module = module;
  Frame frame;
  frame.kind = FrameKind::kInlined;
  frame.function = profile.Intern(function);
  frame.module = module;
  return profile.Intern(frame);
}

}  // namespace

TEST_CASE("plumbing is told from work") {
  for (const char* name : {"_PyEval_EvalFrameDefault",
                           "_PyEval_EvalFrameDefault.cold",
                           "PyEval_EvalCode",
                           "_PyObject_FastCallDictTstate",
                           "PyObject_Call",
                           "_PyObject_Call_Prepend",
                           "PyObject_Vectorcall",
                           "_PyObject_MakeTpCall",
                           "PyObject_CallOneArg",
                           "_PyFunction_Vectorcall",
                           "function_code_fastcall",
                           "method_vectorcall_FASTCALL",
                           "cfunction_vectorcall_NOARGS.lto_priv.0",
                           "cfunction_call",
                           "call_function",
                           "do_call_core",
                           "slot_tp_call",
                           "slot_tp_init",
                           "type_call",
                           "vectorcall_method",
                           "object_vacall",
                           "_PyObject_CallFunctionVa",
                           "gen_send_ex2",
                           "gen_iternext",
                           "PyRun_SimpleFileObject",
                           "run_mod",
                           "run_eval_code_obj",
                           "pyrun_file",
                           "pymain_run_python.constprop.0",
                           "Py_RunMain",
                           "Py_BytesMain",
                           "_start",
                           "__libc_start_main@@GLIBC_2.34",
                           "__libc_start_call_main",
                           "main",
                           "builtin_exec",
                           "builtin_exec_impl",
                           "builtin_eval_impl",
                           "builtin___import__",
                           "builtin___import___impl",
                           "_imp_create_dynamic_impl",
                           "exec_builtin_or_dynamic",
                           "_Py_slot_tp_getattr_hook",
                           "_PyFrame_ClearExceptCode",
                           "call_unbound_noarg",
                           "PyImport_ImportModuleLevelObject",
                           "thread_run",
                           "pythread_wrapper",
                           "start_thread",
                           "partial_call",
                           "PyCFunction_Call"}) {
    INFO(name);
    CHECK(IsInterpreterPlumbing(name));
  }
  for (const char* name :
       {"list_sort_impl", "dict_lookup", "_PyDict_LoadGlobal", "long_mul", "unicode_concatenate",
        "builtin_sorted", "scan_once_unicode", "gc_collect_main", "PyObject_Malloc",
        "PyObject_GetAttr", "PyObject_IsInstance", "_PyObject_GenericGetAttrWithDict",
        "PyObject_CheckCallable", "main_loop", "sum_call", "PyLong_FromLong", "_Py_dict_lookup"}) {
    INFO(name);
    CHECK_FALSE(IsInterpreterPlumbing(name));
  }
}

TEST_CASE("the time of plumbing goes to the Python frame that called it") {
  Interpreter in;
  const FrameId call = in.make.Native("_PyObject_Vectorcall", in.python);
  const FrameId nameless = in.make.Nameless(in.python, 0x1000);
  const FrameId sort = in.make.Native("list_sort_impl", in.python);
  in.make.Add(in.thread, {in.eval, in.outer, call}, 3);
  in.make.Add(in.thread, {in.eval, in.outer, call, in.eval, in.inner, nameless}, 4);
  in.make.Add(in.thread, {in.eval, in.outer, call, in.eval, in.inner, call, sort}, 5);
  const auto paths = Paths(in.make.profile, TreeOf(in.make.profile));
  CHECK(paths == std::map<std::string, int64_t>{
                     {"outer", 3}, {"outer;inner", 4}, {"outer;inner;list_sort_impl", 5}});
}

TEST_CASE("functions of other modules that are called like plumbing stay") {
  Interpreter in;
  in.make.Add(in.thread, {in.eval, in.outer, in.make.Native("call_function", in.library)}, 3);
  in.make.Add(in.thread, {in.eval, in.outer, in.make.Nameless(in.library, 8)}, 2);
  const auto paths = Paths(in.make.profile, TreeOf(in.make.profile));
  CHECK(paths ==
        std::map<std::string, int64_t>{{"outer;call_function", 3}, {"outer;[libx.so]", 2}});
}

TEST_CASE("what is inlined in the interpreter is a part of the function that it is inlined in") {
  Interpreter in;
  const auto inlined = [&](const char* name, const char* file, ModuleId module) {
    return InlinedIn(in.make.profile, name, file, module);
  };
  const FrameId set = in.make.Native("PyDict_SetItem", in.python);
  in.make.Add(in.thread, {in.eval, in.outer, set}, 1);
  int64_t samples = 1;
  for (const char* file : {"./Include/object.h", "Objects/dictobject.c", "../Python/ceval.c",
                           "/usr/src/Python-3.12/Objects/stringlib/fastsearch.h"}) {
    in.make.Add(in.thread, {in.eval, in.outer, set, inlined("insertdict", file, in.python)}, 2);
    samples += 2;
  }
  // A program that embeds an interpreter keeps its own, and so does every library.
  in.make.Add(in.thread, {inlined("own", "/src/app/Objects.h", in.python)}, 10);
  in.make.Add(in.thread, {inlined("own", "/src/app/main.cpp", in.python)}, 20);
  in.make.Add(in.thread, {in.outer, inlined("helper", "Objects/thing.h", in.library)}, 30);
  CHECK(Paths(in.make.profile, TreeOf(in.make.profile)) ==
        std::map<std::string, int64_t>{
            {"outer;PyDict_SetItem", samples}, {"own", 30}, {"outer;helper", 30}});
  CHECK(Paths(in.make.profile, TreeOf(in.make.profile, true)).size() > 3);
  // With nobody above it, the function that it is inlined in has its name.
  Interpreter alone;
  const FrameId helper =
      InlinedIn(alone.make.profile, "Py_DECREF", "./Include/object.h", alone.python);
  const FrameId main = alone.make.Native("Py_RunMain", alone.python);
  alone.make.Add(alone.thread, {main, helper, helper}, 2);
  CHECK(Paths(alone.make.profile, TreeOf(alone.make.profile)) ==
        std::map<std::string, int64_t>{{"Py_RunMain", 2}});
}

TEST_CASE("what python -X perf puts before each function is left out where the function is shown") {
  Interpreter in;
  const ModuleId map = in.make.AddModule("/tmp/perf-12.map", 0);
  const FrameId made = in.make.Native("py::inner:/a.py", map);
  const FrameId other = in.make.Native("JS:f", map);
  in.make.Add(in.thread, {in.eval, in.outer, made, in.eval, in.inner}, 3);
  in.make.Add(in.thread, {in.eval, in.outer, other}, 2);
  CHECK(Paths(in.make.profile, TreeOf(in.make.profile)) ==
        std::map<std::string, int64_t>{{"outer;inner", 3}, {"outer;JS:f", 2}});
}

TEST_CASE("without Python frames the names of python -X perf are what there is") {
  ProfileMaker make;
  const ModuleId map = make.AddModule("/tmp/perf-12.map", 0);
  make.Add(make.AddThread(1, 1, "p", "t"), {make.Native("py::inner:/a.py", map)}, 3);
  CHECK(Paths(make.profile, TreeOf(make.profile)) ==
        std::map<std::string, int64_t>{{"py::inner:/a.py", 3}});
}

TEST_CASE("frames of the profiler are never shown") {
  Interpreter in;
  in.make.Add(in.thread, {in.eval, in.outer, in.make.Native("handler", in.agent)}, 3);
  CHECK(Paths(in.make.profile, TreeOf(in.make.profile)) ==
        std::map<std::string, int64_t>{{"outer", 3}});
}

TEST_CASE("what starts threads is folded at the root only") {
  Interpreter in;
  const FrameId clone = in.make.Native("clone3", in.library);
  const FrameId start = in.make.Native("start_thread", in.library);
  const FrameId work = in.make.Native("work", in.library);
  in.make.Add(in.thread, {clone, start, work}, 3);
  in.make.Add(in.thread, {clone, start, work, clone}, 2);
  CHECK(Paths(in.make.profile, TreeOf(in.make.profile)) ==
        std::map<std::string, int64_t>{{"work", 3}, {"work;clone3", 2}});
}

TEST_CASE("time without a frame that stays keeps its own name") {
  Interpreter in;
  in.make.Add(in.thread, {in.eval}, 3);
  CHECK(Paths(in.make.profile, TreeOf(in.make.profile)) ==
        std::map<std::string, int64_t>{{"_PyEval_EvalFrameDefault", 3}});
}

TEST_CASE("the import machinery and a stripped C library below main are left out") {
  Interpreter in;
  const FrameId import_frame =
      in.make.Python("_find_and_load", "<frozen importlib._bootstrap>", 1, 2);
  const FrameId start =
      in.make.Nameless(in.make.AddModule("/usr/lib/x86_64-linux-gnu/libc.so.6", 0), 16);
  in.make.Add(in.thread, {start, in.outer, import_frame, in.eval, in.inner}, 3);
  in.make.Add(in.thread, {start, in.outer, import_frame}, 2);
  in.make.Add(in.thread, {start, in.outer, start}, 4);
  const auto paths = Paths(in.make.profile, TreeOf(in.make.profile));
  CHECK(paths.at("outer;inner") == 3);
  CHECK(paths.at("outer") == 2);
  CHECK(paths.size() == 3);  // inside of the program a nameless frame of the C library stays
}

TEST_CASE("--all-frames folds nothing") {
  Interpreter in;
  in.make.Add(in.thread, {in.eval, in.outer, in.make.Native("handler", in.agent)}, 3);
  CHECK(Paths(in.make.profile, TreeOf(in.make.profile, true)) ==
        std::map<std::string, int64_t>{{"_PyEval_EvalFrameDefault;outer;handler", 3}});
}

}  // namespace gprofx::testing
