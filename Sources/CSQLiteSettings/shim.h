#ifndef TIDELINE_CSQLITESETTINGS_H
#define TIDELINE_CSQLITESETTINGS_H
#include <sqlite3.h>

/* sqlite3_db_config is variadic, which Swift cannot call. */
static inline int tideline_defend(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

#endif
