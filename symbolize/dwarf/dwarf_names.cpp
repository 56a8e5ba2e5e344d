#include "symbolize/dwarf/dwarf_names.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>

#include "symbolize/dwarf/dwarf_tree.h"
#include "symbolize/dwarf/dwarf_units.h"
#include "symbolize/names/demangle.h"

namespace gprofx {
namespace {

struct FunctionFacts {
  std::string name;
  bool is_full_name = false;  // from the linkage name; has namespaces and parameters
  std::string decl_file;
  uint32_t decl_line = 0;
};

std::string TextOf(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  const char* text = dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
  return text == nullptr ? std::string() : std::string(text);
}

uint32_t NumberOf(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &found), &value) != 0) return 0;
  return value > UINT32_MAX ? 0 : static_cast<uint32_t>(value);
}

// Returns the name of the file to which an attribute of `die` refers. The attribute is an index in
// the file table of its unit, which may be another unit than that of the DIE (link-time
// optimization, dwz). Before DWARF 5, index 0 means "no file"; since then it is a file.
std::string FileOf(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word index = 0;
  if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &found), &index) != 0) return {};
  Dwarf_Die unit;
  Dwarf_Half version = 0;
  if (dwarf_cu_die(found.cu, &unit, &version, nullptr, nullptr, nullptr, nullptr, nullptr) ==
      nullptr)
    return {};
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if ((index == 0 && version < 5) || dwarf_getsrcfiles(&unit, &files, &count) != 0 ||
      index >= count)
    return {};
  const char* name = dwarf_filesrc(files, index, nullptr, nullptr);
  return name == nullptr ? std::string() : std::string(name);
}

FunctionFacts ReadFunction(Dwarf_Die die) {
  FunctionFacts facts;
  std::string linkage = TextOf(&die, DW_AT_linkage_name);
  if (linkage.empty()) linkage = TextOf(&die, DW_AT_MIPS_linkage_name);
  // Use linkage names only of C++ and Rust. Others are worse than the plain name, such as
  // __GI___libc_read for read.
  facts.is_full_name = linkage.starts_with("_Z") || linkage.starts_with("_R");
  facts.name = facts.is_full_name ? Demangle(linkage) : TextOf(&die, DW_AT_name);
  if (facts.name.empty()) facts.name = linkage;
  facts.decl_file = FileOf(&die, DW_AT_decl_file);
  facts.decl_line = NumberOf(&die, DW_AT_decl_line);
  return facts;
}

struct Place {
  std::string file;
  uint32_t line = 0;
};

// Returns the file and line in the row of the line table that covers the address.
Place LineOf(Dwarf_Die* unit, uint64_t address) {
  Place place;
  Dwarf_Line* row = dwarf_getsrc_die(unit, address);
  if (row == nullptr) return place;
  int line = 0;
  const char* file = dwarf_linesrc(row, nullptr, nullptr);
  if (dwarf_lineno(row, &line) == 0 && line > 0) place.line = static_cast<uint32_t>(line);
  if (file != nullptr) place.file = file;
  return place;
}

class UnitReader {
 public:
  explicit UnitReader(std::chrono::steady_clock::time_point deadline) : tree_(deadline) {}

  bool out_of_time() const { return tree_.out_of_time(); }

  void Read(Dwarf_Die unit, const std::vector<uint64_t>& addresses,
            const std::vector<uint32_t>& wanted, DwarfAnswer& answer) {
    std::vector<uint64_t> here;
    for (const uint32_t index : wanted) here.push_back(addresses[index]);
    // The skeleton unit contains the line table, and its split unit (.dwo) the functions.
    Dwarf_Die split = {};
    uint8_t kind = 0;
    const bool has_info =
        dwarf_cu_info(unit.cu, nullptr, &kind, nullptr, &split, nullptr, nullptr, nullptr) == 0;
    const bool is_skeleton = has_info && kind == DW_UT_skeleton && split.cu != nullptr;
    answer.lacks_split = answer.lacks_split || (has_info && kind == DW_UT_skeleton && !is_skeleton);
    const std::vector<uint32_t> scopes = tree_.Place(is_skeleton ? split : unit, here);
    functions_.clear();
    for (size_t i = 0; i < here.size(); i++) {
      answer.of[wanted[i]] = FramesOf(LineOf(&unit, here[i]), scopes[i]);
    }
  }

 private:
  const FunctionFacts& Function(const Dwarf_Die& die) {
    const auto [entry, is_new] = functions_.try_emplace(die.addr);
    if (is_new) entry->second = ReadFunction(die);
    return entry->second;
  }

  // Returns the frames of an address, built from the innermost outwards: the line of a frame is the
  // call line that its callee stores.
  DwarfFrames FramesOf(Place place, uint32_t scope) {
    DwarfFrames out;
    if (scope == DwarfTree::kNone) {
      if (place.line != 0) out.frames.push_back({"", place.file, place.line, "", 0});
      out.prefer_symbol = true;
      return out;
    }
    while (scope != DwarfTree::kNone) {
      const DwarfTree::Scope& at = tree_.scope(scope);
      const FunctionFacts& facts = Function(at.die);
      const bool is_inlined = at.parent != DwarfTree::kNone;
      out.frames.push_back({facts.name, place.file, place.line, facts.decl_file, facts.decl_line});
      if (is_inlined && facts.name.empty()) out.frames.back().function = "(unnamed)";
      if (!is_inlined) out.prefer_symbol = !facts.is_full_name;
      Dwarf_Die die = at.die;
      if (is_inlined) place = {FileOf(&die, DW_AT_call_file), NumberOf(&die, DW_AT_call_line)};
      scope = at.parent;
    }
    std::reverse(out.frames.begin(), out.frames.end());
    return out;
  }

  DwarfTree tree_;
  std::unordered_map<const void*, FunctionFacts> functions_;
};

}  // namespace

DwarfAnswer DwarfNames(const ElfFile& file, const std::vector<uint64_t>& addresses,
                       std::chrono::steady_clock::time_point deadline) {
  DwarfAnswer answer;
  answer.of.resize(addresses.size());
  const std::unique_ptr<Dwarf, int (*)(Dwarf*)> dwarf(
      dwarf_begin_elf(file.get(), DWARF_C_READ, nullptr), dwarf_end);
  if (dwarf == nullptr) return answer;
  UnitReader reader(deadline);
  const auto units = FindUnits(dwarf.get(), addresses, deadline);
  // At the deadline, FindUnits stops and may have missed units.
  answer.out_of_time = std::chrono::steady_clock::now() > deadline;
  for (const auto& [offset, wanted] : units) {
    if (reader.out_of_time() || std::chrono::steady_clock::now() > deadline) {
      answer.out_of_time = true;
      break;
    }
    Dwarf_Die unit;
    if (dwarf_offdie(dwarf.get(), offset, &unit) != nullptr)
      reader.Read(unit, addresses, wanted, answer);
  }
  answer.out_of_time = answer.out_of_time || reader.out_of_time();
  return answer;
}

}  // namespace gprofx
