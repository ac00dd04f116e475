#include "CCatalogTestHook.h"

// Swift can't run code at the launch of a program that links a module. A test that provides only
// some closures of a repository must fail if it calls another closure, even if the test doesn't
// use the module ServerCatalogTesting otherwise.
__attribute__((constructor)) static void install_at_launch(void) {
    server_catalog_testing_install();
}
