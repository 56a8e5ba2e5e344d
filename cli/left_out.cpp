// Stubs that replace code of static libraries that gprof-x never uses, half a megabyte in all. If
// an archive has that code in separate members, as Debian's archives do, the linker takes the stubs
// and leaves these members out. If an archive is a single object, its own code stays. Linked into
// gprof-x only.

struct sqlite3;

extern "C" {

// Extensions that SQLite initializes with each database: full-text search, R-trees, tables about
// statements and pages. Files with views or virtual tables are rejected
// (formats/sqlite/hardened_sqlite.h), and files of gprof-x have none. 0 means success to SQLite.
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
