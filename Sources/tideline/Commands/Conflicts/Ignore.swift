import ArgumentParser
import CommandSupport
import Foundation
import Replication
import TidelineCore

struct Ignore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ignore the conflict of a key, as the browser does.",
        discussion: """
            The mark is kept on this machine, for this store, and nothing is written into the \
            store. The conflict is ignored until a device writes another side.

            Example: tideline ignore Notes.store note/1/due --note "same day in two zones"
            """,
        helpNames: .long)
    @OptionGroup var store: PathArgument
    @OptionGroup var name: LastArguments<KeyName>
    @Option(parsing: .unconditional, help: "A note to show with the conflict.") var note = ""
    @Flag(help: "Stop ignoring the conflict.") var stop = false

    func validate() throws {
        guard !stop || note.isEmpty else { throw ValidationError("--stop takes no note") }
    }

    func run() async throws {
        let key = name.text
        let row = RowID(key)
        let place = ConflictPlace(part: PaneID.keys.part, row: row)
        let (session, _) = try await Failure.of(store.path) {
            try await StoreOpener(device: nil).open(KeyValuePart.self, of: store.path)
        }
        let marks = UserState().ignoredConflicts(ofStoreAt: session.path)
        if stop {
            guard var mark = try marks.marks()[place] else {
                try Failure.refuseEmpty(key, to: "ignore")
                throw Failure(.noSuchItem, "ignore \(key)", "the conflict is not ignored")
            }
            mark.isWithdrawn = true
            return try marks.keep(mark)
        }
        let source = session.panes.first { $0.id == .keys }?.source
        guard let conflict = try await source?.conflict(of: row, at: nil) else {
            try Failure.refuseEmpty(key, to: "ignore")
            throw Failure(.noSuchItem, "ignore \(key)", "the key is not in conflict")
        }
        try marks.keep(IgnoredConflict(place, conflict, note: note, date: Date()))
    }
}
