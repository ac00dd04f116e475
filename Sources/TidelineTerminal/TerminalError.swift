/// An error that prevents showing the screen on this terminal. Nothing on the terminal was changed.
public struct TerminalError: Error, Hashable, Sendable {
    /// A stable name of the kind of failure. New codes may be added.
    public struct Code: Hashable, Sendable {
        private let rawValue: String
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// There is no terminal: input or output is redirected, and `/dev/tty` doesn't exist.
        public static let notATerminal = Code("notATerminal")
        /// TERM is not set, or is a terminal type unknown to this machine.
        public static let unknownType = Code("unknownType")
        /// The terminal can't position the cursor, for example with TERM=dumb.
        public static let tooSimple = Code("tooSimple")
        /// The operating system or ncurses reported an error.
        public static let failed = Code("failed")
    }

    /// The code.
    public let code: Code
    /// The failure and how to fix it, as one sentence without a full stop.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// `EX_OSERR` for ``Code/failed``, otherwise `EX_USAGE`: the program can't run on this terminal
    /// as requested.
    public var exitCode: Int32 { code == .failed ? 71 : 64 }
}

extension TerminalError: CustomStringConvertible {
    public var description: String { message }
}
