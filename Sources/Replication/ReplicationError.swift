import GRDB

/// What went wrong with a store package, a device's file in it, or a blob.
public struct ReplicationError: Error, Sendable {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// A string that cannot be a device identifier.
        public static let invalidDevice = Code("invalidDevice")
        /// Text that is not an instant, or an instant out of range.
        public static let invalidTimestamp = Code("invalidTimestamp")
        /// A time that no row can have: outside the years 1 to 9999.
        public static let timeOutOfRange = Code("timeOutOfRange")
        /// Nothing is there.
        public static let notFound = Code("notFound")
        /// Something is there that is not a store package, or not what it says.
        public static let notAPackage = Code("notAPackage")
        /// The file is not all there yet; reading it again later may succeed.
        public static let incomplete = Code("incomplete")
        /// The file cannot be read as what it should be.
        public static let unreadable = Code("unreadable")
        /// A device's folder, or a log in it, is a copy of another device's; see ``DeviceCopy``.
        public static let deviceCopy = Code("deviceCopy")
        /// A path that leads out of the package, or through a symbolic link.
        public static let unsafePath = Code("unsafePath")
        /// The operating system refused: permission.
        public static let noPermission = Code("noPermission")
        /// Something could not be created.
        public static let cannotCreate = Code("cannotCreate")
        /// The operating system or SQLite failed while reading or writing.
        public static let inputOutput = Code("inputOutput")
        /// The write is in the file, but the disk did not confirm it: a power failure may undo it.
        public static let unconfirmed = Code("unconfirmed")
        /// Another process keeps the file locked; trying again later may succeed.
        public static let busy = Code("busy")
        /// Larger than was asked for.
        public static let tooLarge = Code("tooLarge")
        /// The file was written by a newer version of the format.
        public static let newerFormat = Code("newerFormat")
    }

    /// The kind of failure, to switch on.
    public let code: Code
    /// What failed and why, as one sentence without a full stop.
    public let message: String
    /// The error underneath, where there is one.
    public let cause: (any Error)?
    /// The file or folder that it is about, where that is known.
    public let subject: String?
    /// Why; where the subject is known, without it.
    public let reason: String

    /// An error about no file in particular, or whose message names the file.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
        subject = nil
        reason = message
    }

    /// An error about a file or folder.
    ///
    /// - Parameter reason: What is wrong with it, as a clause.
    public init(_ code: Code, at path: String, _ reason: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = "\(path): \(reason)"
        self.cause = cause
        subject = path
        self.reason = reason
    }
}

extension ReplicationError: ExplainedError {
    /// What the code means to whoever asked; damaged and incomplete data is
    /// ``FailureKind/badData``.
    public var kind: FailureKind {
        switch code {
        case .invalidDevice, .invalidTimestamp, .unsafePath: .usage
        case .notFound: .noInput
        case .noPermission: .noPermission
        case .cannotCreate: .cannotCreate
        case .inputOutput, .busy: .inputOutput
        case .unconfirmed: .unconfirmed
        default: .badData
        }
    }

    /// What to do about a locked file or an unconfirmed write; `nil` for any other error.
    public var wayOut: String? {
        switch code {
        case .busy: "Try again when the other process has finished."
        case .unconfirmed: "Check the disk. A power failure may still undo it."
        default: nil
        }
    }

    /// The error for a change that is in the file at `path`, but that the disk did not confirm.
    ///
    /// - Parameters:
    ///   - change: What happened to the file, as a participle.
    ///   - cause: The failure of the system call that should have confirmed it.
    package init(unconfirmedAt path: String, _ change: String = "written", cause: any Error) {
        let reason =
            (cause as? any ExplainedError)?.reason ?? (cause as? DatabaseError)?.message
            ?? "\(cause)"
        self.init(
            .unconfirmed, at: path, "\(change), but the disk did not confirm it: \(reason)",
            cause: cause)
    }

    /// Whatever made reading a file fail, as an error of this kind.
    package init(reading error: any Error) {
        self =
            error as? ReplicationError
            ?? ReplicationError(.unreadable, "\(error)", cause: error)
    }
}

extension ReplicationError: CustomStringConvertible {
    public var description: String { message }
}

extension ReplicationError {
    /// What to do where this device's own log cannot be read, and so not be written.
    package static let wayOutOfUnreadableOwnLog =
        "Put a whole copy of the file in its place, or write as another device with --device."
}
