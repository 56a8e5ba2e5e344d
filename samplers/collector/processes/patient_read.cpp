#include "samplers/collector/processes/patient_read.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <utility>

#include "core/base/file_io.h"
#include "core/base/start_thread.h"

namespace gprofx {
namespace {

constexpr std::chrono::milliseconds kPatience{100};

std::atomic<int> g_under_way{0};

}  // namespace

std::optional<std::string> ReadWithPatience(const std::string& path, size_t limit) {
  using Text = std::optional<std::string>;
  if (g_under_way.load() >= kMaxStuck) return std::nullopt;
  auto answer = std::make_shared<std::promise<Text>>();
  std::future<Text> text = answer->get_future();
  g_under_way.fetch_add(1);
  const bool started = StartDetached([answer, path, limit] {
    Text read = ReadSmallFile(path, limit);
    g_under_way.fetch_sub(1);
    answer->set_value(std::move(read));
  });
  if (!started) {
    g_under_way.fetch_sub(1);
    return std::nullopt;
  }
  if (text.wait_for(kPatience) != std::future_status::ready) return std::nullopt;
  return text.get();
}

}  // namespace gprofx
