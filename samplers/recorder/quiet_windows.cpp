#include "samplers/recorder/quiet_windows.h"

#include <algorithm>
#include <cmath>

namespace gprofx {
namespace {

constexpr HostNs kLongestWindow = 240'000'000;
// Between two triples: a twentieth of the time is quiet; more of it until there are a few, so that
// short runs have a figure, too.
constexpr int64_t kFirstPause = 4, kLongestPause = 17;
constexpr int64_t kLeastLaunches = 20;  // of a window whose rate is used
constexpr int64_t kMostDelay = 3;       // times as long as asked for: somebody held us up

}  // namespace

// Half to one and a half times as much. splitmix64 of Steele, Lea and Flood.
HostNs QuietWindows::RandomNs(HostNs mean) {
  uint64_t z = random_ += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return mean / 2 + static_cast<HostNs>(z % static_cast<uint64_t>(mean));
}

HostNs QuietWindows::Pause() const {
  return std::min(kFirstPause + 2 * triples_, kLongestPause) * window_ns_;
}

double QuietWindows::RateOf(const Look& end) const {
  const int64_t launches = end.launches - begin_.launches;
  const HostNs length = end.now - begin_.now;
  if (!end.level || end.level != begin_.level || launches < kLeastLaunches || length <= 0 ||
      length > kMostDelay * asked_)
    return 0;
  return static_cast<double>(launches) / static_cast<double>(length);
}

// Nothing at all is no rate: the program does something else.
void QuietWindows::FitWindows(int64_t launches) {
  if (launches > 0 && launches < kLeastLaunches) {
    window_ns_ = std::min(2 * window_ns_, kLongestWindow);
  } else if (launches > 8 * kLeastLaunches) {
    window_ns_ = std::max(window_ns_ / 2, kShortestWindow);
  }
}

bool QuietWindows::End(const Look& look) {
  rates_[window_] = window_ == kPause ? 0 : RateOf(look);
  if (window_ == kQuiet) quiet_ns_ += look.now - begin_.now;
  if (window_ == kBefore) FitWindows(look.launches - begin_.launches);
  if (window_ == kAfter && rates_[kBefore] > 0 && rates_[kQuiet] > 0 && rates_[kAfter] > 0) {
    // The mean of what is compared, logarithms: that of rates says too little where they scatter.
    ratios_.Add(rates_[kQuiet], std::sqrt(rates_[kBefore] * rates_[kAfter]));
  }
  triples_ += window_ == kAfter ? 1 : 0;
  window_ = static_cast<Window>((window_ + 1) % 4);
  asked_ = RandomNs(window_ == kPause ? Pause() : window_ns_);
  next_ = look.now + asked_;
  return quiet();
}

void QuietWindows::Begin(const Look& look) {
  // From one window of a triple to the next the level may have changed, too.
  if (window_ > kBefore && look.level != begin_.level) rates_[kBefore] = 0;
  begin_ = look;
}

void QuietWindows::Cancel(HostNs now) {
  if (window_ == kQuiet) quiet_ns_ += now - begin_.now;
  window_ = kPause;
  next_ = now + RandomNs(Pause());
}

}  // namespace gprofx
