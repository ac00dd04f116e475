public import Replication

/// The status of a store and of its devices at one moment.
public struct SessionStatus: Hashable, Sendable {
    /// How far opening has come.
    public enum Phase: Hashable, Sendable {
        /// `fraction` is `nil` while the amount of work is unknown.
        case loading(stage: String, fraction: Double?)
        /// All is read; what is written arrives.
        case live
        /// The package was moved or deleted; what was read stays visible.
        case gone
        /// It cannot be read, and why.
        case failed(SessionFailure)
    }

    /// How far opening has come.
    public var phase: Phase
    /// Whether edits are let through now.
    public var isWritable: Bool
    /// The device that writes go to as; `nil` where nothing can be written.
    public var ownDevice: DeviceID?
    /// Each device of the store.
    public var devices: [Device]
    /// The number of keys on which devices disagree.
    public var conflictCount: Int
    /// How many of these are of which data model, by the names of the models' panes
    /// (``PaneID/part``), as far as it is known.
    public var conflictsByPart: [String: Int] = [:]
    /// Whether these are all: nothing is left that was not looked at.
    public var hasCountedConflicts = true
    /// A count a pane, for tabs and the sidebar.
    public var counts: [PaneID: Int]
    /// What is wrong, each thing in one line.
    public var problems: [String]
    /// How many problems looking at all files has found, without notes; 0 before anybody looked.
    public var foundCount = 0
    /// What could not be written and is tried again; after closing, what is lost.
    public var unsaved: UnsavedChanges?

    /// A header to which the parts add what they know.
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
    /// What the parts of a store know, as one.
    ///
    /// - Complexity: O(*n*) in the number of devices and parts.
    init(_ parts: [PartStatus], isWritable: Bool) {
        let phases = parts.compactMap(\.phase)
        // The first part that is still at work, or failed, is what the header shows; that the
        // package is gone is true of all, whoever saw it first.
        let phase = phases.contains(.gone) ? .gone : phases.first { $0 != .live } ?? .live
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
        for part in parts where part.conflictCount > 0 {
            guard let name = part.counts.keys.first?.part else { continue }
            conflictsByPart[name, default: 0] += part.conflictCount
        }
        hasCountedConflicts = parts.allSatisfy(\.hasCountedConflicts)
        for part in parts {
            if let changes = part.unsaved { unsaved = unsaved + changes }
        }
    }
}

/// Changes that somebody made and that are not on disk.
public struct UnsavedChanges: Hashable, Sendable {
    /// What they are about: keys, edits of entities.
    public var subjects: [String]
    /// Why they could not be written.
    public var reason: String

    /// Changes with the reason why they wait.
    public init(subjects: [String], reason: String) {
        self.subjects = subjects
        self.reason = reason
    }

    /// Those of two parts of a store.
    static func + (lhs: Self?, rhs: Self) -> Self {
        guard let lhs else { return rhs }
        return Self(
            subjects: lhs.subjects + rhs.subjects,
            reason: lhs.reason == rhs.reason ? lhs.reason : "\(lhs.reason); \(rhs.reason)")
    }
}
