import Replication
public import TidelineCore

/// The store that the screen shows, and its state.
public struct SessionState: Sendable {
    let path: String
    /// The name in the header.
    let storeName: String
    /// The folder whose list of stores this store was opened from.
    let listing: String?
    /// The names of all open stores, and the index of this one.
    public let stores: Model.Stores
    /// The last reported status of the store and its devices.
    public internal(set) var status = SessionStatus(
        phase: .loading(stage: "opening", fraction: nil))
    {
        didSet { deviceColors.assign(status.devices.map(\.id.name)) }
    }
    var deviceColors: DeviceColors
    /// A number that grows with every change of the store. Data of older versions is out of date.
    var version = 0
}

extension SessionState {
    func name(of author: Author) -> String {
        status.devices.first { $0.id.name == author.name }?.shownName ?? author.name
    }

    /// Returns the role for an author's name. Each device has a different role.
    func role(of author: Author) -> Role { deviceColors.role(of: author.name) ?? .device }

    /// Returns the role of a text. The name of a device has the device's own role.
    ///
    /// - Parameter writer: The device that the text names, if known.
    func role(_ role: Role, of text: some StringProtocol, by writer: DeviceID? = nil) -> Role {
        guard role == .device else { return role }
        let named = writer ?? status.devices.first { $0.name == text || $0.id.name == text }?.id
        return named.map { self.role(of: .device($0)) } ?? .device
    }

    static let whyMissing = "the store was moved or deleted; showing its last known content"

    /// The devices whose files are incomplete or unreadable, as a reason for outdated values.
    var missingRows: String? {
        let partial = status.devices.filter {
            DeviceReport.State(rawValue: $0.state).map { $0 >= .incomplete } ?? false
        }
        guard let first = partial.first else { return nil }
        let subject =
            partial.count == 1
            ? "the file of \(name(of: .device(first.id))) is \(first.state)"
            : "the files of \(partial.count) devices are incomplete or unreadable"
        return "\(subject): values may be out of date"
    }

    /// The problems that don't belong to a device. A device's problems are shown next to it.
    var otherProblems: [String] {
        let known = status.devices.compactMap(\.problem)
        return status.problems.filter { text in !known.contains { text.hasSuffix($0) } }
    }

    /// The number of problems that the screen shows, including those of devices.
    var problemCount: Int { otherProblems.count + status.devices.count { $0.problem != nil } }
}

extension SessionStatus.Device {
    /// The name that the screen shows: the display name or, if there is none, the identifier.
    var shownName: String { name.isEmpty ? id.name : name }
}
