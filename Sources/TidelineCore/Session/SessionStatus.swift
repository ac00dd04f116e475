public import Replication

/// The status of a store and its devices at one moment.
public struct SessionStatus: Hashable, Sendable {
    /// The progress of opening.
    public enum Phase: Hashable, Sendable {
        /// Loading. `fraction` is `nil` while the total is unknown.
        case loading(stage: String, fraction: Double?)
        /// Loaded, and watching for changes.
        case live
        /// The package was moved or deleted. The rows read so far stay visible.
        case missing
        /// Loading failed, for this reason.
        case failed(SessionFailure)
    }

    /// The progress of opening.
    public var phase: Phase
    /// Whether writing is unlocked.
    public var isWritable: Bool
    /// The writing device; `nil` if nothing can be written.
    public var ownDevice: DeviceID?
    /// The devices of the store.
    public var devices: [Device]
    /// The number of conflicts.
    public var conflictCount: Int
    /// Whether the conflict counts are complete.
    public var hasCountedConflicts = true
    /// The number of rows per pane, for tabs and the sidebar.
    public var counts: [PaneID: Int]
    /// All problems, one line each.
    public var problems: [String]
    /// The number of problems found by the file check, without notes; 0 before the first check.
    public var foundCount = 0
    /// The changes that couldn't be written and are retried. After closing, the lost changes.
    public var unsaved: UnsavedChanges?

    /// Creates a status.
    public init(
        phase: Phase, isWritable: Bool = false, ownDevice: DeviceID? = nil,
        devices: [Device] = [], conflictCount: Int = 0, counts: [PaneID: Int] = [:],
        problems: [String] = []
    ) {
        self.phase = phase
        self.isWritable = isWritable
        self.ownDevice = ownDevice
        self.devices = devices
        self.conflictCount = conflictCount
        self.counts = counts
        self.problems = problems
    }
}

extension SessionStatus {
    /// Merges the status of all parts.
    ///
    /// - Complexity: O(*n*) in the number of devices and parts.
    init(_ parts: [PartStatus], isWritable: Bool) {
        let phases = parts.compactMap(\.phase)
        // The header shows the first part that is still loading or has failed. A missing package
        // concerns all parts, even if only one part has detected this.
        let phase = phases.contains(.missing) ? .missing : phases.first { $0 != .live } ?? .live
        self.init(
            phase: phase, isWritable: isWritable,
            ownDevice: parts.lazy.compactMap(\.ownDevice).first,
            devices: Device.merging(parts),
            conflictCount: parts.reduce(0) { $0 + $1.conflictCount },
            counts: parts.reduce(into: [:]) { counts, part in
                counts.merge(part.counts) { first, _ in first }
            })
        problems = devices.flatMap { device in
            device.problems.map { "\(device.name): \($0)" }
        }
        problems += parts.flatMap(\.problems)
        foundCount = parts.flatMap { $0.findings ?? [] }.count { $0.severity > .note }
        hasCountedConflicts = parts.allSatisfy(\.hasCountedConflicts)
        for part in parts {
            if let changes = part.unsaved { unsaved = unsaved + changes }
        }
    }
}

/// Changes that aren't on disk.
public struct UnsavedChanges: Hashable, Sendable {
    /// The changed items: keys, edits of entities.
    public var subjects: [String]
    /// The reason why the changes couldn't be written.
    public var reason: String

    /// Merges the changes of two parts.
    static func + (lhs: Self?, rhs: Self) -> Self {
        guard let lhs else { return rhs }
        return Self(
            subjects: lhs.subjects + rhs.subjects,
            reason: lhs.reason == rhs.reason ? lhs.reason : "\(lhs.reason); \(rhs.reason)")
    }
}
