#ifndef TIDELINE_CSQLITESETTINGS_H
#define TIDELINE_CSQLITESETTINGS_H
#include <sqlite3.h>

/* Swift can't call sqlite3_db_config, because it is variadic. */

/* Rejects writes to shadow tables and to the schema, extensions, and tokenizers that SQL passes by
   address. */
static inline void tideline_defend(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, (int *)0);
}

/* Sets whether unknown names in double quotes are strings. Returns the previous setting. */
static inline int tideline_accept_quoted_text(sqlite3 *database, int accepts) {
    int before = 0;
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, -1, &before);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, accepts, (int *)0);
    return before;
}

#endif
