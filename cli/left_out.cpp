// Takes the place of what archives would bring along though nothing here uses it: half a megabyte.
// Where an archive has it as members of their own, as Debian's do, the linker asks for none of them
// any more; an archive of a single object keeps its own. Linked into gprof-x only.

struct sqlite3;

extern "C" {

// What SQLite starts with each database: full-text search, R-trees, tables about statements and
// pages. A file with views or virtual tables is refused (formats/sqlite/hardened_sqlite.h), and
// ours have none. SQLite takes 0 for done.
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

// The disassemblers of elfutils, which libdw keeps for each machine and no function of it calls:
// whoever did would learn that it failed.
int x86_64_disasm();
int i386_disasm();
int riscv_disasm();
int bpf_disasm();

int x86_64_disasm() { return -1; }
int i386_disasm() { return -1; }
int riscv_disasm() { return -1; }
int bpf_disasm() { return -1; }

}  // extern "C"
