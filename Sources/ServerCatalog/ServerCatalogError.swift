/// An error of a server catalog, or of a file imported into one.
public struct ServerCatalogError: Error, Sendable {
    /// A stable name for the kind of failure. New codes can be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The program called a repository closure that wasn't provided.
        public static let notProvided = Code("notProvided")
        /// The database was written by a newer version with unknown migrations.
        public static let newerSchema = Code("newerSchema")
        /// The file exists but is not a server catalog.
        public static let notACatalog = Code("notACatalog")
        /// The file doesn't exist.
        public static let notFound = Code("notFound")
        /// The imported file doesn't have the expected JSON structure. Nothing was imported.
        public static let badFile = Code("badFile")
        /// The file to import can't be read. Nothing was imported.
        public static let unreadableFile = Code("unreadableFile")
        /// Another write has changed the same servers since they were read. Nothing was written.
        public static let changedSinceRead = Code("changedSinceRead")
        /// The database is damaged.
        public static let damaged = Code("damaged")
        /// The file hasn't fully arrived. A later attempt can succeed.
        public static let incomplete = Code("incomplete")
        /// Another process has locked the database. A later attempt can succeed.
        public static let busy = Code("busy")
        /// The catalog is closed.
        public static let closed = Code("closed")
        /// The catalog is open for reading only.
        public static let readOnly = Code("readOnly")
        /// Permission was denied.
        public static let noPermission = Code("noPermission")
        /// A file could not be created.
        public static let cannotCreate = Code("cannotCreate")
        /// The operating system or SQLite failed while reading or writing.
        public static let inputOutput = Code("inputOutput")
        /// The change was written, but the disk did not confirm it.
        public static let unconfirmed = Code("unconfirmed")
    }

    /// The kind of failure.
    public let code: Code
    /// The failure and its reason, as one sentence without a full stop.
    public let message: String
    /// The underlying error, if any.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension ServerCatalogError: CustomStringConvertible {
    public var description: String { message }
}
