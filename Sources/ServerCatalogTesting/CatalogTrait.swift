public import ServerCatalog
import ServerCatalogGRDB
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
    /// Which tests see each other's changes.
    public enum Isolation: Hashable, Sendable {
        /// None: each has its own catalog, and each case of a parameterized test does.
        case test
        /// Those of one suite, which share a catalog. It is given up with the suite.
        case suite
    }

    let isolation: Isolation
    let servers: @Sendable () -> [VPNServer]

    /// A suite hands the trait on to its tests if each is to have its own catalog.
    public var isRecursive: Bool { isolation == .test }

    /// The trait itself where a catalog is to be made: for each case of a test, or once for a
    /// suite.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> CatalogTrait? {
        switch isolation {
        case .test: testCase == nil ? nil : self
        // On a lone test, it is that test's.
        case .suite: testCase == nil ? self : nil
        }
    }

    /// Runs a test, or a suite, with a new catalog.
    ///
    /// - Throws: `ServerCatalogError` if a server cannot be stored; what `function` throws.
    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let catalog = try CatalogTest.makeCatalog(servers())
        try await CatalogTest.$current.withValue(catalog) { try await function() }
    }
}

extension Trait where Self == CatalogTrait {
    /// A catalog in memory that has `servers` in it at first.
    ///
    /// - Parameter isolation: Whether each test or each suite has one of its own.
    public static func catalog(
        _ servers: @autoclosure @escaping @Sendable () -> [VPNServer] = [],
        isolatedPer isolation: CatalogTrait.Isolation = .test
    ) -> CatalogTrait {
        CatalogTrait(isolation: isolation, servers: servers)
    }
}
