// Gives each kernel name an id. The text of a name is sent to the stream only once. Any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace gprofx::cuda {

class Names {
 public:
  uint32_t Id(const char* name);  // returns 0 for null and ""

 private:
  std::mutex lock_;
  std::unordered_map<std::string, uint32_t> ids_;
};

}  // namespace gprofx::cuda
