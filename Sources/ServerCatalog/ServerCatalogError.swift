/// What went wrong with a server catalog, or with a file imported into one.
public struct ServerCatalogError: Error, Sendable {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// A repository's closure was called that nobody provided.
        public static let notProvided = Code("notProvided")
        /// The database was written by a newer version, whose migrations are unknown here.
        public static let newerSchema = Code("newerSchema")
        /// The file is there, but it is not a server catalog.
        public static let notACatalog = Code("notACatalog")
        /// Nothing is there.
        public static let notFound = Code("notFound")
        /// The imported file is not the JSON that it should be; nothing was imported.
        public static let badFile = Code("badFile")
        /// The file to import cannot be read; nothing was imported.
        public static let unreadableFile = Code("unreadableFile")
        /// The database is damaged.
        public static let damaged = Code("damaged")
        /// Another process holds the database; trying again later may succeed.
        public static let busy = Code("busy")
        /// The catalog has been closed.
        public static let closed = Code("closed")
        /// The catalog was opened for reading only.
        public static let readOnly = Code("readOnly")
        /// Permission was refused.
        public static let noPermission = Code("noPermission")
        /// A file could not be created.
        public static let cannotCreate = Code("cannotCreate")
        /// The operating system or SQLite failed while reading or writing.
        public static let inputOutput = Code("inputOutput")
        /// The change is in the file, but the disk did not confirm it.
        public static let unconfirmed = Code("unconfirmed")
    }

    /// The kind of failure, to switch on.
    public let code: Code
    /// What failed and why, as one sentence without a full stop.
    public let message: String
    /// The error underneath, where there is one.
    public let cause: (any Error)?

    /// An error of a kind, with its explanation.
    ///
    /// - Parameter message: What failed and why, as one sentence without a full stop.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension ServerCatalogError: CustomStringConvertible {
    public var description: String { message }
}
