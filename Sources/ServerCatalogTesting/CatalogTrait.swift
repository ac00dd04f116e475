public import ServerCatalog
public import Testing

/// Gives tests a catalog in memory, reached by ``CatalogTest/repository``.
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

    /// If each test has a separate catalog, the trait applies to the tests of the suite.
    public var isRecursive: Bool { isolation == .test }

    /// Returns the trait if a catalog has to be created here. A catalog is created once for each
    /// case of a test, or once for a suite.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> CatalogTrait? {
        switch isolation {
        case .test: testCase == nil ? nil : self
        // A test with this trait outside a suite has its own catalog.
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
    /// - Parameter isolation: Whether each test or each suite has its own catalog.
    public static func catalog(
        _ servers: @autoclosure @escaping @Sendable () -> [VPNServer] = [],
        isolatedPer isolation: CatalogTrait.Isolation = .test
    ) -> CatalogTrait {
        CatalogTrait(isolation: isolation, servers: servers)
    }
}
