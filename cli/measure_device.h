// The part of gprofx-foreign that measures a GPU.
#pragma once

// Prints what was measured on GPU `ordinal`, a line each: a name, a blank and a value. "error TEXT"
// and "no_products TEXT" say what could not be. `cublas`: libraries to try, ended by NULL.
void MeasureDevice(int ordinal, char** cublas);
