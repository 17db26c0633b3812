#include "check.h"
void check_limits(void) { }
