#ifndef CCatalogTestHook_h
#define CCatalogTestHook_h

/// Makes calls of missing closures fail the running test. ServerCatalogTesting implements it in
/// Swift.
void server_catalog_testing_install(void);

#endif
