#include "CCatalogTestHook.h"

// Swift has no way to run code because a module is linked. A test that provides only some
// closures of a repository need not mention the test support at all, and must fail all the
// same when another one is called.
__attribute__((constructor)) static void install_at_launch(void) {
    server_catalog_testing_install();
}
