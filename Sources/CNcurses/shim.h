#ifndef TIDELINE_CNCURSES_H
#define TIDELINE_CNCURSES_H
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <locale.h>
#include <ncurses.h>
#endif
