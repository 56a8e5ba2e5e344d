#include "formats/exporters/output.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "core/base/unique_fd.h"
#include "formats/sqlite/output_claim.h"
#include "formats/sqlite/output_file.h"

namespace gprofx::exporters {
namespace {

// Name of the unfinished file; null if there is none. A signal that ends the program removes this
// file. Only one thread sets the name.
const char* volatile unfinished_name = nullptr;
constexpr int kEndings[] = {SIGHUP, SIGINT, SIGTERM};

void RemoveAndEnd(int number) {
  if (unfinished_name != nullptr) unlink(unfinished_name);
  signal(number, SIG_DFL);
  raise(number);
}

// Blocks signals that end the program as long as the object exists. A signal between creating a
// file and setting unfinished_name would leave the file behind.
class EndingsWait {
 public:
  EndingsWait() {
    sigset_t endings;
    sigemptyset(&endings);
    for (const int number : kEndings) sigaddset(&endings, number);
    pthread_sigmask(SIG_BLOCK, &endings, &before_);
  }
  ~EndingsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  EndingsWait(const EndingsWait&) = delete;
  EndingsWait& operator=(const EndingsWait&) = delete;

 private:
  sigset_t before_;
};

// An unfinished file. The destructor removes it, unless it became the output.
class Unfinished {
 public:
  // Creates a new, empty file beside `path`.
  static Result<std::unique_ptr<Unfinished>> Make(const std::string& path) {
    const EndingsWait wait;
    Result<std::string> name = TemporaryBeside(path);
    if (!name) return name.error();
    return std::make_unique<Unfinished>(std::move(*name));
  }

  explicit Unfinished(std::string name) : name_(std::move(name)) {
    unfinished_name = name_.c_str();
    for (const int number : kEndings) {
      if (signal(number, &RemoveAndEnd) == SIG_IGN) signal(number, SIG_IGN);
    }
  }
  ~Unfinished() {
    if (!name_.empty()) unlink(name_.c_str());
    unfinished_name = nullptr;
    for (const int number : kEndings) {
      if (signal(number, SIG_DFL) == SIG_IGN) signal(number, SIG_IGN);
    }
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  const std::string& name() const { return name_; }

  // Gives the file its final name. If a file of that name exists, it is overwritten if `replace` is
  // true; otherwise an error is returned.
  Status Publish(const std::string& path, bool replace) {
    const EndingsWait wait;
    if (replace) {
      if (rename(name_.c_str(), path.c_str()) != 0) return WriteError(path, errno, "");
      Keep();
      return Ok();
    }
    if (link(name_.c_str(), path.c_str()) == 0) return Ok();  // the temporary name is removed later
    if (errno != EEXIST &&
        renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) {
      Keep();
      return Ok();
    }
    return WriteError(path, errno, "");
  }

 private:
  void Keep() {
    unfinished_name = nullptr;
    name_.clear();
  }

  std::string name_;
};

Status CheckFree(const std::string& path, bool replace) {
  if (path.empty()) {
    return Error{ErrorId::kBadOperands, "the name of the output file is empty",
                 "give one with -o FILE"};
  }
  bool exists = false;
  if (Status fits = CheckReplaceable(path, false, exists); !fits) return fits;
  if (!exists) return Ok();
  if (IsProfile(path)) {
    return Error{ErrorId::kOutputExists, "'" + path + "' is a profile and is not overwritten",
                 "choose another file with -o"};
  }
  if (replace) return Ok();
  return Error{ErrorId::kOutputExists, "'" + path + "' already exists",
               "choose another file with -o, or replace it with --force"};
}

Status WriteBytes(const Exporter& exporter, const ExportJob& job, int fd, const std::string& name) {
  // Do not compress a file named .json: readers expect text, and HTA decides by the suffix.
  ByteSink sink(fd, exporter.gzip && !name.ends_with(".json"));
  if (Status written = exporter.write(job, sink); !written) return written;
  if (sink.Finish()) return Ok();
  if (sink.error_number() == EPIPE) {
    return Error{ErrorId::kReaderGone, "cannot write all output: its reader has ended",
                 "check what the reader of the pipe says"};
  }
  return WriteError(name, sink.error_number(), "the data could not be compressed");
}

int64_t SizeOf(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? info.st_size : 0;
}

}  // namespace

Result<int64_t> ExportToFile(const Exporter& exporter, const ExportJob& job,
                             const std::string& path, bool replace) {
  if (Status free = CheckFree(path, replace); !free) return free.error();
  const Result<std::unique_ptr<Unfinished>> made = Unfinished::Make(path);
  if (!made) return made.error();
  Unfinished& file = **made;
  Status written = Ok();
  if (exporter.write_file != nullptr) {
    written = exporter.write_file(job, file.name());
  } else {
    const UniqueFd fd = OpenMadeFile(file.name());
    if (!fd) return WriteError(path, errno, "");
    written = WriteBytes(exporter, job, fd.get(), path);
  }
  if (!written) return written.error();
  const int64_t size = SizeOf(file.name());
  if (Status published = file.Publish(path, replace); !published) return published.error();
  return size;
}

Status ExportToDescriptor(const Exporter& exporter, const ExportJob& job, int fd) {
  if (exporter.write == nullptr) {
    return Error{ErrorId::kNotStreamable,
                 std::string("the format ") + exporter.name + " cannot be written to a pipe",
                 "name a file with -o FILE"};
  }
  return WriteBytes(exporter, job, fd, "the output");
}

}  // namespace gprofx::exporters
