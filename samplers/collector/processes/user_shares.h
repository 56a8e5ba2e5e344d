// Limits what one user's processes may cost the recorder: time and ring entries in each pass over
// the processes, and memory.
//
// Processes of another user than the recorder's may be hostile: rings that always look full, new
// names and threads without end. Their user gets a share of each pass, so that nobody else's rings
// overflow meanwhile, and is left out for the rest of the recording when what they added is too
// much for it. Everything that is done for a process is done in an Account, after HasTime. Our own
// user's processes have all the time they need, and a limit that only keeps the machine usable;
// that limit also holds for the user of the program that is recorded. Rows on their way to the file
// are not counted: entries are. Times in ns. One thread. What is given must outlive this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/model/profile.h"
#include "samplers/collector/gpu/run.h"
#include "samplers/collector/markers/run.h"

namespace gprofx {

class UserShares {
 public:
  // Of one other user's processes in a pass, and of all others' together. Rings hold four seconds.
  static constexpr int64_t kMaxLookNs = 100'000'000, kMaxOthersNs = 1'000'000'000;
  static constexpr size_t kMaxEntries = size_t{1}
                                        << 16;  // in a look; rows wait for a commit a second
  static constexpr size_t kMaxBytes = size_t{64} << 20;
  static constexpr size_t kMaxOwnBytes = size_t{4} << 30;

  UserShares(const Profile& profile, const GpuRun& gpu, const MarkerRun& markers)
      : profile_(profile), gpu_(gpu), markers_(markers) {}

  void BeginLook();
  // This user's program was asked for: its processes may add as much as our own.
  void AddAsked(size_t user) { Of(user).is_asked = true; }
  // `user` 0 is the recorder's own.
  bool HasTime(size_t user) const;
  size_t EntriesLeft(size_t user) const;  // in this look
  void AddEntries(size_t user, size_t entries);
  void AddBytes(size_t user, size_t bytes) { Add(user, 0, bytes); }
  void TakeBytes(size_t user, size_t bytes);  // of them: that memory is free again
  bool IsLeftOut(size_t user) const;
  int64_t left_out() const { return left_out_; }  // users
  // Those that were left out since the latest call.
  std::vector<size_t> TakeLeftOut() { return std::exchange(untold_, {}); }

  // Counts what is done while it lives to a user's account.
  class Account {
   public:
    Account(UserShares& shares, size_t user);
    ~Account();
    Account(const Account&) = delete;
    Account& operator=(const Account&) = delete;

   private:
    UserShares& shares_;
    const size_t user_;
    const int64_t began_;
    const size_t bytes_;
  };

 private:
  struct Share {
    int64_t look_ns = 0;
    size_t entries = 0;
    size_t bytes = 0;
    bool is_asked = false, left_out = false;
  };
  size_t BytesNow();  // about what is kept until the end
  Share& Of(size_t user);
  void Add(size_t user, int64_t ns, size_t bytes);

  const Profile& profile_;
  const GpuRun& gpu_;
  const MarkerRun& markers_;
  int64_t others_ns_ = 0;                // in this pass
  size_t strings_ = 0, text_bytes_ = 0;  // counted so far
  std::vector<Share> shares_;
  int64_t left_out_ = 0;
  std::vector<size_t> untold_;
};

}  // namespace gprofx
