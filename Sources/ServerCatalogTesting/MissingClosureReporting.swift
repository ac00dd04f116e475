import CCatalogTestHook
import ServerCatalog
import Testing
import XCTest

/// Makes calls of missing repository closures fail the running test, with the closure's name.
///
/// It is called when a program that links this module is launched.
@_cdecl("server_catalog_testing_install")
func installMissingClosureReporting() {
    ServerRepository.setProblemHandler { problem in
        let message = problem.error.message
        guard Test.current == nil else {
            Issue.record(problem.error, Comment(rawValue: message))
            return
        }
        // The running test is an XCTest, or a task that a Swift Testing test detached. The other
        // framework ignores the call.
        XCTFail(message)
        Issue.record(problem.error, Comment(rawValue: message))
    }
}
