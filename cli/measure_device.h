// Measures a GPU, for gprofx-foreign.
#pragma once

// Prints measurements of GPU `ordinal`, one per line: a name, a blank and a value. "error TEXT" and
// "no_products TEXT" report what could not be measured. `cublas`: libraries to try, terminated by
// NULL.
void MeasureDevice(int ordinal, char** cublas);
