// Writes the final file of a recording, which has names instead of addresses, large chunks and
// phases. Used only inside formats/.
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

struct Recorded {  // where the rows of the timeline are
  const std::string& path;
  const sqlite::Database& db;
  std::vector<const std::deque<StreamChunk>*> waiting;  // not in `db` yet
  std::map<std::string, int64_t> dropped;               // counters of rows that were dropped
  std::optional<HostNs> from = std::nullopt;            // new time 0, as in TimelineMerger
  bool ended = true;  // false: mark the file as an unfinished recording
};

// Writes the final profile into the empty file `file_name`; see ProfileWriter::Finish for the
// parameters. Does not sync it.
Status WriteFinal(const std::string& file_name, const Recorded& recorded,
                  const Profile& final_profile, const std::vector<NodeId>& node_of,
                  std::span<const EventTable> replaced);

// Finds the phases (core/steps/phases.h) of a profile that WriteFinal wrote. Adds them and the
// values of the steady phase to the file. A profile without GPU work and markers has no phases.
Status AddPhases(const std::string& file_name, const Profile& final_profile);

}  // namespace gprofx
