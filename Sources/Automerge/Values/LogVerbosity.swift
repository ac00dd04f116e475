/// The amount that a document would log if a system log were available.
///
/// This module doesn't log. Programs pass the level to initializers.
public enum LogVerbosity: Int, Comparable, Sendable {
    /// Errors only.
    case errorOnly = 3
    /// Errors and debugging messages.
    case debug = 6
    /// Errors, debugging messages and every step.
    case tracing = 8

    /// Returns whether `lhs` logs less than `rhs`.
    public static func < (lhs: LogVerbosity, rhs: LogVerbosity) -> Bool {
        lhs.rawValue < rhs.rawValue
    }

    /// Returns whether to log debugging messages.
    public func canDebug() -> Bool { self >= .debug }

    /// Returns whether to log trace messages.
    public func canTrace() -> Bool { self >= .tracing }
}
