// Finds the function that contains each address of one compilation unit, and the calls inlined into
// it there.
//
// Makes one pass over the tree of debugging entries (DIEs) and descends into a subtree only if it
// contains an address. The depth of recursion and the time are bounded. One thread. libdw keeps
// ownership of its data.
#pragma once

#include <elfutils/libdw.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace gprofx {

class DwarfTree {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Scope {
    Dwarf_Die die;
    uint32_t parent;  // the scope into which this one is inlined; kNone = not inlined
  };

  explicit DwarfTree(std::chrono::steady_clock::time_point deadline) : deadline_(deadline) {}

  // Returns the innermost scope of each address; kNone if there is none. `addresses` must be
  // sorted.
  std::vector<uint32_t> Place(Dwarf_Die unit, std::span<const uint64_t> addresses);

  const Scope& scope(uint32_t index) const { return scopes_[index]; }
  bool out_of_time() const { return out_of_time_; }

 private:
  using Subset = std::vector<uint32_t>;  // indices of addresses, sorted

  void Walk(Dwarf_Die die, const Subset& subset, uint32_t scope, int depth);
  void Search(Dwarf_Die die, const Subset& subset, int depth);
  void Visit(Dwarf_Die child, const Subset& subset, uint32_t scope, int depth);
  Subset Inside(Dwarf_Die die, const Subset& subset, bool& has_ranges) const;
  bool TimeIsUp();

  std::chrono::steady_clock::time_point deadline_;
  uint32_t visits_ = 0;
  bool out_of_time_ = false;
  std::span<const uint64_t> addresses_;
  std::vector<uint32_t> placed_;
  std::vector<Scope> scopes_;
};

}  // namespace gprofx
