#include "test_support.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace gprofx {

TempFolder::TempFolder() {
  std::string path = (std::filesystem::temp_directory_path() / "gprofx test XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) std::abort();
  path_ = path;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void CollectingSink::Names(const ModuleNames& more) {
  for (const auto& [address, frames] : more) names[address] = frames;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string OutputOf(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string out;
  char buffer[65536];
  while (const size_t got = std::fread(buffer, 1, sizeof(buffer), pipe)) out.append(buffer, got);
  return pclose(pipe) == 0 ? out : std::string();
}

bool Runs(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

std::string Quoted(const std::string& text) { return "'" + text + "'"; }

uint64_t AddressOf(const std::string& elf, const std::string& symbol) {
  const Result<ElfFile> file = ElfFile::Open(elf);
  if (!file) return 0;
  for (const ElfSection& section : file->sections()) {
    if (section.header.sh_type != SHT_SYMTAB && section.header.sh_type != SHT_DYNSYM) continue;
    Elf_Data* data = elf_getdata(section.handle, nullptr);
    GElf_Sym entry;
    for (int i = 0; gelf_getsym(data, i, &entry) != nullptr; i++) {
      const char* name = elf_strptr(file->get(), section.header.sh_link, entry.st_name);
      if (name != nullptr && name == symbol && entry.st_shndx != SHN_UNDEF) return entry.st_value;
    }
  }
  return 0;
}

std::string BuildIdOf(const std::string& elf) {
  const Result<ElfFile> file = ElfFile::Open(elf);
  return file ? file->BuildId() : std::string();
}

uint32_t LineMarked(const std::string& source, const std::string& marker) {
  std::ifstream file(std::string(FIXTURE_SOURCES) + "/" + source);
  std::string line;
  for (uint32_t number = 1; std::getline(file, line); number++) {
    if (line.ends_with("// " + marker)) return number;
  }
  return 0;
}

std::vector<std::string> FunctionsAt(const ModuleNames& names, uint64_t address) {
  std::vector<std::string> functions;
  const auto found = names.find(address);
  if (found == names.end()) return functions;
  for (const SourceFrame& frame : found->second) functions.push_back(frame.function);
  return functions;
}

SymbolizeOptions LocalOptions(const std::string& debug_folder) {
  SymbolizeOptions options;
  options.use_cache = false;
  options.debug_folders = {debug_folder};
  return options;
}

}  // namespace gprofx
