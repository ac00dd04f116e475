#ifndef TIDELINE_CSQLITESETTINGS_H
#define TIDELINE_CSQLITESETTINGS_H
#include <sqlite3.h>

/* sqlite3_db_config is variadic, which Swift cannot call. */

/* Refuses writes to shadow tables and the schema, extensions, and tokenizers given by address. */
static inline void tideline_defend(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, (int *)0);
}

/* Sets whether a word in double quotes that names nothing is text, and returns what it was before. */
static inline int tideline_accept_quoted_text(sqlite3 *database, int accepts) {
    int before = 0;
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, -1, &before);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, accepts, (int *)0);
    return before;
}

#endif
