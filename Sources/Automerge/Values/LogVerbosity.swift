/// How much a document would log where a system log is at hand.
///
/// Nothing is logged by this module; programs pass it to initialisers.
public enum LogVerbosity: Int, Comparable, Sendable {
    /// Errors only.
    case errorOnly = 3
    /// What helps to find a mistake, too.
    case debug = 6
    /// Every step, too.
    case tracing = 8

    /// Whether `lhs` says less.
    public static func < (lhs: LogVerbosity, rhs: LogVerbosity) -> Bool {
        lhs.rawValue < rhs.rawValue
    }

    /// Whether debugging messages are wanted.
    public func canDebug() -> Bool { self >= .debug }

    /// Whether trace messages are wanted.
    public func canTrace() -> Bool { self >= .tracing }
}
