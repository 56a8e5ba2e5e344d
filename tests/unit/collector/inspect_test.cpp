#include "samplers/collector/processes/inspect.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "samplers/wire/machine/machine.h"

namespace gprofx {
namespace {

struct Elf {  // a small program: header, one segment, the path of its loader
  Elf64_Ehdr header{};
  Elf64_Phdr segment{};
  char loader[32] = "";

  Elf() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_machine = wire::kElfMachine;
    std::strcpy(loader, wire::kGlibcLoader);
    header.e_phoff = offsetof(Elf, segment);
    header.e_phentsize = sizeof segment;
    header.e_phnum = 1;
    segment.p_type = PT_INTERP;
    segment.p_offset = offsetof(Elf, loader);
    segment.p_filesz = sizeof loader;
  }
  Verdict Judge(size_t bytes = sizeof(Elf)) const {
    return JudgeElf(std::as_bytes(std::span(this, 1)).first(bytes));
  }
};

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/gprof-x-inspect-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string Write(const std::string& name, const std::string& bytes, mode_t mode) const {
    const std::string path = path_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    chmod(path.c_str(), mode);
    return path;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string Bytes(const Elf& elf) { return {reinterpret_cast<const char*>(&elf), sizeof elf}; }

TEST_CASE("A dynamic program of this processor can be profiled") {
  CHECK(Elf().Judge().problem.empty());
  CHECK(Elf().Judge().preload);
}

TEST_CASE("What the loader cannot or will not preload is told apart") {
  Elf fixed;
  fixed.segment.p_type = PT_LOAD;
  CHECK(fixed.Judge().problem == "is statically linked");
  CHECK(fixed.Judge().preload);  // its children may be dynamic

  Elf narrow;
  narrow.header.e_ident[EI_CLASS] = ELFCLASS32;
  CHECK(narrow.Judge().problem == "is a 32-bit program");
  CHECK_FALSE(narrow.Judge().preload);

  Elf other;
  other.header.e_machine = wire::kElfMachine == EM_X86_64 ? EM_AARCH64 : EM_X86_64;
  CHECK(other.Judge().problem ==
        std::string("is built for another processor than ") + wire::kMachineName);
  CHECK_FALSE(other.Judge().preload);

  Elf musl;
  std::strcpy(musl.loader, wire::kMuslLoader);
  CHECK(musl.Judge().problem.empty());

  Elf bionic;
  std::strcpy(bionic.loader, "/system/bin/linker64");
  CHECK(bionic.Judge().problem.find("C library") != std::string::npos);
  CHECK_FALSE(bionic.Judge().preload);
}

TEST_CASE("Broken headers are left to the kernel") {
  Elf elf;
  for (size_t bytes = 0; bytes <= sizeof elf; ++bytes) elf.Judge(bytes);
  elf.segment.p_offset = ~uint64_t{0};
  CHECK(elf.Judge().problem.empty());
  elf.header.e_phoff = ~uint64_t{0} - 8;
  elf.header.e_phnum = 0xffff;
  CHECK(elf.Judge().problem == "is statically linked");
  CHECK(JudgeElf({}).problem.empty());
}

TEST_CASE("Interpreters of scripts") {
  CHECK(ScriptInterpreter("#!/bin/sh\necho") == "/bin/sh");
  CHECK(ScriptInterpreter("#! /usr/bin/python3 -u\n") == "/usr/bin/python3");
  CHECK(ScriptInterpreter("#!/usr/bin/env python3\n") == "python3");
  CHECK(ScriptInterpreter("#!/usr/bin/env -S A=1 python3 -u\n") == "python3");
  CHECK(ScriptInterpreter("#!/usr/bin/env") == "/usr/bin/env");
  CHECK(ScriptInterpreter("#!\n") == "");
  CHECK(ScriptInterpreter("#!") == "");
  CHECK(ScriptInterpreter("echo") == "");
}

TEST_CASE("Commands are found as execvp finds them") {
  Folder folder;
  folder.Write("dynamic", Bytes(Elf()), 0755);
  folder.Write("plain", "text", 0644);
  Elf fixed;
  fixed.segment.p_type = PT_LOAD;
  const std::string fixed_path = folder.Write("fixed", Bytes(fixed), 0755);
  folder.Write("script", "#!" + fixed_path + "\n", 0755);
  folder.Write("loop", "#!" + folder.path() + "/loop\n", 0755);
  const std::string path = "/no/such/folder:" + folder.path();

  CHECK(InspectCommand("dynamic", path).program == folder.path() + "/dynamic");
  CHECK(InspectCommand("dynamic", path).problem.empty());
  CHECK(InspectCommand("missing", path).found == Found::kNotFound);
  CHECK(InspectCommand("", path).found == Found::kNotFound);
  CHECK(InspectCommand(folder.path() + "/missing", path).found == Found::kNotFound);
  CHECK(InspectCommand(folder.path() + "/plain", path).found == Found::kNotExecutable);
  CHECK(InspectCommand("plain", path).found == Found::kNotExecutable);
  CHECK(InspectCommand(folder.path(), path).found == Found::kNotExecutable);
  CHECK(InspectCommand("script", path).problem ==
        "not profiled: " + fixed_path + " is statically linked");
  CHECK(InspectCommand("script", path).program == folder.path() + "/script");
  CHECK(InspectCommand("loop", path).problem.empty());
}

TEST_CASE("Programs that gain privileges are left alone") {
  if (getuid() != 0) return;  // only root can give a file away
  Folder folder;
  const std::string file = folder.Write("su", Bytes(Elf()), 0755);
  REQUIRE(chown(file.c_str(), 65534, 65534) == 0);
  chmod(file.c_str(), 04755);
  const Inspection found = InspectCommand(file, "");
  CHECK(found.problem.find("privileged") != std::string::npos);
  CHECK_FALSE(found.preload);
}

}  // namespace
}  // namespace gprofx
