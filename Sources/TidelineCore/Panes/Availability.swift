import Replication

/// Whether something can be done, and if not, why: `read-only: press w`.
public enum Availability: Hashable, Sendable {
    case available
    case unavailable(because: String)

    /// Whether a part of a store can be written: the one rule for all of them.
    ///
    /// - Parameters:
    ///   - device: Who would write.
    ///   - isWritable: Whether a person allows it now.
    ///   - problem: Why nothing can be written here whatever is allowed.
    static func writing(
        as device: DeviceID?, isWritable: Bool, unless problem: String? = nil
    ) -> Self {
        guard device != nil else {
            return .unavailable(because: "no device to write as: start with --device")
        }
        if let problem { return .unavailable(because: problem) }
        return isWritable ? .available : .unavailable(because: "read-only: press w")
    }

    /// The same for each of some kinds of edit.
    public func of(_ kinds: EditKind...) -> [EditKind: Availability] {
        Dictionary(kinds.map { ($0, self) }, uniquingKeysWith: { first, _ in first })
    }
}
