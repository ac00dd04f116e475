import Foundation
public import Replication

/// A rule of the configuration for resolving conflicts: the names to which it applies, and the side
/// to keep.
public struct ResolutionRule: Hashable, Sendable {
    /// The method by which a rule resolves a conflict.
    public enum Way: Hashable, Sendable {
        case newest
        /// Merges automatically, if the changes don't overlap.
        case merge
        /// Keeps the value of a device, by its shown name or identifier.
        case device(String)
    }

    /// The names as written in the configuration.
    public let names: String
    private let pattern: Pattern
    /// The method.
    public let way: Way

    /// Creates a rule from a line of the configuration: `note/*/title: as desk`.
    ///
    /// - Parameters:
    ///   - pattern: The names, with `*` for any characters. Properties are named as in the list of
    ///     conflicts: `ROW › PROPERTY`.
    ///   - way: `newest`, `merge`, or `as` and a device.
    /// - Returns: `nil` if `way` is invalid.
    public init?(_ pattern: String, _ way: String) {
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
    ///
    /// - Parameter name: The name of the row or property in conflict.
    public func applies(to name: String) -> Bool { pattern.matches(name) }
}

/// The rules of a configuration for the conflicts of a store.
public struct StoreRules: Hashable, Sendable {
    /// A rule, and the way in which it resolves conflicts of the store.
    public struct Rule: Hashable, Sendable {
        /// The rule.
        public var rule: ResolutionRule
        /// The way, with the device that the rule names.
        public var way: ResolutionWay
    }

    /// The rules. The first rule that applies to a conflict decides.
    public private(set) var rules: [Rule] = []
    /// The rules that are left out because their device doesn't exist, with the reasons.
    public private(set) var problems: [String] = []

    /// Finds the devices that rules name.
    ///
    /// - Parameters:
    ///   - devices: The devices of the store. Other authors can also have conflicting values.
    ///   - name: Returns the display name of an author.
    public init(
        _ rules: [ResolutionRule], for rows: [ConflictedRow], devices: [DeviceID],
        name: (Author) -> String
    ) {
        let authors = Set(rows.lazy.flatMap(\.conflicts).flatMap(\.sides).map(\.author))
            .union(devices.map(Author.device))
        for rule in rules {
            switch rule.way {
            case .newest: self.rules.append(Rule(rule: rule, way: .newest))
            case .merge: self.rules.append(Rule(rule: rule, way: .merge))
            case .device(let device):
                let named = Self.authors(named: device, among: authors, name)
                if let author = named.first, named.count == 1 {
                    self.rules.append(Rule(rule: rule, way: .author(author)))
                } else {
                    let reason = named.isEmpty ? "no device" : "several devices are named"
                    problems.append("rule \(rule.names): \(reason) \(device)")
                }
            }
        }
    }

    /// Returns the author with this identifier or, if there is none, the authors with this name.
    private static func authors(
        named device: String, among authors: Set<Author>, _ name: (Author) -> String
    ) -> [Author] {
        if let author = authors.first(where: { $0.name == device }) { return [author] }
        return authors.filter { name($0) == device }
    }
}
