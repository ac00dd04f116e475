/// Why the screen cannot be shown on this terminal. Nothing was changed on it.
public struct TerminalError: Error, Hashable, Sendable {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// There is no terminal: input or output goes elsewhere, and there is no `/dev/tty`.
        public static let notATerminal = Code("notATerminal")
        /// TERM is not set, or names a terminal that this machine does not know.
        public static let unknownType = Code("unknownType")
        /// The terminal cannot place the cursor, as TERM=dumb.
        public static let tooSimple = Code("tooSimple")
        /// The operating system or ncurses refused.
        public static let failed = Code("failed")
    }

    public let code: Code
    /// What failed and how to mend it, as one sentence without a full stop.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// EX_USAGE: the program was started where it cannot run as asked.
    public var exitCode: Int32 { code == .failed ? 71 : 64 }
}

extension TerminalError: CustomStringConvertible {
    public var description: String { message }
}
