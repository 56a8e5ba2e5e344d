// Defines stubs for half a megabyte of code in static libraries that gprof-x never uses. If a
// library has this code in object files of its own, as Debian's libraries do, the linker takes the
// stubs and leaves those files out. If a library is a single object file, its own code stays.
// Linked into gprof-x only.

struct sqlite3;

extern "C" {

// Extensions that SQLite initializes with each database: full-text search, R-trees, tables about
// statements and pages. gprof-x does not need them: it rejects files with views or virtual tables
// (formats/sqlite/hardened_sqlite.h). The stubs return 0, which means success.
int sqlite3Fts3Init(sqlite3*);
int sqlite3Fts5Init(sqlite3*);
int sqlite3RtreeInit(sqlite3*);
int sqlite3DbstatRegister(sqlite3*);
int sqlite3StmtVtabInit(sqlite3*);

int sqlite3Fts3Init(sqlite3*) { return 0; }
int sqlite3Fts5Init(sqlite3*) { return 0; }
int sqlite3RtreeInit(sqlite3*) { return 0; }
int sqlite3DbstatRegister(sqlite3*) { return 0; }
int sqlite3StmtVtabInit(sqlite3*) { return 0; }

// The disassemblers of elfutils, one for each machine. libdw contains them but never calls them; a
// call would fail.
int x86_64_disasm();
int i386_disasm();
int riscv_disasm();
int bpf_disasm();

int x86_64_disasm() { return -1; }
int i386_disasm() { return -1; }
int riscv_disasm() { return -1; }
int bpf_disasm() { return -1; }

}  // extern "C"
