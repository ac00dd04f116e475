public import Replication
public import ServerCatalog

/// Why a catalog cannot be read or written, with the way out that its place gives.
public struct CatalogFailure: ExplainedError, CustomStringConvertible {
    /// What it means to whoever asked.
    public let kind: FailureKind
    /// Why, as a clause without a full stop.
    public let reason: String
    /// How the catalog is begun anew; `nil` where that would not help, or where nobody can tell
    /// that the file is a catalog at all.
    public let wayOut: String?

    init(_ kind: FailureKind, _ reason: String) {
        self.kind = kind
        self.reason = reason
        wayOut = nil
    }

    /// - Parameter store: The path of the catalog, or of the package that it is in.
    public init(_ error: ServerCatalogError, of store: String) {
        kind = error.kind
        reason = error.message
        // The command comes first: it is what must be seen of a line that is cut.
        wayOut =
            [.newerSchema, .damaged].contains(error.code)
            ? "tideline servers create --rebuild \(store) "
                + "begins anew and keeps the old file beside it"
            : nil
    }

    /// Both, in a line.
    public var description: String { wayOut.map { "\(reason); \($0)" } ?? reason }

    /// What `body` returns of the catalog of a store; an error of the catalog knows the way out.
    ///
    /// - Throws: ``CatalogFailure``; anything else that `body` throws.
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
