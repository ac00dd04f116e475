#ifndef TIDELINE_CNCURSES_H
#define TIDELINE_CNCURSES_H

#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <locale.h>
#include <ncurses.h>
#include <stdio.h>
#include <wchar.h>

/* term.h defines macros with common names, so declare only the functions that are needed. */
extern char *tigetstr(const char *name);
extern int tigetnum(const char *name);
extern int setupterm(const char *type, int descriptor, int *error);

/* Swift can't import the macros of attributes, or the global variables of ncurses. */

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

/* Sets a cell of the screen: a character and its marks, followed by 0. The color pair is passed as
   an int, because the short argument of setcchar is too small for all pairs. */
static inline int tideline_set_cell(
    cchar_t *cell, const wchar_t *text, attr_t attributes, int pair) {
    return setcchar(cell, text, attributes, 0, &pair);
}

/* Redraws the whole screen at the next refresh, even the parts that ncurses considers unchanged. */
static inline void tideline_forget_screen(void) { clearok(curscr, TRUE); }

/* Whether the terminal restores its previous content when the program ends. */
static inline bool tideline_has_screen_of_its_own(void) {
    const char *leave = tigetstr("rmcup");
    return leave != NULL && leave != (const char *)-1;
}

#endif
