#ifndef TIDELINE_CNCURSES_H
#define TIDELINE_CNCURSES_H

#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <locale.h>
#include <ncurses.h>
#include <stdio.h>
#include <wchar.h>

/* term.h is full of macros with everyday names; these three are all that is needed of it. */
extern char *tigetstr(const char *name);
extern int tigetnum(const char *name);
extern int setupterm(const char *type, int descriptor, int *error);

/* What Swift cannot see: attributes are shifted macros, the window is a global variable. */

static inline attr_t tideline_bold(void) { return A_BOLD; }
static inline attr_t tideline_dim(void) { return A_DIM; }
static inline attr_t tideline_italic(void) { return A_ITALIC; }
static inline attr_t tideline_underline(void) { return A_UNDERLINE; }
static inline attr_t tideline_reverse(void) { return A_REVERSE; }

static inline WINDOW *tideline_screen(void) { return stdscr; }
static inline int tideline_columns(void) { return COLS; }
static inline int tideline_rows(void) { return LINES; }
static inline int tideline_colors(void) { return COLORS; }
static inline int tideline_color_pairs(void) { return COLOR_PAIRS; }

/* A cell of the screen: a character and its marks, ended by 0. Pairs go over 255, which the
   short argument of setcchar cannot say. */
static inline int tideline_set_cell(
    cchar_t *cell, const wchar_t *text, attr_t attributes, int pair) {
    return setcchar(cell, text, attributes, 0, &pair);
}

/* Draws everything anew at the next refresh, whatever ncurses takes to be on the screen. */
static inline void tideline_forget_screen(void) { clearok(curscr, TRUE); }

/* Whether the terminal shows again what was on it before, once the program has ended. */
static inline bool tideline_has_screen_of_its_own(void) {
    const char *leave = tigetstr("rmcup");
    return leave != NULL && leave != (const char *)-1;
}

#endif
