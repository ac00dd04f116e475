import Foundation
import Replication
import Yams

/// The user's own keys: `tideline/keys.yaml` in XDG_CONFIG_HOME or `~/.config`.
///
/// ```yaml
/// down: [j, Down]
/// filter: F7        # one key needs no list
/// delete: []        # no key at all
/// ```
public struct KeymapFile: Sendable {
    /// A file of more bytes names more keys than there are.
    private static let sizeLimit: Int64 = 1 << 20

    /// Where the file would be; `nil` without a home.
    public let path: String?

    public init(environment: [String: String]) {
        if let config = environment["XDG_CONFIG_HOME"], config.hasPrefix("/") {
            path = config + "/tideline/keys.yaml"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            path = home + "/.config/tideline/keys.yaml"
        } else {
            path = nil
        }
    }

    /// The standard keys with those of the file.
    ///
    /// - Returns: Also what in the file could not be used; the rest of it is.
    public func keymap() -> (keymap: Keymap, problems: [String]) {
        guard let path else { return (.standard, []) }
        let data: Data
        do {
            data = try WholeFile.read(path, limit: Self.sizeLimit)
        } catch {
            return (.standard, error.code == .notFound ? [] : [error.message])
        }
        guard let text = String(data: data, encoding: .utf8) else {
            return (.standard, ["\(path) is not text"])
        }
        let (overrides, problems) = Self.overrides(in: text)
        let result = Keymap.standard(overriddenBy: overrides)
        return (result.keymap, (problems + result.problems).map { "\(path): \($0)" })
    }

    static func overrides(in text: String) -> ([String: [String]], [String]) {
        let node: Node?
        do {
            node = try Yams.compose(yaml: text)
        } catch {
            return ([:], ["not YAML: \(error)"])
        }
        guard let node else { return ([:], []) }
        guard case .mapping(let mapping) = node else {
            return ([:], ["each line must be an action, a colon and its keys"])
        }
        var overrides: [String: [String]] = [:]
        var problems: [String] = []
        for (key, value) in mapping {
            guard let name = key.scalar?.string else { continue }
            switch value {
            case .scalar(let scalar): overrides[name] = scalar.string.isEmpty ? [] : [scalar.string]
            case .sequence(let keys): overrides[name] = keys.compactMap { $0.scalar?.string }
            default: problems.append("\(name): its keys must be a list")
            }
        }
        return (overrides, problems)
    }
}
