#include "samplers/old_glibc.h"

GPROFX_OLD(dlsym, "2.2.5");
