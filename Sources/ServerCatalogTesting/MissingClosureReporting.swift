import CCatalogTestHook
import ServerCatalog
import Testing
import XCTest

/// Has missing closures of repositories fail the test that calls them, by their names.
///
/// Called at launch of every program that this module is linked into.
@_cdecl("server_catalog_testing_install")
func installMissingClosureReporting() {
    ServerRepository.setProblemHandler { problem in
        let message = problem.error.message
        guard Test.current == nil else {
            Issue.record(problem.error, Comment(rawValue: message))
            return
        }
        // Either an XCTest, or a task that a Swift Testing test detached: the one that is not
        // running ignores the call.
        XCTFail(message)
        Issue.record(problem.error, Comment(rawValue: message))
    }
}
