import Foundation
import TidelineCore

/// A rule of the configuration for resolving conflicts: the names to which it applies, and the side
/// to keep.
struct ResolutionRule: Hashable, Sendable {
    /// The method by which a rule resolves a conflict.
    enum Way: Hashable, Sendable {
        case newest
        /// Merges automatically, if the changes don't overlap.
        case merge
        /// Keeps the value of a device, by its shown name or identifier.
        case device(String)
    }

    /// The names as written in the configuration.
    let names: String
    private let pattern: Pattern
    let way: Way

    /// Creates a rule from a line of the configuration: `note/*/title: as desk`.
    ///
    /// - Parameters:
    ///   - pattern: The names, with `*` for any characters. Properties are named as in the list of
    ///     conflicts: `ROW › PROPERTY`.
    ///   - way: `newest`, `merge`, or `as` and a device.
    /// - Returns: `nil` if `way` is invalid.
    init?(_ pattern: String, _ way: String) {
        names = pattern
        self.pattern = Pattern(pattern)
        switch way {
        case "newest": self.way = .newest
        case "merge": self.way = .merge
        default:
            let name = way.dropFirst(3).trimmingCharacters(in: .whitespaces)
            guard way.hasPrefix("as "), !name.isEmpty else { return nil }
            self.way = .device(name)
        }
    }

    /// Returns whether the rule applies to a conflict.
    func applies(to name: String) -> Bool { pattern.matches(name) }
}
