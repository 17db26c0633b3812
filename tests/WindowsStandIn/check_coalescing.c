#include "check.h"
void check_coalescing(void) { }
