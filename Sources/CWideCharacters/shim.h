#ifndef TIDELINE_CWIDECHARACTERS_H
#define TIDELINE_CWIDECHARACTERS_H

#include <wchar.h>

/* libc declares this function only with _XOPEN_SOURCE. Swift imports libc without it. */
extern int wcwidth(wchar_t character);

/* Returns the columns of a character in the calling thread's locale; -1 if it isn't printable. */
static inline int tideline_wcwidth(wchar_t character) { return wcwidth(character); }

#endif
