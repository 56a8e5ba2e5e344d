// Nothing but the precompiled header of the unit tests: CMake 3.25 writes one for a target only if
// a source of it takes the header.
