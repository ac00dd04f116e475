#include "CBuildInformation.h"

#ifndef TIDELINE_COMMIT
#define TIDELINE_COMMIT ""
#endif

const char *tideline_commit(void) { return TIDELINE_COMMIT; }
