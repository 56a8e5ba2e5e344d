// Writes the final file of a recording: names instead of addresses, large chunks, complete. Used
// only inside formats/.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/events/events.h"
#include "core/model/profile.h"
#include "formats/database/chunk_queue.h"
#include "formats/sqlite/sqlite.h"

namespace gprofx {

struct Recorded {  // the source of the timeline
  const std::string& path;
  const sqlite::Database& db;
  std::vector<const std::deque<StreamChunk>*> waiting;  // not yet in `db`
  std::map<std::string, int64_t> dropped;               // counters of rows that were dropped
  std::optional<HostNs> from = std::nullopt;            // as for TimelineMerger
  bool ended = true;                                    // the recording came to its end
};

// Fills the empty file `file_name`; see ProfileWriter::Finish. Does not sync it.
Status WriteFinal(const std::string& file_name, const Recorded& recorded,
                  const Profile& final_profile, const std::vector<NodeId>& node_of,
                  std::span<const EventTable> replaced);

// Finds the phases (core/steps/phases.h) of a profile written by WriteFinal and adds them, with the
// values of the steady phase. A profile without GPU work and markers has no phases.
Status AddPhases(const std::string& file_name, const Profile& final_profile);

}  // namespace gprofx
