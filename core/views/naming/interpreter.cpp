#include "core/views/naming/interpreter.h"

#include "core/base/path.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

// "name*" matches names that begin with "name", "*name" names that end with it. The first pattern
// that matches counts.
struct NamePattern {
  std::string_view text;
  Family family;
};

constexpr NamePattern kPatterns[] = {
    // These must come before the patterns of garbage collection: they allocate and free objects for
    // it.
    {"gc_alloc", Family::kMemory},
    {"_PyObject_GC_Alloc", Family::kMemory},
    {"_PyObject_GC_Malloc", Family::kMemory},
    {"_PyObject_GC_New*", Family::kMemory},
    {"PyObject_GC_Del", Family::kMemory},

    {"gc_*", Family::kGc},
    {"_PyGC_*", Family::kGc},
    {"PyGC_*", Family::kGc},
    {"_PyObject_IS_GC", Family::kGc},
    {"_PyObject_GC_*", Family::kGc},
    {"PyObject_GC_*", Family::kGc},
    {"PyObject_IS_GC", Family::kGc},
    {"*traverse", Family::kGc},
    {"visit_*", Family::kGc},
    {"subtract_refs", Family::kGc},
    {"update_refs", Family::kGc},
    {"move_unreachable", Family::kGc},
    {"move_legacy_*", Family::kGc},
    {"deduce_unreachable", Family::kGc},
    {"untrack_*", Family::kGc},
    {"collect", Family::kGc},
    {"collect_*", Family::kGc},
    {"delete_garbage", Family::kGc},
    {"finalize_garbage", Family::kGc},
    {"handle_weakrefs", Family::kGc},
    {"handle_legacy_finalizers", Family::kGc},
    {"invoke_gc_callback", Family::kGc},
    {"clear_unreachable_mask", Family::kGc},
    {"*_tp_clear", Family::kGc},
    {"type_clear", Family::kGc},
    {"subtype_clear", Family::kGc},

    {"*dealloc", Family::kMemory},
    {"_Py_Dealloc*", Family::kMemory},
    {"_PyTrash_*", Family::kMemory},
    {"PyMem_*", Family::kMemory},
    {"_PyMem_*", Family::kMemory},
    {"PyObject_Malloc", Family::kMemory},
    {"PyObject_Calloc", Family::kMemory},
    {"PyObject_Realloc", Family::kMemory},
    {"PyObject_Free", Family::kMemory},
    {"_PyObject_Malloc*", Family::kMemory},
    {"_PyObject_Calloc*", Family::kMemory},
    {"_PyObject_Realloc*", Family::kMemory},
    {"_PyObject_Free*", Family::kMemory},
    {"_PyObject_New*", Family::kMemory},
    {"pymalloc_*", Family::kMemory},
    {"new_arena", Family::kMemory},
    {"arena_map_*", Family::kMemory},
    {"insert_to_*pool", Family::kMemory},
    {"allocate_from_new_pool", Family::kMemory},
    {"PyType_GenericAlloc", Family::kMemory},
    {"_PyType_AllocNoTrack", Family::kMemory},
    {"object_new", Family::kMemory},
    {"mi_*", Family::kMemory},
    {"_mi_*", Family::kMemory},
    {"Py_IncRef", Family::kMemory},
    {"Py_DecRef", Family::kMemory},
    {"_Py_IncRef", Family::kMemory},
    {"_Py_DecRef*", Family::kMemory},
    {"PyObject_ClearWeakRefs", Family::kMemory},
    {"PyObject_CallFinalizer*", Family::kMemory},

    {"PyObject_GetAttr*", Family::kAttributes},
    {"PyObject_SetAttr*", Family::kAttributes},
    {"PyObject_HasAttr*", Family::kAttributes},
    {"PyObject_Generic*", Family::kAttributes},
    {"PyObject_GetOptionalAttr*", Family::kAttributes},
    {"_PyObject_Generic*", Family::kAttributes},
    {"_PyObject_LookupAttr*", Family::kAttributes},
    {"_PyObject_LookupSpecial*", Family::kAttributes},
    {"_PyObject_GetMethod*", Family::kAttributes},
    {"_PyObject_GetAttr*", Family::kAttributes},
    {"_PyObject_SetAttr*", Family::kAttributes},
    {"_PyObject_GetDictPtr", Family::kAttributes},
    {"_PyObject_GetInstanceAttribute", Family::kAttributes},
    {"_PyObject_StoreInstanceAttribute", Family::kAttributes},
    {"_PyObject_TryGetInstanceAttribute", Family::kAttributes},
    {"_PyObjectDict_*", Family::kAttributes},
    {"_PyType_Lookup*", Family::kAttributes},
    {"PyType_Lookup*", Family::kAttributes},
    {"find_name_in_mro", Family::kAttributes},
    {"*getattro", Family::kAttributes},
    {"*setattro", Family::kAttributes},
    {"_Py_type_getattro*", Family::kAttributes},
    {"_Py_module_getattro*", Family::kAttributes},
    {"do_super_lookup", Family::kAttributes},
    {"_PySuper_Lookup*", Family::kAttributes},
    {"PyMember_*", Family::kAttributes},
    {"*descr_get", Family::kAttributes},
    {"*descr_set", Family::kAttributes},
    {"getset_get", Family::kAttributes},
    {"getset_set", Family::kAttributes},
    {"member_get", Family::kAttributes},
    {"member_set", Family::kAttributes},
    {"method_get", Family::kAttributes},
    {"classmethod_get", Family::kAttributes},
    {"wrapperdescr_get", Family::kAttributes},

    {"unicodekeys_*", Family::kDictionaries},
    {"dictkeys_*", Family::kDictionaries},
    {"lookdict*", Family::kDictionaries},
    {"do_lookup", Family::kDictionaries},
    {"compare_unicode_*", Family::kDictionaries},
    {"compare_generic", Family::kDictionaries},
    {"_Py_dict_lookup*", Family::kDictionaries},
    {"insertdict", Family::kDictionaries},
    {"insert_into_dictkeys", Family::kDictionaries},
    {"insert_combined_dict", Family::kDictionaries},
    {"insert_split_*", Family::kDictionaries},
    {"insert_to_emptydict", Family::kDictionaries},
    {"insertion_resize", Family::kDictionaries},
    {"find_empty_slot", Family::kDictionaries},
    {"build_indices*", Family::kDictionaries},
    {"new_keys_object*", Family::kDictionaries},
    {"free_keys_object*", Family::kDictionaries},
    {"clone_combined_dict*", Family::kDictionaries},
    {"dictresize", Family::kDictionaries},
    {"dict_subscript", Family::kDictionaries},
    {"dict_ass_sub", Family::kDictionaries},
    {"setitem_take2_lock_held", Family::kDictionaries},
    {"new_dict*", Family::kDictionaries},
    {"_PyDict_*", Family::kDictionaries},
    {"PyDict_*", Family::kDictionaries},

    {"PyArg_*", Family::kCalls},
    {"_PyArg_*", Family::kCalls},
    {"vgetargs*", Family::kCalls},
    {"convertitem", Family::kCalls},
    {"_PyStack_*", Family::kCalls},
    {"_Py_CheckFunctionResult*", Family::kCalls},
    {"_Py_CheckSlotResult*", Family::kCalls},
    {"initialize_locals", Family::kCalls},
    {"positional_only_passed_as_keyword", Family::kCalls},
    {"wrap_*", Family::kCalls},
    {"_PyTuple_FromArray*", Family::kCalls},
    {"_PyTuple_FromStackRef*", Family::kCalls},
    {"_PyFrame_*", Family::kCalls},
    {"PyFrame_*", Family::kCalls},
    {"take_ownership", Family::kCalls},
    {"clear_thread_frame", Family::kCalls},
    {"clear_gen_frame", Family::kCalls},
    {"_PyThreadState_PushFrame", Family::kCalls},
    {"_PyThreadState_PopFrame", Family::kCalls},
    {"_PyThreadState_BumpFramePointer*", Family::kCalls},
    {"push_chunk", Family::kCalls},
    {"PyMethod_*", Family::kCalls},
    {"PyCFunction_*", Family::kCalls},
    {"PyCMethod_*", Family::kCalls},
    {"PyCell_*", Family::kCalls},
    {"_Py_EnterRecursive*", Family::kCalls},
    {"Py_EnterRecursiveCall", Family::kCalls},
    {"_Py_MakeCoro", Family::kCalls},
    {"make_gen*", Family::kCalls},
    {"gen_new_with_qualname", Family::kCalls},

    {"PyObject_RichCompare*", Family::kOperators},
    {"do_richcompare", Family::kOperators},
    {"PyObject_IsTrue", Family::kOperators},
    {"PyObject_Not", Family::kOperators},
    {"PyObject_GetIter", Family::kOperators},
    {"PyObject_SelfIter", Family::kOperators},
    {"PyIter_*", Family::kOperators},
    {"PyNumber_*", Family::kOperators},
    {"_PyNumber_*", Family::kOperators},
    {"PySequence_*", Family::kOperators},
    {"_PySequence_*", Family::kOperators},
    {"PyMapping_*", Family::kOperators},
    {"PyObject_Size", Family::kOperators},
    {"PyObject_Length*", Family::kOperators},
    {"PyObject_Hash*", Family::kOperators},
    {"PyObject_GetItem", Family::kOperators},
    {"PyObject_SetItem", Family::kOperators},
    {"PyObject_DelItem*", Family::kOperators},
    {"PyObject_Is*", Family::kOperators},
    {"PyObject_Format", Family::kOperators},
    {"PyObject_Str", Family::kOperators},
    {"PyObject_Repr", Family::kOperators},
    {"_PyObject_RealIs*", Family::kOperators},
    {"object_recursive_isinstance", Family::kOperators},
    {"object_is*", Family::kOperators},
    {"recursive_issubclass", Family::kOperators},
    {"abstract_*", Family::kOperators},
    {"binary_op*", Family::kOperators},
    {"binary_iop*", Family::kOperators},
    {"ternary_op", Family::kOperators},
    {"unpack_iterable", Family::kOperators},
    {"*iter_next", Family::kOperators},
    {"*iter_iternext*", Family::kOperators},

    {"PyUnicode_*", Family::kStrings},
    {"_PyUnicode*", Family::kStrings},
    {"unicode_eq", Family::kStrings},
    {"unicode_hash", Family::kStrings},
    {"unicode_compare*", Family::kStrings},
    {"unicode_resize*", Family::kStrings},
    {"unicode_result*", Family::kStrings},
    {"unicode_dict_*", Family::kStrings},
    {"unicode_decode_utf8*", Family::kStrings},
    {"resize_compact", Family::kStrings},
    {"intern_common", Family::kStrings},
    {"intern_static", Family::kStrings},
    {"ascii_decode", Family::kStrings},
    {"find_maxchar_*", Family::kStrings},
    {"ucs1lib_find_max_char", Family::kStrings},
    {"_Py_Hash*", Family::kStrings},
    {"Py_HashBuffer", Family::kStrings},
    {"siphash*", Family::kStrings},
    {"pysiphash", Family::kStrings},

    {"PyErr_*", Family::kExceptions},
    {"_PyErr_*", Family::kExceptions},
    {"PyException_*", Family::kExceptions},
    {"_PyException_*", Family::kExceptions},
    {"BaseException_*", Family::kExceptions},
    {"StopIteration_*", Family::kExceptions},
    {"AttributeError_*", Family::kExceptions},
    {"ImportError_*", Family::kExceptions},
    {"OSError_*", Family::kExceptions},
    {"PyTraceBack_*", Family::kExceptions},
    {"_PyTraceback_*", Family::kExceptions},
    {"tb_create_raw", Family::kExceptions},
    {"get_exception_handler", Family::kExceptions},
    {"exception_unwind", Family::kExceptions},

    {"type_new*", Family::kClasses},
    {"type_ready*", Family::kClasses},
    {"type_set_names", Family::kClasses},
    {"type_mro_modified", Family::kClasses},
    {"type_modified_unlocked", Family::kClasses},
    {"type_add_*", Family::kClasses},
    {"PyType_*", Family::kClasses},
    {"_PyType_*", Family::kClasses},
    {"inherit_slots", Family::kClasses},
    {"inherit_special", Family::kClasses},
    {"inherit_patma_flags", Family::kClasses},
    {"add_operators", Family::kClasses},
    {"add_subclass", Family::kClasses},
    {"assign_version_tag", Family::kClasses},
    {"best_base", Family::kClasses},
    {"solid_base", Family::kClasses},
    {"extra_ivars", Family::kClasses},
    {"tp_new_wrapper", Family::kClasses},
    {"remove_subclass*", Family::kClasses},
    {"remove_all_subclasses", Family::kClasses},
    {"mro_*", Family::kClasses},
    {"pmerge", Family::kClasses},
    {"fixup_slot_dispatchers", Family::kClasses},
    {"update_slot*", Family::kClasses},
    {"update_one_slot", Family::kClasses},
    {"resolve_slotdups", Family::kClasses},
    {"recurse_down_subclasses", Family::kClasses},

    {"PyMarshal_*", Family::kImport},
    {"r_object", Family::kImport},
    {"r_string", Family::kImport},
    {"r_long", Family::kImport},
    {"r_short", Family::kImport},
    {"r_byte", Family::kImport},
    {"r_ref*", Family::kImport},
    {"read_object", Family::kImport},
    {"marshal_load*", Family::kImport},
    {"import_*", Family::kImport},
    {"_PyCode_*", Family::kImport},
    {"PyCode_*", Family::kImport},
    {"init_code", Family::kImport},
    {"intern_strings", Family::kImport},
    {"intern_constants", Family::kImport},
    {"intern_string_constants", Family::kImport},
    {"all_name_chars", Family::kImport},
    {"get_localsplus_counts", Family::kImport},
    {"find_frozen", Family::kImport},
    {"PyModule_*", Family::kImport},
    {"_PyModule_*", Family::kImport},

    {"*_rule", Family::kCompiler},
    {"_tmp_*", Family::kCompiler},
    {"_loop0_*", Family::kCompiler},
    {"_loop1_*", Family::kCompiler},
    {"_gather_*", Family::kCompiler},
    {"_PyPegen_*", Family::kCompiler},
    {"PyPegen_*", Family::kCompiler},
    {"_PyAST_*", Family::kCompiler},
    {"PyAST_*", Family::kCompiler},
    {"compiler_*", Family::kCompiler},
    {"codegen_*", Family::kCompiler},
    {"symtable_*", Family::kCompiler},
    {"_PySymtable_*", Family::kCompiler},
    {"analyze_block", Family::kCompiler},
    {"assemble*", Family::kCompiler},
    {"basicblock_*", Family::kCompiler},
    {"astfold_*", Family::kCompiler},
    {"optimize_*", Family::kCompiler},
    {"insert_superinstructions", Family::kCompiler},
    {"label_exception_targets", Family::kCompiler},
    {"tok_*", Family::kCompiler},
    {"_PyTok*", Family::kCompiler},
    {"initialize_token", Family::kCompiler},
    {"_PyCompile_*", Family::kCompiler},
    {"_PyCfg_*", Family::kCompiler},
    {"_PyAssemble_*", Family::kCompiler},
    {"_PyInstructionSequence_*", Family::kCompiler},
    {"_PyArena_*", Family::kCompiler},
    {"Py_CompileString*", Family::kCompiler},
    {"_Py_Specialize*", Family::kCompiler},
    {"specialize_*", Family::kCompiler},
    {"analyze_descriptor*", Family::kCompiler},
    {"_PyOptimizer_*", Family::kCompiler},

    {"take_gil", Family::kThreads},
    {"drop_gil*", Family::kThreads},
    {"_PyThreadState_*", Family::kThreads},
    {"PyThreadState_*", Family::kThreads},
    {"PyGILState_*", Family::kThreads},
    {"PyThread_*", Family::kThreads},
    {"_PyThread_*", Family::kThreads},
    {"tstate_*", Family::kThreads},
    {"_Py_HandlePending", Family::kThreads},
    {"make_pending_calls", Family::kThreads},
    {"_PyParkingLot_*", Family::kThreads},
    {"_PySemaphore_*", Family::kThreads},
    {"_PyMutex_*", Family::kThreads},
    {"PyMutex_*", Family::kThreads},
    {"_PyEvent_*", Family::kThreads},

    {"Py_Initialize*", Family::kStart},
    {"Py_Finalize*", Family::kStart},
    {"_Py_Finalize*", Family::kStart},
    {"Py_NewInterpreter*", Family::kStart},
    {"Py_EndInterpreter*", Family::kStart},
    {"PyConfig_*", Family::kStart},
    {"_PyConfig_*", Family::kStart},
    {"_PyPathConfig_*", Family::kStart},
    {"_PyRuntime*", Family::kStart},
    {"_PyInterpreterState_*", Family::kStart},
    {"PyInterpreterState_*", Family::kStart},
    {"_PyTypes_*", Family::kStart},
    {"finalize_*", Family::kStart},
    {"init_types", Family::kStart},
    {"init_interp*", Family::kStart},
    {"pycore_*", Family::kStart},
    {"init_import_site", Family::kStart},
    {"interpreter_clear", Family::kStart},
};

bool Matches(std::string_view name, std::string_view pattern) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  const std::string_view start = pattern.substr(0, star), end = pattern.substr(star + 1);
  return name.size() >= start.size() + end.size() && name.starts_with(start) && name.ends_with(end);
}

// True for names of the interpreter's C API: PyList_Append, _PyLong_Add. Functions that implement
// builtins have other names.
bool IsOwnInterface(std::string_view name) {
  if (name.starts_with("_")) name.remove_prefix(1);
  if (name.starts_with("Py_")) return true;
  return name.size() > 2 && name.starts_with("Py") && name[2] >= 'A' && name[2] <= 'Z';
}

}  // namespace

Family InterpreterFamily(std::string_view function) {
  // Remove the suffixes of clones: deduce_unreachable.constprop.0, dict_dealloc.lto_priv.0.
  const std::string_view name = function.substr(0, function.find('.'));
  if (name.empty() || name.find_first_of(":(<[") != std::string_view::npos) return Family::kNone;
  for (const NamePattern& pattern : kPatterns) {
    if (Matches(name, pattern.text)) return pattern.family;
  }
  return IsOwnInterface(name) ? Family::kOther : Family::kNone;
}

std::string_view FamilyName(Family family) {
  switch (family) {
    case Family::kNone:
      return "";
    case Family::kGc:
      return "gc";
    case Family::kAttributes:
      return "attribute lookup";
    case Family::kDictionaries:
      return "dictionaries";
    case Family::kMemory:
      return "memory";
    case Family::kCalls:
      return "calls";
    case Family::kOperators:
      return "operators";
    case Family::kStrings:
      return "strings";
    case Family::kExceptions:
      return "exceptions";
    case Family::kClasses:
      return "classes";
    case Family::kImport:
      return "import";
    case Family::kCompiler:
      return "compiler";
    case Family::kThreads:
      return "threads and GIL";
    case Family::kStart:
      return "start and end";
    case Family::kOther:
      return "other";
  }
  return "";
}

std::string FamilyTitle(Family family) {
  return "Python interpreter: " + std::string(FamilyName(family));
}

}  // namespace gprofx
