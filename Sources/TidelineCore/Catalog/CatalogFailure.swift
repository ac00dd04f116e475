public import Replication
public import ServerCatalog

/// An error of a catalog, with a hint that names the store.
public struct CatalogFailure: ExplainedError {
    /// The general kind of failure.
    public let category: ErrorCategory
    /// The reason, as a clause without a full stop.
    public let reason: String
    /// A suggestion for rebuilding the catalog; `nil` if that wouldn't help, or if it is unclear
    /// whether the file is a catalog.
    public let suggestion: Suggestion?

    init(_ category: ErrorCategory, _ reason: String) {
        self.category = category
        self.reason = reason
        suggestion = nil
    }

    /// Creates the failure for an error of a catalog.
    ///
    /// - Parameter store: The path of the catalog, or of the package that contains it.
    public init(_ error: ServerCatalogError, of store: String) {
        category = error.category
        reason = error.message
        // Put the command first, because the end of a long line is cut off.
        suggestion =
            [.newerSchema, .damaged].contains(error.code)
            ? "tideline servers create --rebuild \(store) creates a new one and keeps the old file"
            : nil
    }

    /// The reason and the hint in one line.
    public var description: String { suggestion.map { "\(reason); \($0.text)" } ?? reason }

    /// Runs `body` on the catalog of a store and adds a hint to its errors.
    ///
    /// - Parameter store: The path of the catalog, or of the package that contains it.
    /// - Throws: ``CatalogFailure``; any other error of `body`.
    public static func explaining<Value>(
        _ store: String, _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let error as ServerCatalogError {
            throw CatalogFailure(error, of: store)
        }
    }
}
