import Foundation
import Replication

/// The pane of what is wrong with a store's files.
final class DoctorPart: SessionPart {
    let panes: [Pane]
    private let problems: ProblemsSource

    /// - Parameters:
    ///   - own: The device whose files can be mended from here.
    ///   - logStatuses: How the open store gets on with its logs; `nil` while it reads them.
    ///   - reports: What the open stores have of each device.
    init(
        _ path: String, own: DeviceID?,
        logStatuses: @escaping @Sendable () -> [DeviceStatus]? = { nil },
        reports: @escaping @Sendable () -> [DeviceReport] = { [] }
    ) {
        problems = ProblemsSource(
            Doctor(path, own: own, logStatuses: logStatuses), reports: reports)
        panes = [Pane(.problems, problems)]
    }

    // There is nothing to wait for: files are looked at when somebody looks, and again once one of
    // them is in another state.
    var status: PartStatus {
        var status = PartStatus(phase: nil)
        guard let known = problems.known else { return status }
        status.counts = [.problems: known.count]
        status.findings = known
        return status
    }

    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        problems.tell { emit(SessionEvent(.devices, date: Date())) }
    }
    func reload() async { problems.lookAgain() }
    func devicesChanged() { problems.forget() }

    /// Files of devices were written, or what is beside them.
    func filesChanged(_ files: Set<DeviceFile>) { problems.noteChange(of: files) }
    func close() async {}
}

extension PaneID {
    /// What is wrong with the store's files, and what to do about it.
    public static let problems = PaneID("problems", of: "doctor")
}
