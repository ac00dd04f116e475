import Foundation
import Replication

/// The pane that lists the problems of a store's files.
final class DoctorPart: SessionPart {
    let panes: [Pane]
    private let problems: ProblemsSource
    private let writing: WriteAccess

    /// Creates the pane.
    ///
    /// - Parameters:
    ///   - own: The device whose files this machine can repair.
    ///   - isWritable: Whether versions of files can be deleted.
    ///   - knownStatuses: Returns the statuses of the logs that an open store has loaded.
    ///   - reports: The device reports of the open stores.
    init(
        _ path: String, own: DeviceID?, isWritable: Bool = false,
        models: [any DataModel] = DataModels.standard,
        knownStatuses: @escaping @Sendable (DatabaseKind) -> [DeviceStatus]? = { _ in nil },
        reports: @escaping @Sendable () -> [DeviceReport] = { [] }
    ) {
        writing = WriteAccess(as: own, isUnlocked: isWritable)
        problems = ProblemsSource(
            Doctor(path, own: own, models: models, knownStatuses: knownStatuses), writing,
            reports: reports)
        panes = [Pane(.problems, problems, in: .package)]
    }

    // The part never loads: files are checked when the pane is shown, and again after changes.
    var status: PartStatus {
        var status = PartStatus(phase: nil)
        guard let known = problems.known else { return status }
        status.counts = [.problems: known.count]
        status.findings = known
        return status
    }

    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        problems.onChange { emit(SessionEvent(.devices, date: Date())) }
    }
    func reload() async { problems.recheck() }
    func setWritable(_ isWritable: Bool) { writing.isUnlocked = isWritable }
    func devicesChanged() { problems.forget() }

    /// Notes that files of devices, or the journals next to them, have changed.
    func filesChanged(_ files: Set<DeviceFile>) { problems.noteChange(of: files) }
    func close() async {}
}

extension PaneID {
    /// The pane of file problems and their solutions.
    public static let problems = PaneID("problems", of: "doctor")
}
