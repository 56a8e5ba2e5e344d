#include "cli/errors/catalogue.h"

namespace gprofx {
namespace {

// Ids are never reused: a row may gain lines, and new rows get new numbers. If several lines match,
// the one with the most literal characters wins; order does not matter.
constexpr ErrorClass kCatalogue[] = {
    // Command line.
    {"GX-0101", "There is no such command or option; options are never abbreviated.",
     "gprof-x --help lists the commands, gprof-x COMMAND --help its options.",
     "unknown command '*'\n"
     "unknown option '*'\n"
     "'*' is unknown\n"
     "* is no option"},
    {"GX-0102", "A word or number behind an option is none of those that it takes.",
     "The line says which it takes; quote values with blanks or '>' in them.",
     "unknown colour*\n"
     "unknown format '*'\n"
     "unknown grouping '*'\n"
     "unknown phase '*'\n"
     "unknown table '*'\n"
     "unknown view '*'\n"
     "no such order\n"
     "no such table\n"
     "names one shell*\n"
     "--by * does not go with this view\n"
     "--* cannot be '*'\n"
     "--* cannot have '*'\n"
     "* takes a number from 1 on, not '*'\n"
     "* takes the name of a file\n"
     "--confirm * cannot confirm anything\n"
     "--* takes *\n"
     "--step-time needs a time: *\n"
     "--when does not understand '*'\n"
     "-o knows no '%*'\n"
     "the rate '*' is out of range\n"
     "two values of --sweep '*' would have one file"},
    {"GX-0103", "Two things were asked for that cannot both be.",
     "Leave one of them out, or run one command for each.",
     "* exclude each other\n"
     "* are both given\n"
     "* are two answers\n"
     "* are two outputs\n"
     "* cannot be combined\n"
     "* are two parts\n"
     "* are two questions\n"
     "* cannot be with *\n"
     "--* does not go with *\n"
     "a recording excludes *\n"
     "--fix prints a script alone\n"
     "--* writes text\n"
     "--cases writes CSV\n"
     "--shards is a number of pieces of time\n"
     "--aa compares no versions, so *\n"
     "--what-if takes one recording, prints text or JSON, *\n"
     "--explain is about one recording\n"
     "--explain names no finding\n"
     "findings are no table of numbers\n"
     "* would both write *"},
    {"GX-0104", "An option says something about another one that is not there.",
     "Add the option that the line names, or leave this one out.",
     "--when is given without --last\n"
     "--repeat goes with --levels\n"
     "--step-time goes with --what-if\n"
     "--when gpu_idle needs records of the GPU all the time\n"
     "--last needs the time of each sample\n"
     "--counters needs the GPU to be recorded\n"
     "--program-output needs a program that gprof-x starts\n"
     "--* belongs to *\n"
     "--to and --compare belong to --model or a recording\n"
     "--* is given without the other side"},
    {"GX-0105", "What the command works on is missing, or is named more than once.",
     "gprof-x COMMAND --help shows what it takes; a command to record goes behind --.",
     "no command given\n"
     "no command is given\n"
     "neither a process nor a command is given\n"
     "no * named\n"
     "no format given\n"
     "one * at a time, got *\n"
     "two sides are needed, and one is empty or not told apart\n"
     "--aa takes one side\n"
     "takes no operand, got '*'\n"
     "takes no program\n"
     "*it is not said what to do\n"
     "save, list, show or prune is missing\n"
     "* takes a name and profiles\n"
     "* takes one name\n"
     "prune takes --keep N and nothing else\n"
     "it takes one folder\n"
     "there is nothing to record\n"
     "both sides are the same command in the same folder\n"
     "what to forecast is not named\n"
     "* needs a GPU to forecast for\n"
     "--compare names no device\n"
     "--attach has no words\n"
     "--callers needs a name\n"
     "--forecast needs a GPU\n"
     "--html needs a file\n"
     "-o has no *\n"
     "--folder is empty\n"
     "the name of the output file is empty\n"
     "no words can be added to the line of --*"},
    {"GX-0106", "What was asked for needs a terminal, or must not go to one.",
     "Run it in a terminal, or name a file with -o; report without -i is text for pipes.",
     "-i needs a terminal for its keys and its output\n"
     "--to * is not for a terminal\n"
     "no description of the terminal '*'\n"
     "this gprof-x was built without ncurses"},
    {"GX-0107", "An option is given twice, lacks its value, or has one that it does not take.",
     "gprof-x COMMAND --help shows which options take a value.",
     "the required argument for option '*' is missing\n"
     "option '*' requires at least one argument\n"
     "option '*' does not take any arguments\n"
     "option '*' cannot be specified more than once\n"
     "the unabbreviated option '*' *\n"
     "the abbreviated option '*' *"},

    // Reading files.
    {"GX-0201", "There is no file or folder of this name, or this user may not read it.",
     "Check the name and its permissions; gprof-x record writes profile.gprofx unless -o says "
     "else.",
     "'*' does not exist\n"
     "cannot read *\n"
     "cannot read the folder '*': *\n"
     "cannot read the rules in '*': *\n"
     "cannot go to '*': *\n"
     "none of the files can be read\n"
     "'*' cannot be read: *"},
    {"GX-0202",
     "A folder, pipe or device stands where a file is wanted, or a file where a folder is.",
     "Name the file in the folder; copy what comes through a pipe into a file first.",
     "'*' is a folder\n"
     "'*' is not a regular file\n"
     "'*' is not a folder\n"
     "'*' is no folder\n"
     "'*' is a link or no folder"},
    {"GX-0203", "The file holds nothing: its writer was stopped before it began, or a copy failed.",
     "Record or export it again.",
     "'*' is empty\n"
     "* is empty\n"
     "'*' holds no text\n"
     "'*' holds no events\n"
     "'*' holds no .gprofx file\n"
     "* has no nodes\n"
     "* has no devices"},
    {"GX-0204", "The file is of another kind than the command reads.",
     "gprof-x import makes a profile of another tool's trace; other commands read profiles.",
     "'*' is not a *\n"
     "'*' is an SQLite database, but not a *\n"
     "'*' is an SQLite database, but no export of Nsight Systems with CUDA *\n"
     "'*' is JSON, but no trace: *\n"
     "'*' is no profile and no trace that is known here\n"
     "'*' is in no format that is known here\n"
     "'*' is a recording of perf, which perf alone reads\n"
     "'*' is a trace of RocmProfileData, which is not read\n"
     "'*' is an SQLite database, but no rocpd file *\n"
     "'*' is a zip archive\n"
     "'*' is a tar archive\n"
     "'*' is compressed with *\n"
     "'*' is a report of Nsight Compute\n"
     "'*' is an HDF5 file\n"
     "'*' is a recording of austin in its binary form\n"
     "'*' is a profile of callgrind\n"
     "'*' has two values in each line: *\n"
     "'*' is an export of Nsight Systems without CUDA or NVTX events\n"
     "'*': nothing in it can be imported*\n"
     "'*' holds no stacks that can be read as *\n"
     "'*' has no table of kernels\n"
     "*:1: no graph of a model\n"
     "the key '*' has not 16 to 4096 bytes"},
    {"GX-0205",
     "The end of the file is missing: it was copied while it grew, or the copy broke off.",
     "Copy it again from where it was written; a profile with its -journal file, if that is there.",
     "'*' is truncated: * bytes\n"
     "'*' is cut off: *\n"
     "'*' is a broken zstd file"},
    {"GX-0206",
     "The bytes of the file contradict each other: a disk, a copy or another program changed it.",
     "Copy it again, or record again; nothing is guessed of a damaged file.",
     "'*' is damaged*\n"
     "'*' has no valid schema version\n"
     "cannot add to '*'*\n"
     "*its table of counters is damaged\n"
     "the timeline of '*' cannot be read back\n"
     "the baseline store is damaged: *\n"
     "*the times of its events lie more than a month apart\n"
     "*: no line of a table of forecasts"},
    {"GX-0207",
     "The file was changed to SQLite's write-ahead logging, which needs a second file beside it.",
     "sqlite3 FILE 'PRAGMA journal_mode=DELETE' changes it back.",
     "'*' was changed to write-ahead logging, which is not read"},
    {"GX-0208",
     "Another program holds the file: it is being recorded, read or changed at this moment.",
     "Try again; a recording can be read while it runs, but not be changed.",
     "'*' is locked by another program\n"
     "'*' is read by another program\n"
     "cannot write '*': another program keeps it locked\n"
     "'*' was replaced meanwhile"},
    {"GX-0209", "The file was written by a newer gprof-x, in a form that this one does not know.",
     "Install the version that the line names, or a newer one.",
     "'*' was written by *, this one reads up to schema *"},
    {"GX-0210",
     "The file has parts that no such file has, or asks for far more work than its size allows.",
     "Do not trust it: it may be made to harm who reads it.",
     "'*' holds views, triggers, virtual tables or too many tables\n"
     "'*' has computed columns in table *\n"
     "* takes too much work to read (table *)\n"
     "* needs too much memory (table *)\n"
     "'*' unpacks to more than 200 times its size\n"
     "'*' holds a text of more than *\n"
     "'*' has a line of more than *"},
    {"GX-0211",
     "A writer was killed within a commit, and its journal is not trusted: it names other files, "
     "or another "
     "user made it.",
     "Ask its owner for the profile as gprof-x merge -o writes it; a finished one is whole without "
     "its journal.",
     "'*' has an unfinished commit*\n"
     "'*-journal' lies there without its profile\n"
     "'*' cannot be changed: '*-journal' is in the way\n"
     "'*' may not be written\n"
     "'*' or its folder may not be written\n"
     "a commit of '*' is still unfinished"},
    {"GX-0212", "The file is larger than such a file can sensibly be.",
     "Split it, or check that it is the one that was meant.",
     "'*' is larger than * MB*\n"
     "'*' holds more than 1 MiB"},
    {"GX-0213", "The recording was not finished, so nothing can be added to it.",
     "Wait for the end of the recording, or record again.",
     "'*' was not recorded to its end, nothing is added to it\n"
     "nothing was added to '*'"},
    {"GX-0214", "The file lacks a table or column, or has others than this gprof-x knows.",
     "Write it again with the tool and the options that the line names.",
     "'*' has no column *\n"
     "'*' has a table * with other columns\n"
     "'*' is no table that *\n"
     "a finding speaks of a node that '*' does not have\n"
     "there is no such stream of events or column\n"
     "'*' has neither bytes of device memory nor operations\n"
     "no launch of '*' is of a kernel and launch configuration of '*'"},

    // Writing files.
    {"GX-0301",
     "The folder of the output is missing, read-only or another user's, or its disk is full.",
     "Choose another place with -o (--html and others take theirs), or make room.",
     "cannot write *\n"
     "*the disk is full\n"
     "*the limit of file sizes is reached\n"
     "*folder * is on a read-only file system\n"
     "*no permission to write in folder *\n"
     "*folder * takes no new files\n"
     "*folder * does not exist\n"
     "*the name is too long\n"
     "cannot write '*': '*' is not a folder\n"
     "cannot open *: *\n"
     "cannot lock *: *\n"
     "cannot copy *: *\n"
     "cannot rename '*' to '*': *\n"
     "cannot make the folder '*': *\n"
     "cannot make *: *\n"
     "cannot remove *: *\n"
     "cannot move *\n"
     "no temporary folder: *\n"
     "no temporary file can be made\n"
     "no profile was written*\n"
     "the last minutes could not be written: *\n"
     "there is no free name beside *"},
    {"GX-0302",
     "Something stands at the name of the output that is not replaced, so that nothing is lost.",
     "Choose another name, or remove what is there; --force replaces it where the line says so.",
     "'*' is there already\n"
     "'*' is there and is not a profile, so it is left alone\n"
     "'*' is a profile, which is not written over\n"
     "'*' is a profile, which no export replaces\n"
     "* is a profile, not a page\n"
     "'*' is the profile that is read\n"
     "'*' is one of the profiles that are read\n"
     "'*' is a symbolic link, which is not written through\n"
     "'*' holds the files of another job\n"
     "'*' is for profiles, and a side runs in it"},
    {"GX-0303", "This output cannot be streamed: it is a database, or is written out of order.",
     "Name a file with -o, and copy it afterwards.",
     "a profile is a database and cannot go to standard output\n"
     "--to * cannot be written to a pipe"},
    {"GX-0304",
     "The file was replaced or removed while it was written, or two recordings have one name.",
     "Give each recording a file of its own; -o run-%r.gprofx and %p make names.",
     "'*' was replaced or removed while it was written\n"
     "another recording writes '*'\n"
     "the recording into '*' has ended\n"
     "the last profile is still written"},
    {"GX-0305", "Who read the output went away before its end.",
     "Nothing, if that was meant (a pipe into head); else look at what the reader says.",
     "the reader of the output ended before it had all"},

    // Recording a command.
    {"GX-0401",
     "The command cannot be started: it is not there, may not be executed, or is no program.",
     "Start it without gprof-x first; behind -- stands what a shell would run, without its syntax.",
     "cannot run *"},
    {"GX-0402",
     "gprof-x does not find the libraries that come with it, or they lie where none can be loaded.",
     "Install it whole: bin and lib/gprof-x stay side by side, in a path without blanks and "
     "colons.",
     "cannot find where gprof-x is installed\n"
     "cannot find this program\n"
     "gprof-x is installed in a folder with a blank or colon in its name: *\n"
     "cannot read */libgprofx-agent.so"},
    {"GX-0403", "Nothing could be shown or measured for want of another program.",
     "Install what the line names; gprof-x doctor says what else is missing.",
     "no CPython 3.8 to 3.15 on PATH to show something with\n"
     "--counters needs ncu, which is neither on the PATH nor in a CUDA toolkit\n"
     "ncu *\n"
     "ncu: *\n"
     "no kernel was recorded\n"
     "the code of a module is missing"},
    {"GX-0404", "The FIFO of --control is not there, or others than you and root may write to it.",
     "Make it with mkfifo -m 600 before the recording starts.", "cannot use '*' for --control: *"},
    {"GX-0405", "The recording ended before its program did.",
     "The program ran on; what was recorded until then is in the file that the line names.",
     "the recording broke off: *\n"
     "the program ended with status *\n"
     "how the recording ended is not known\n"
     "cannot start the recording: *"},

    // Attaching to a running process.
    {"GX-0501", "No process, or more than one, fits what --pid or --attach says.",
     "ps -ef shows processes, in a container with numbers of its own; choose one with --pid.",
     "there is no process *\n"
     "no process runs '*'\n"
     "* processes run '*':*\n"
     "* is a thread of process *\n"
     "* is gprof-x itself\n"
     "the first thread of * has ended, *\n"
     "* has ended already (a zombie)\n"
     "* ended, or ran another program, while gprof-x attached"},
    {"GX-0502", "The kernel does not let this user attach to the process.",
     "Attach as root, or as its user with sysctl kernel.yama.ptrace_scope=0; in containers "
     "--cap-add SYS_PTRACE.",
     "*: it runs as another user (uid *)\n"
     "*: kernel.yama.ptrace_scope is *\n"
     "*: ptrace(2) is not permitted"},
    {"GX-0503", "The process is of a kind that cannot be entered while it runs.",
     "Start it with gprof-x record -- COMMAND, if the line names no other way.",
     "* is a thread of the kernel\n"
     "* is a 32-bit program\n"
     "* is built for another processor than *\n"
     "* is built with AddressSanitizer\n"
     "* uses musl, whose loader cannot take the agent at run time\n"
     "* is statically linked: *\n"
     "* does not use glibc, *\n"
     "* confines itself by seccomp, *\n"
     "* runs under a debugger, valgrind or rr, or uses no C library\n"
     "the program's C library has no threads or no loader that could be called"},
    {"GX-0504", "The process is held by another tool, stopped, or about to become another program.",
     "End that tool or let the process run on, then try again.",
     "* is traced by process *\n"
     "* is stopped\n"
     "* is about to run another program (vfork)\n"
     "child processes are being entered"},
    {"GX-0505",
     "No thread of the process came to a place where the agent may enter, in three seconds.",
     "It is untouched: try again, or start it with gprof-x record -- COMMAND.",
     "* was never at a place where the agent may enter: *\n"
     "* does not let a thread be made in it\n"
     "* did not load the agent in time\n"
     "* was not left in time: *\n"
     "the agent cannot be loaded into *\n"
     "* keeps handlers of signals that do nothing any more"},
    {"GX-0506", "Another recording is in the process, of this or another version.",
     "Wait for its end; what another version left behind goes when the program is restarted.",
     "* is being recorded by gprof-x already\n"
     "* has the agent of another version of gprof-x in it"},
    {"GX-0507",
     "The process lives in another container and cannot reach the memory of the recorder.",
     "Run gprof-x inside of its container; gprof-x-cluster(7) has the ways.",
     "* cannot reach the recorder's memory (another network and PID namespace)"},

    // Comparisons, baselines, pipelines.
    {"GX-0601", "A rule of --fail-on or of a file of rules cannot be read at the marked place.",
     "gprof-x-diff(1) has the rules; quote them, as > is of the shell.",
     "in this rule: *\n"
     "in line * of *: *"},
    {"GX-0602", "A suppression has come to its date.",
     "Its owner sets another date, or takes it out.",
     "the suppression of '*' in line * of * ended on *"},
    {"GX-0603", "There are too few runs to say how sure a difference is.",
     "Record more runs of each version; five pairs are a good number.",
     "--aa needs * runs of one version or more, got *"},
    {"GX-0604", "A baseline of this name is not there, or no such name can be.",
     "gprof-x ci baseline list shows what is there, save makes one.",
     "there is no baseline '*' in *\n"
     "'*' is no name *\n"
     "'*' holds no baselines\n"
     "'*' has several baselines: *\n"
     "'*' holds no version\n"
     "the baseline '*' would be too large to be read again"},
    {"GX-0605", "A run of the job failed, so its times say nothing.",
     "Look into the output that the line names; --ignore-failures goes on without such runs.",
     "the * failed with status *"},
    {"GX-0606", "These profiles hold the same recording twice, or values in different units.",
     "Name each recording once; merge profiles of one version of gprof-x.",
     "a profile cannot be merged with itself\n"
     "the recording is in the profile already: it would count twice\n"
     "both profiles hold a recording that the other one has, too, besides others\n"
     "metric * is in * in one profile and in * in the other"},

    // Queries of a recording.
    {"GX-0701", "Nothing in the recording has this name or number.",
     "The line says what there is; report --top and --tree list names.",
     "no function * in this profile\n"
     "no metric '*' in this profile\n"
     "this profile has no metric *\n"
     "* is a function that this view leaves out\n"
     "there is no row *\n"
     "there is no shard *\n"
     "there is no finding *\n"
     "there is no analysis *\n"
     "no kernel * with PC samples\n"
     "* is in the names of * kernels"},
    {"GX-0702", "The part that was asked for is not in the recording.",
     "The line says from where to where it goes; --phase all shows everything.",
     "no steps were found in this recording\n"
     "there are no steps * to * in this recording\n"
     "there is nothing from * to * in this recording\n"
     "this recording has no phase '*'\n"
     "--range * is empty\n"
     "--steps * are none"},
    {"GX-0703", "The recording lacks what this answer is made of.",
     "Record again as the line says; gprof-x doctor tells what the machine allows.",
     "this recording has no timeline, *\n"
     "'*' has no timeline, *\n"
     "what this profile was imported from has no times, *\n"
     "GPU work of this recording was recorded for a part of the time, *\n"
     "this recording has no PC samples of GPU kernels\n"
     "--corrected needs what recording cost: *\n"
     "none of the files has GPU work to compare\n"
     "no work of a GPU is in '*'"},
    {"GX-0704", "This answer is about one recording, or about all ranks of a job at once.",
     "Name one profile, or the profiles of all ranks, as the line says.",
     "--corrected goes with one recording: *\n"
     "--forecast takes one recording, got *\n"
     "one rank only: *"},
    {"GX-0705", "A regular expression, or a change of --what-if, cannot be read.",
     "Quote it; expressions are those of grep -E, changes are listed in gprof-x-analyze(1).",
     "--focus *\n"
     "--ignore *\n"
     "'*' is no change for --what-if\n"
     "'*' of --what-if *"},

    // Forecasts.
    {"GX-0801", "The GPU is not known, or the recording does not say on which it was made.",
     "gprof-x forecast --devices lists what is known; --device FILE adds one, --from names one.",
     "unknown device '*'\n"
     "'*' does not say which GPU it ran on\n"
     "'*' ran on *\n"
     "* has no products in *"},
    {"GX-0802", "No forecast can be made of this model or recording.",
     "The line says what it lacks; gprof-x-forecast(1) tells what a graph and a case are.",
     "'*' has no backward pass\n"
     "a batch of * cannot be divided into * parts\n"
     "a step of '*' on * takes longer than anybody can wait: no forecast\n"
     "no forecast of '*'"},
    {"GX-0803", "The GPU could not be measured.",
     "Run it on a machine with a GPU, its driver and nothing else running.",
     "the GPU could not be measured in *\n"
     "the GPU was not measured to the end"},

    // Assistants and ranks.
    {"GX-0901", "An assistant asked for something that this server does not have or do.",
     "list_profiles names the profiles, the description of a tool its arguments.",
     "* has no argument *\n"
     "max_bytes takes *\n"
     "* needs *\n"
     "the answer cannot be cut to * bytes\n"
     "'*' is not in the folders of this server"},
    {"GX-0902", "The ranks of a job cannot talk to each other.",
     "Make gprofx-mpi with the cluster's mpicc, start all ranks by one mpirun, or run without it.",
     "another rank of the job is gone\n"
     "rank * sent what cannot be read\n"
     "one of several MPI ranks, but *\n"
     "* is set, but nobody answers there"},

    // The machine.
    {"GX-1001", "The machine has no memory or no process left for this.",
     "Raise the limits (ulimit -v, ulimit -u, the cgroup's), or ask for less at once.",
     "out of memory\n"
     "std::bad_alloc\n"
     "no memory to unpack '*'\n"
     "the memory does not suffice for '*'\n"
     "cannot map the samples of a process: *\n"
     "cannot make a pipe: *\n"
     "cannot start a process: *\n"
     "cannot make shared memory: *\n"
     "cannot size the shared memory: *\n"
     "cannot map the shared memory: *\n"
     "cannot read random numbers: *\n"
     "cannot make a socket: *\n"
     "cannot bind a socket: *\n"
     "* has no room for the recording\n"
     "the work was broken off"},

};

}  // namespace

std::span<const ErrorClass> ErrorCatalogue() { return kCatalogue; }

}  // namespace gprofx
