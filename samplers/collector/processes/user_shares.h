// Limits what the processes of one user may cost the recorder: memory, and time and ring entries in
// each pass over the processes.
//
// Processes of another user than the recorder's may be hostile: they may have rings that always
// look full, or create new names and threads without end. Their user gets a share of each pass, so
// the rings of others do not overflow meanwhile. If the processes of a user add too much memory,
// the user is excluded for the rest of the recording. Everything that is done for a process is done
// while an Account exists, after HasTime has returned true.
//
// Processes of our own user have no time limit. Their memory limit is higher and only keeps the
// machine usable; it also applies to the user of the recorded program. Memory of rows on their way
// to the file is not counted; the number of ring entries is limited instead. Times are ns. One
// thread. The constructor's arguments must outlive this.
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
  // Maximum time per pass in ns: for the processes of one other user, and for those of all other
  // users together. A pass must take much less than the four seconds of samples that rings can
  // hold.
  static constexpr int64_t kMaxLookNs = 100'000'000, kMaxOthersNs = 1'000'000'000;
  // Maximum number of entries per pass. Rows wait up to a second until they are written.
  static constexpr size_t kMaxEntries = size_t{1} << 16;
  static constexpr size_t kMaxBytes = size_t{64} << 20;
  static constexpr size_t kMaxOwnBytes = size_t{4} << 30;

  UserShares(const Profile& profile, const GpuRun& gpu, const MarkerRun& markers)
      : profile_(profile), gpu_(gpu), markers_(markers) {}

  void BeginLook();
  // Called for the user of the recorded program. The processes of that user may add as much memory
  // as those of our own user.
  void AddAsked(size_t user) { Of(user).is_asked = true; }
  // True if processes of `user` have time left in this pass. User 0 is the recorder's own.
  bool HasTime(size_t user) const;
  size_t EntriesLeft(size_t user) const;  // entries that may still be read in this pass
  void AddEntries(size_t user, size_t entries);
  void AddBytes(size_t user, size_t bytes) { Add(user, 0, bytes); }
  void TakeBytes(size_t user, size_t bytes);  // subtracts memory that was counted and is freed now
  bool IsLeftOut(size_t user) const;
  int64_t left_out() const { return left_out_; }  // number of excluded users
  // Returns the users that were excluded since the last call.
  std::vector<size_t> TakeLeftOut() { return std::exchange(untold_, {}); }

  // Charges the time that passes and the memory that is added during the lifetime of this object to
  // a user.
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
  size_t BytesNow();  // approximate memory kept until the end
  Share& Of(size_t user);
  void Add(size_t user, int64_t ns, size_t bytes);

  const Profile& profile_;
  const GpuRun& gpu_;
  const MarkerRun& markers_;
  int64_t others_ns_ = 0;                // time that all other users have used in this pass
  size_t strings_ = 0, text_bytes_ = 0;  // what was counted so far
  std::vector<Share> shares_;
  int64_t left_out_ = 0;
  std::vector<size_t> untold_;
};

}  // namespace gprofx
