#ifndef CCatalogTestHook_h
#define CCatalogTestHook_h

/// Made in Swift, by ServerCatalogTesting: has missing closures fail the running test.
void server_catalog_testing_install(void);

#endif
