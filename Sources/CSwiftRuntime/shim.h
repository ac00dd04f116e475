#ifndef TIDELINE_CSWIFTRUNTIME_H
#define TIDELINE_CSWIFTRUNTIME_H

#include <stdbool.h>

/* Whether the last reference to an object of Swift is gone. Part of the runtime's stable interface
   (docs/Runtime.md of the compiler), which has no declaration in Swift. */
extern bool swift_isDeallocating(const void *object);

#endif
