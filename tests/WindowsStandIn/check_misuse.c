#include "check.h"
void check_misuse(void) { }
