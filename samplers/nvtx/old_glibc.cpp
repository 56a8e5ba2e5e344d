#include "samplers/old_glibc.h"

GPROFX_OLD(dlsym);
