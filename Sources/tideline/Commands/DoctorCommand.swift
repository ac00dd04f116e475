import ArgumentParser
import CommandSupport
import Foundation
import Replication
import TidelineCore

/// `tideline doctor`: what is wrong with a store's files, and what to do about it.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check every file of a package, or a single store file.",
        discussion: """
            Example: tideline doctor Notes.store
            Says of each thing that is wrong what it is, what to do, and with which command. Nothing \
            is changed without --repair, which mends what is safe to mend of this device's own \
            files and keeps what it replaces, under a name that ends in .old. The exit code is 1 \
            if anything but notes is left.
            """)
    @OptionGroup var store: PathArgument
    @Flag(help: "Mend this device's own files; what is replaced is kept beside them.")
    var repair = false
    @Option(
        name: .long,
        help: "The device whose files are one's own (else $TIDELINE_DEVICE, else this user's own).")
    var device: String?
    @OptionGroup var json: JSONFlag

    func run() throws {
        let own =
            repair
            ? try UserState().device(option: device)
            : try UserState().deviceForReading(option: device)
        let doctor = Doctor(store.path, own: own)
        var repairs: [Repair] = []
        let findings: [Finding]
        do {
            if repair {
                (repairs, findings) = try doctor.repair()
            } else {
                findings = try doctor.examine()
            }
        } catch {
            throw Failure(error, while: store.path)
        }
        if json.json {
            for repair in repairs { Output.json(repair.json) }
            for finding in findings { Output.json(finding.json) }
        } else {
            for repair in repairs { print(repair) }
            for finding in findings { print(finding) }
            if findings.isEmpty { Output.text("\(Printable.line(store.path)): nothing is wrong") }
        }
        guard Doctor.isWrong(findings) else { return }
        let count = findings.count { $0.severity > .note }
        let what = "\(count) \(count == 1 ? "thing is" : "things are") wrong"
        let unreadable = findings.count { $0.severity == .error }
        guard unreadable > 0 else { throw Failure(.noAnswer, store.path, what) }
        throw Failure(
            .noAnswer, store.path,
            what + (unreadable == count ? "" : ", \(unreadable) of them")
                + " in files that cannot be read as they should be")
    }

    private func print(_ repair: Repair) {
        let title = repair.isDone ? "mended" : "left"
        Output.text(
            "\(title.padding(toLength: 8, withPad: " ", startingAt: 0)) \(Printable.line(repair.file)): \(Printable.line(repair.outcome))"
        )
        if let kept = repair.kept { Output.text("         kept as \(Printable.line(kept))") }
    }

    private func print(_ finding: Finding) {
        let title = finding.severity.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
        let file = finding.file.isEmpty ? "" : "\(Printable.line(finding.file)): "
        Output.text("\(title) \(file)\(Printable.line(finding.problem))")
        if let advice = finding.advice { Output.text("         \(Printable.line(advice))") }
        if let command = finding.command { Output.text("         $ \(Printable.line(command))") }
    }
}
