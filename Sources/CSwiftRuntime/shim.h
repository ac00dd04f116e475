#ifndef TIDELINE_CSWIFTRUNTIME_H
#define TIDELINE_CSWIFTRUNTIME_H

#include <stdbool.h>

/* Whether the last reference to a Swift object was released. This function belongs to the stable
   interface of the runtime (docs/Runtime.md of the compiler). Swift doesn't declare it. */
extern bool swift_isDeallocating(const void *object);

#endif
