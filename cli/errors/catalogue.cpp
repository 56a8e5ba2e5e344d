#include "cli/errors/catalogue.h"

#include <cctype>

namespace gprofx {
namespace {

// All classes of errors, sorted by id.
constexpr ErrorClass kCatalogue[] = {
    // The command line.
    {ErrorId::kUnknownOption, "There is no such command or option. Options cannot be abbreviated.",
     "gprof-x --help lists the commands. gprof-x COMMAND --help lists the options of a command."},
    {ErrorId::kBadValue, "An option has a value that it does not accept.",
     "The message says which values the option accepts. Quote values that contain blanks or '>'."},
    {ErrorId::kConflict, "The given options cannot be combined.",
     "Leave one option out, or run a separate command for each option."},
    {ErrorId::kMissingOption, "An option needs another option that is not given.",
     "Add the option that the message names, or leave this option out."},
    {ErrorId::kBadOperands, "An operand is missing, or there are too many operands.",
     "gprof-x COMMAND --help shows the operands. Put the command to be recorded after --."},
    {ErrorId::kTerminal, "The output needs a terminal, or cannot go to a terminal.",
     "Run the command in a terminal, or write to a file with -o. Leave out -i to pipe a report."},
    {ErrorId::kOptionSyntax,
     "An option is given twice, lacks its value, or has a value but takes none.",
     "gprof-x COMMAND --help shows which options take a value."},

    // Reading files.
    {ErrorId::kCannotRead, "The file or folder does not exist, or this user may not read it.",
     "Check the name and the permissions. gprof-x record writes profile.gprofx unless -o is "
     "given."},
    {ErrorId::kWrongFileType,
     "The name belongs to a folder, pipe or device instead of a file, or to a file instead of a "
     "folder.",
     "Name a file in the folder. Copy the data of a pipe to a file first."},
    {ErrorId::kEmptyFile, "The file is empty because its writer ended too early or a copy failed.",
     "Record or export again."},
    {ErrorId::kOtherFormat, "The command does not read files of this format.",
     "gprof-x import converts traces of other tools to profiles. The other commands read "
     "profiles."},
    {ErrorId::kTruncated,
     "The end of the file is missing. The file was copied while it was being written, or the copy "
     "was interrupted.",
     "Copy the file again, together with its -journal file if there is one."},
    {ErrorId::kDamaged,
     "The data of the file is inconsistent. A disk, a copy or another program changed it.",
     "Copy the file again, or record again. gprof-x does not guess the contents of a damaged "
     "file."},
    {ErrorId::kWriteAheadLog,
     "The file was changed to SQLite's write-ahead logging, which needs a second file.",
     "Change it back with sqlite3 FILE 'PRAGMA journal_mode=DELETE'."},
    {ErrorId::kLocked, "Another program is recording, reading or changing the file.",
     "Try again later. A recording can be read while it runs, but it cannot be changed."},
    {ErrorId::kNewerVersion,
     "A newer version of gprof-x wrote the file in a schema that this version does not know.",
     "Install the version that the message names, or a newer one."},
    {ErrorId::kHostileFile,
     "The file has contents that a valid file never has, or reading it takes far more work than "
     "its size justifies.",
     "Do not trust the file. Someone may have made it to do harm."},
    {ErrorId::kUnfinishedCommit,
     "A writer was killed during a commit, and its journal cannot be trusted. The journal names "
     "other files, or another user made it.",
     "Ask the owner for the output of gprof-x merge -o, which needs no journal."},
    {ErrorId::kTooLarge, "The file is larger than the limit for files of its kind.",
     "Check that it is the right file, or split it."},
    {ErrorId::kUnfinishedRecording, "The recording is unfinished, so nothing can be added to it.",
     "Wait for the end of the recording, or record again."},
    {ErrorId::kMissingColumn,
     "The file lacks a table or column, or has one that this version of gprof-x does not know.",
     "Write the file again with the tool and the options that the message names."},
    {ErrorId::kBadLine, "A CSV file with a graph, cases or devices has a malformed line.",
     "The message says what is needed. gprof-x-forecast(1) describes these files."},

    // Writing files.
    {ErrorId::kCannotWrite,
     "The output folder is missing, is read-only or belongs to another user, or its disk is full.",
     "Choose another place with -o, --html or the option for this output, or free some space."},
    {ErrorId::kOutputExists, "The output would overwrite a file that gprof-x keeps.",
     "Choose another name, or remove the file. If the message names --force, that option replaces "
     "the file."},
    {ErrorId::kNotStreamable,
     "This output cannot be written to a pipe because it is a database or is not written in order.",
     "Name a file with -o, and copy it afterwards."},
    {ErrorId::kOutputReplaced,
     "The file was replaced or removed while it was being written, or two recordings use the same "
     "name.",
     "Give each recording its own file, for example with -o run-%r.gprofx or -o run-%p.gprofx."},
    {ErrorId::kReaderGone, "The reader of the output ended before it had read everything.",
     "Ignore this error if the reader should end early, as head does. Otherwise check the messages "
     "of the reader."},

    // Recording a command.
    {ErrorId::kCannotRun,
     "The command cannot be started because it does not exist, is not executable, or is not a "
     "program.",
     "Try the command without gprof-x first. Write the command after -- without shell syntax."},
    {ErrorId::kBadInstallation, "gprof-x cannot find or load its own libraries.",
     "Install gprof-x as a whole. Keep bin and lib/gprof-x side by side, in a path without blanks "
     "or colons."},
    {ErrorId::kMissingProgram, "A program that the command needs is missing or failed.",
     "Install the program that the message names. gprof-x doctor shows what else is missing."},
    {ErrorId::kControlFifo,
     "The FIFO of --control does not exist, or users other than you and root may write to it.",
     "Create the FIFO with mkfifo -m 600 before the recording starts."},
    {ErrorId::kRecordingFailed, "The recording ended before the program did.",
     "The program continues. The file that the message names contains the data recorded until "
     "then."},

    // Attaching to a running process.
    {ErrorId::kNoSuchProcess, "No process matches --pid or --attach, or several processes match.",
     "Find the process ID with ps -ef and pass it with --pid. Process IDs differ inside a "
     "container."},
    {ErrorId::kNotPermitted, "The kernel does not permit this user to attach to the process.",
     "Attach as root, or as the user of the process with sysctl kernel.yama.ptrace_scope=0. In "
     "containers, add --cap-add SYS_PTRACE."},
    {ErrorId::kUnsupportedProcess, "gprof-x cannot attach to a process of this kind.",
     "Start the program with gprof-x record -- COMMAND, unless the message names another way."},
    {ErrorId::kBusyProcess,
     "Another tool traces the process, or the process is stopped or is about to run another "
     "program.",
     "End that tool or continue the process, then try again."},
    {ErrorId::kNotEntered, "The agent could not enter or leave the process within three seconds.",
     "The process is unharmed. Try again, or start the program with gprof-x record -- COMMAND."},
    {ErrorId::kAlreadyRecorded,
     "Another recording, by this or another version of gprof-x, uses the process.",
     "Wait for the end of that recording. To remove the agent of another version, restart the "
     "program."},
    {ErrorId::kOtherContainer,
     "The process is in another container and cannot reach the memory of the recorder.",
     "Run gprof-x inside the container of the process. gprof-x-cluster(7) describes how."},

    // Comparisons, baselines and pipelines.
    {ErrorId::kBadRule, "A rule in --fail-on or in a rules file has an error at the marked place.",
     "gprof-x-diff(1) describes the rules. Quote the rules, because the shell interprets >."},
    {ErrorId::kSuppressionExpired, "A suppression has expired.",
     "The owner of the suppression must set a new date or remove the suppression."},
    {ErrorId::kTooFewRuns, "There are too few runs to estimate how certain a difference is.",
     "Record five or more runs of each version."},
    {ErrorId::kNoBaseline, "There is no baseline with this name, or the name is not valid.",
     "gprof-x ci baseline list lists the baselines. gprof-x ci baseline save adds one."},
    {ErrorId::kRunFailed, "A run of the job failed, so its times cannot be compared.",
     "Check the output that the message names. To continue without the failed runs, use "
     "--ignore-failures."},
    {ErrorId::kCannotMerge,
     "The profiles contain the same recording twice, or values in different units.",
     "Name each recording only once, and merge only profiles that the same version of gprof-x "
     "recorded."},

    // Queries of a recording.
    {ErrorId::kNotFound, "The recording contains no item with this name or number.",
     "The message says which items exist. gprof-x report --top and --tree list names."},
    {ErrorId::kNoSuchPart, "The recording does not have the selected range, steps or phase.",
     "The message says what the recording has. --phase all selects everything."},
    {ErrorId::kNotRecorded, "The recording lacks the data for this output.",
     "Record again as the message says. gprof-x doctor shows what the machine permits."},
    {ErrorId::kWrongRecordings, "This output needs one recording, or all ranks of a job.",
     "Name one profile, or the profiles of all ranks, as the message says."},
    {ErrorId::kBadExpression, "A regular expression, or a change given to --what-if, is not valid.",
     "Quote the expression or the change. Regular expressions have the syntax of grep -E. "
     "gprof-x-analyze(1) lists the changes."},

    // Forecasts.
    {ErrorId::kUnknownGpu,
     "The GPU is unknown, or the recording does not name the GPU on which it was made.",
     "gprof-x forecast --devices lists the known GPUs. Add one with --device FILE, or name one "
     "with --from."},
    {ErrorId::kNoForecast, "gprof-x cannot make a forecast for this model or recording.",
     "The message says what is missing. gprof-x-forecast(1) describes the graph files and case "
     "files."},
    {ErrorId::kGpuNotMeasured, "The GPU could not be measured.",
     "Use a machine with a GPU and its driver, and run nothing else on it."},

    // Assistants, and ranks of a job.
    {ErrorId::kBadRequest, "An assistant asked for something that this server does not have.",
     "The tool list_profiles lists the profiles. The description of a tool lists its arguments."},
    {ErrorId::kRankLost, "The ranks of a job cannot communicate.",
     "Compile gprofx-mpi with the cluster's mpicc and start all ranks with one mpirun, or run "
     "without mpirun."},

    // The machine.
    {ErrorId::kNoResources,
     "The machine has too little memory, or the limit on the number of processes is reached.",
     "Raise the limits of the shell (ulimit -v, ulimit -u) or of the cgroup, or reduce the work."},
    {ErrorId::kInternal, "gprof-x has an internal error.",
     "Report the error with the command and the message."},
};

}  // namespace

std::span<const ErrorClass> ErrorCatalogue() { return kCatalogue; }

const ErrorClass* ClassWithId(std::string_view id) {
  std::string capitals(id);
  for (char& c : capitals) c = static_cast<char>(toupper(static_cast<unsigned char>(c)));
  for (const ErrorClass& one : ErrorCatalogue()) {
    if (capitals == IdText(one.id)) return &one;
  }
  return nullptr;
}

std::string ErrorHelp(const ErrorClass& found) {
  return IdText(found.id) + ": " + found.cause + "\n  " + found.way_out + "\n";
}

std::string AllErrorsHelp() {
  std::string text;
  for (const ErrorClass& one : ErrorCatalogue()) text += ErrorHelp(one);
  return text;
}

}  // namespace gprofx
