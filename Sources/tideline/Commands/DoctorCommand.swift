import ArgumentParser
import CommandSupport
import Foundation
import Replication
import TidelineCore

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check every file of a package, or a single store file.",
        discussion: """
            For each problem, prints what is wrong, what to do, and the command for it. Changes \
            nothing unless --repair is given. --repair repairs this device's own files if that is \
            safe, and keeps each replaced file with a name that ends in .old. The exit code is 1 \
            if findings other than notes remain.

            Example: tideline doctor Notes.store
            """)
    @OptionGroup var store: PathArgument
    @Flag(help: "Repair this device's own files, and keep the replaced ones next to them.")
    var repair = false
    @Option(
        name: .long, parsing: .unconditional,
        help:
            """
            The device whose files may be repaired, by identifier or name (default: \
            $TIDELINE_DEVICE, the device of the settings, or your device id).
            """
    )
    var device: String?
    @OptionGroup var json: JSONFlag

    func run() throws {
        let option = try device.map { name -> String in
            do {
                return try store.device(named: name).name
            } catch is ReplicationError {
                // The check below reports a package that can't be listed.
                return name
            }
        }
        let own =
            repair ? try DeviceOption.forRepairing(option) : try DeviceOption.forReading(option)
        let doctor = Doctor(store.path, own: own)
        let (repairs, findings) = try Failure.of(store.path) {
            repair ? try doctor.repair() : (repairs: [], findings: try doctor.examine())
        }
        let isWrong = Doctor.isWrong(findings)
        if isWrong { Output.failIfClosed() }
        if json.json {
            for repair in repairs { Output.json(repair.json) }
            for finding in findings { Output.json(finding.json) }
        } else {
            for repair in repairs { print(repair) }
            for finding in findings { print(finding) }
            if findings.isEmpty { Output.text("\(Printable.line(store.path)): no problems found") }
        }
        guard isWrong else { return }
        let count = findings.count { $0.severity > .note }
        let what = "found \(Counted.text(count, "problem"))"
        let unreadable = findings.count { $0.severity == .error }
        guard unreadable > 0 else { throw Failure(.noSuchItem, store.path, what) }
        throw Failure(
            .noSuchItem, store.path,
            what + (unreadable == count ? "" : ", \(Counted.grouped(unreadable)) of them")
                + " in files that are not fully readable")
    }

    private func print(_ repair: Repair) {
        let title = repair.isDone ? "repaired" : "failed"
        Output.text(
            "\(title.padding(toLength: 8, withPad: " ", startingAt: 0)) \(Printable.line(repair.file)): \(Printable.line(repair.outcome))"
        )
        if let kept = repair.kept { Output.text("         kept as \(Printable.line(kept))") }
    }

    private func print(_ finding: DoctorFinding) {
        let title = finding.severity.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
        let file = finding.file.isEmpty ? "" : "\(Printable.line(finding.file)): "
        Output.text("\(title) \(file)\(Printable.line(finding.problem))")
        if let advice = finding.advice { Output.text("         \(Printable.line(advice))") }
        if let command = finding.command { Output.text("         $ \(Printable.line(command))") }
    }
}
