import CCatalogTestHook
import ServerCatalog
import Testing
import XCTest

/// Makes calls of missing repository closures fail the running test, with the closure's name. In
/// Swift Testing, the failure is shown at the test.
///
/// The function is called when a program that links this module is launched.
@_cdecl("server_catalog_testing_install")
func installMissingClosureReporting() {
    ServerRepository.setProblemHandler { problem in
        let message = problem.error.message
        if let test = Test.current {
            Issue.record(
                problem.error, Comment(rawValue: message), sourceLocation: test.sourceLocation)
            return
        }
        // The caller is an XCTest, or a detached task of a Swift Testing test. Report to both
        // frameworks. The framework that runs no test ignores the report.
        XCTFail(message)
        Issue.record(problem.error, Comment(rawValue: message))
    }
}
