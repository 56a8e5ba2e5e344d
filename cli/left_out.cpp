// Stubs for code that static libraries would bring in although gprof-x never uses it: half a
// megabyte. If an archive has this code in separate members, as Debian's archives do, the linker no
// longer pulls them in. An archive of a single object keeps its own code. Linked into gprof-x only.

struct sqlite3;

extern "C" {

// Extensions that SQLite initializes with each database: full-text search, R-trees, tables about
// statements and pages. Files with views or virtual tables are rejected
// (formats/sqlite/hardened_sqlite.h), and ours have none. 0 means success to SQLite.
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

// The disassemblers of elfutils, which libdw contains for each machine. No function of libdw calls
// them; a call would return failure.
int x86_64_disasm();
int i386_disasm();
int riscv_disasm();
int bpf_disasm();

int x86_64_disasm() { return -1; }
int i386_disasm() { return -1; }
int riscv_disasm() { return -1; }
int bpf_disasm() { return -1; }

}  // extern "C"
