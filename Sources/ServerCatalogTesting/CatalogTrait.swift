public import ServerCatalog
public import Testing

/// A trait that gives tests a catalog in memory. Use it through ``CatalogTest/repository``.
///
/// ```swift
/// @Suite(.catalog(SampleServers(count: 300).servers()))
/// struct ListTests {
///     @Test func freeServersAreShown() throws {
///         let list = ServerList(CatalogTest.repository)
///         …
/// ```
public struct CatalogTrait: TestTrait, SuiteTrait, TestScoping {
    /// The tests that share a catalog.
    public enum Isolation: Hashable, Sendable {
        /// Each test has a separate catalog, and so does each case of a parameterized test.
        case test
        /// The tests of a suite share a catalog, which is released when the suite ends.
        case suite
    }

    let isolation: Isolation
    let servers: @Sendable () -> [VPNServer]

    /// Whether the trait applies to each test of the suite, which is the case if each test has a
    /// separate catalog.
    public var isRecursive: Bool { isolation == .test }

    /// Returns the trait if a catalog has to be created for this test or case. A catalog is created
    /// once for each case of a test, or once for a suite.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> CatalogTrait? {
        switch isolation {
        case .test: testCase == nil ? nil : self
        // If the trait is on a test and not on a suite, the cases of the test share a catalog.
        case .suite: testCase == nil ? self : nil
        }
    }

    /// Runs a test or a suite with a new catalog.
    ///
    /// - Throws: `ServerCatalogError` if a server can't be stored; errors of `function`.
    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let catalog = try CatalogTest.makeCatalog(servers())
        try await CatalogTest.$current.withValue(catalog) { try await function() }
    }
}

extension Trait where Self == CatalogTrait {
    /// Returns a trait that provides a catalog in memory that initially contains `servers`.
    ///
    /// - Parameter isolation: Whether each test has its own catalog, or the tests of a suite share
    ///   one.
    public static func catalog(
        _ servers: @autoclosure @escaping @Sendable () -> [VPNServer] = [],
        isolatedPer isolation: CatalogTrait.Isolation = .test
    ) -> CatalogTrait {
        CatalogTrait(isolation: isolation, servers: servers)
    }
}
