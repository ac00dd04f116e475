import Replication

/// Whether an action is possible. If not, there is a reason, such as a locked store.
public enum Availability: Hashable, Sendable {
    case available
    case unavailable(because: String)

    static let withoutDevice = "writing needs a device: start with --device"
    static let locked = "read-only; press w to unlock"
    static let readOnlyKind = "files of this kind are read-only"

    /// Returns whether a part of a store can be written. All parts share this rule.
    ///
    /// - Parameters:
    ///   - isWritable: Whether the user has unlocked writing.
    ///   - problem: A reason that prevents writing even if it is unlocked.
    static func writing(
        as device: DeviceID?, isWritable: Bool, unless problem: String? = nil
    ) -> Self {
        guard device != nil else { return .unavailable(because: withoutDevice) }
        if let problem { return .unavailable(because: problem) }
        return isWritable ? .available : .unavailable(because: locked)
    }

    /// Returns the same availability for several kinds of edit.
    public func of(_ kinds: EditKind...) -> [EditKind: Availability] {
        Dictionary(keepingFirst: kinds.map { ($0, self) })
    }
}
