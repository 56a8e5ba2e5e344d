// Numbers kernel names: each text is sent once. Any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace gprofx::cuda {

class Names {
 public:
  uint32_t Id(const char* name);  // null and "" have id 0

 private:
  std::mutex lock_;
  std::unordered_map<std::string, uint32_t> ids_;
};

}  // namespace gprofx::cuda
