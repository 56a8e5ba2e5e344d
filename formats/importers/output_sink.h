// Writes the profile of an import. Rows are committed in batches. The file appears at its path with
// the first commit. Blocking; one thread.
#pragma once

#include <string>

#include "formats/importers/row_sink.h"
#include "formats/profile/profile_db.h"

namespace gprofx::importers {

class OutputSink final : public RowSink {
 public:
  static Result<OutputSink> Claim(const std::string& path);
  Status Finish(const Profile& profile);

 private:
  explicit OutputSink(ProfileWriter writer) : writer_(std::move(writer)) {}

  Status Write(const EventTable& rows, const Profile& profile) override;
  Status Write(std::span<const SampleRow> rows, const Profile& profile) override;
  Status Begin();
  Status CommitIfMany(size_t rows, const Profile& profile);

  ProfileWriter writer_;
  size_t waiting_ = 0;
  bool begun_ = false;
};

}  // namespace gprofx::importers
