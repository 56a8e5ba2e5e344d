// Memory for the walkers that is made of words put there by a test; every other address is not
// readable.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>

namespace gprofx::agent {

struct RecordedMemory {
  std::map<uint64_t, uint8_t> bytes;
  mutable int reads = 0;
  mutable int refused = 0;  // reads at addresses that hold nothing
  bool may_search = true;   // false: a search for callers must end

  template <class T>
  void Put(uint64_t address, T value) {
    uint8_t raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    for (size_t i = 0; i < sizeof(T); ++i) bytes[address + i] = raw[i];
  }
  template <class T>
  bool Read(uint64_t address, T* out) const {
    uint8_t raw[sizeof(T)] = {};
    ++reads;
    for (size_t i = 0; i < sizeof(T); ++i) {
      auto it = bytes.find(address + i);
      if (it == bytes.end()) {
        ++refused;
        return false;
      }
      raw[i] = it->second;
    }
    std::memcpy(out, raw, sizeof(T));
    return true;
  }
  bool MaySearch() const { return may_search; }
};

}  // namespace gprofx::agent
