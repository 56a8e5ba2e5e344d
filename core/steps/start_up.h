// Finds the start-up of a Python program that uses no GPU. This is the time in which it runs its
// imports.
//
// Import statements at the top of the files run before the work of the program, and they can take
// most of the time of a short one. Start-up ends with the last import up to which imports took most
// of the program's Python time. Later imports, such as those inside functions, belong to the work.
// Pure; one thread. Times are HostNs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

class StartUp {
 public:
  // `end` is the end of the recording. The profile must outlive this object.
  StartUp(const Profile& profile, HostNs end);

  // True if a stack of the profile runs an import. If false, samples need not be added.
  bool HasImports() const { return has_imports_; }

  // Adds samples, in any order. Samples without a Python frame count neither as start-up nor as
  // work.
  void Add(std::span<const SampleRow> samples);

  // Returns start-up and work. Empty if start-up is shorter than 10 ms or than 1 % of the
  // recording.
  std::vector<Phase> Phases() const;

 private:
  enum class Runs : uint8_t { kOther, kPython, kImport };
  struct Slice {
    int64_t imports = 0, all = 0;  // ns
  };
  static constexpr size_t kSlices = 4096;

  std::vector<Runs> runs_;  // by NodeId::index()
  std::array<Slice, kSlices> slices_{};
  HostNs end_;
  bool has_imports_ = false;
};

}  // namespace gprofx
