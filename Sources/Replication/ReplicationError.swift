import GRDB

/// An error of a store package, a device's file in it, or a blob.
public struct ReplicationError: Error, Sendable {
    /// A stable name for the kind of failure. New codes can be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The string is not a valid device identifier.
        public static let invalidDevice = Code("invalidDevice")
        /// The text is not a date and time, or the time is out of range.
        public static let invalidTimestamp = Code("invalidTimestamp")
        /// A time that rows can't have: outside the years 1 to 9999.
        public static let timeOutOfRange = Code("timeOutOfRange")
        /// The file or folder doesn't exist.
        public static let notFound = Code("notFound")
        /// The item exists but is not a store package, or its contents are inconsistent.
        public static let notAPackage = Code("notAPackage")
        /// The file hasn't fully arrived. Reading it again later may succeed.
        public static let incomplete = Code("incomplete")
        /// The file is damaged or has an unexpected format.
        public static let unreadable = Code("unreadable")
        /// A device's folder, or a log in it, is a copy that belongs to another device. See
        /// ``DeviceCopy``.
        public static let deviceCopy = Code("deviceCopy")
        /// The path leads out of the package or through a symbolic link. The ``subject``, if any,
        /// is a link or special file in the place of a file of the package.
        public static let unsafePath = Code("unsafePath")
        /// The operating system denied permission.
        public static let noPermission = Code("noPermission")
        /// A file or folder could not be created.
        public static let cannotCreate = Code("cannotCreate")
        /// The operating system or SQLite failed while reading or writing.
        public static let inputOutput = Code("inputOutput")
        /// The write is in the file, but the disk didn't confirm it. A power failure may undo it.
        public static let unconfirmed = Code("unconfirmed")
        /// Another process holds a lock on the file. Trying again later may succeed.
        public static let busy = Code("busy")
        /// The file system doesn't support locks, so SQLite can't write to the file.
        public static let noLocks = Code("noLocks")
        /// The file is larger than the requested limit.
        public static let tooLarge = Code("tooLarge")
        /// The file was written by a newer version of the format.
        public static let newerFormat = Code("newerFormat")
    }

    /// The kind of failure.
    public let code: Code
    /// The failure and its reason, as one sentence without a full stop.
    public let message: String
    /// The underlying error, if any.
    public let cause: (any Error)?
    /// The file or folder that the error is about, if known.
    public let subject: String?
    /// The reason, without the subject if that is known.
    public let reason: String

    /// Creates an error that isn't about a single file, or whose message names the file.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
        subject = nil
        reason = message
    }

    /// Creates an error about a file or folder.
    ///
    /// - Parameter reason: The problem with the file, as a clause.
    public init(_ code: Code, at path: String, _ reason: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = "\(path): \(reason)"
        self.cause = cause
        subject = path
        self.reason = reason
    }
}

extension ReplicationError: ExplainedError {
    /// The general kind of failure. Damaged and incomplete data is ``ErrorCategory/badData``.
    public var category: ErrorCategory {
        switch code {
        case .invalidDevice, .invalidTimestamp: .invalidRequest
        case .unsafePath: subject == nil ? .invalidRequest : .badData
        case .notFound: .noSuchFile
        case .noPermission: .noPermission
        case .cannotCreate: .cannotCreate
        case .inputOutput, .busy, .noLocks: .inputOutput
        case .unconfirmed: .unconfirmed
        default: .badData
        }
    }

    /// The suggestion for a file that is locked or can't be locked, an unconfirmed write, or a copy
    /// of a device's folder; otherwise `nil`.
    public var suggestion: Suggestion? {
        switch code {
        case .deviceCopy: .mergeDeviceCopy
        case .busy: "try again when the other process has finished"
        case .noLocks: "mount the file system with support for locks, or write to another disk"
        case .unconfirmed: "check the disk: a power failure may still undo the write"
        default: nil
        }
    }

    /// Creates the error for a change that is in the file at `path`, although the disk didn't
    /// confirm it.
    ///
    /// - Parameters:
    ///   - change: What happened to the file, as a participle.
    ///   - cause: The failure of the system call that should have confirmed the change.
    package init(unconfirmedAt path: String, _ change: String = "written", cause: any Error) {
        let reason =
            (cause as? any ExplainedError)?.reason ?? (cause as? DatabaseError)?.message
            ?? "\(cause)"
        self.init(
            .unconfirmed, at: path, "\(change), but the disk did not confirm it: \(reason)",
            cause: cause)
    }

    /// Creates the error for a file whose file system doesn't support locks; returns `nil` if it
    /// supports them. SQLite doesn't distinguish missing locks from a lock of another process.
    package init?(missingLocksAt path: String) {
        guard SharedDescriptors.lacksLocks(path) else { return nil }
        self.init(.noLocks, at: path, "the file system doesn't support locks")
    }

    /// Creates an error of this type from any error thrown while reading a file.
    package init(reading error: any Error) {
        self =
            error as? ReplicationError
            ?? ReplicationError(.unreadable, "\(error)", cause: error)
    }
}
