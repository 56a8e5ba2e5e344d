// Measures the rates that a GPU sustains. Used only in gprofx-foreign.
#pragma once

// Prints the measurements of GPU number `ordinal`, one per line: a name, a blank and a value. A
// line "error TEXT" or "no_products TEXT" says what could not be measured. `cublas` are the paths
// of cuBLAS to try, terminated by NULL.
void MeasureDevice(int ordinal, char** cublas);
