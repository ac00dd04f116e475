#ifndef TIDELINE_CWIDECHARACTERS_H
#define TIDELINE_CWIDECHARACTERS_H

#include <wchar.h>

/* libc declares it only for _XOPEN_SOURCE, which the module that Swift imports is built without. */
extern int wcwidth(wchar_t character);

/* The columns of a character in the locale of the calling thread; -1: not printable. */
static inline int tideline_wcwidth(wchar_t character) { return wcwidth(character); }

#endif
