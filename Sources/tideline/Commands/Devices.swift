import ArgumentParser
import CommandSupport
import KeyValueStore
import Replication
import TidelineCore

struct Devices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the devices of a package, or the writes that each device has seen.",
        discussion: """
            --seen shows what each device had seen when it last wrote. For keys, this is computed \
            from the parents of the rows; for documents, from the dependencies of the changes. \
            The device may have read more since then. For a storage folder of automerge-repo, \
            --seen lists the peers in its sync states.

            --name sets the display name of the device that writes: a file in Blobs/info.

            Example: tideline devices Notes.store --seen
            Example: tideline devices Notes.store --name "Anna's desk"
            """)
    @OptionGroup var store: PathArgument
    @OptionGroup var json: JSONFlag
    @Flag(
        name: .long,
        help: "Show which rows and document changes of other devices each device has seen."
    )
    var seen = false
    @Option(parsing: .unconditional, help: "Give this device a name that all devices show.")
    var name: String?
    @OptionGroup var device: DeviceOption

    func validate() throws {
        guard name == nil || !seen else {
            throw ValidationError("--name and --seen can't be combined")
        }
    }

    func run() async throws {
        if let name { try await setName(name) }
        if case .storageFolder? = (try? StoreKind(of: store.path))?.place as? DocumentPlace {
            guard seen else {
                throw Failure(
                    .badData, store.path, "a storage folder of automerge-repo has no devices",
                    suggestion: "to list its peers: tideline devices --seen \(store.path)")
            }
            return try StoredPeers(of: store.path).print(isJSON: json.json)
        }
        let info = try Failure.of(store.path) {
            _ = try StoreKind.package(at: store.path)
            return try StoreInfo(of: store.path)
        }
        let seen = self.seen ? try await seenRows() : nil
        let changes = self.seen ? try SeenDocuments(ofPackage: store.path) : nil
        let devices = info.devices
        if json.json {
            Output.lines(devices.count) { number in
                var line = devices[number].json
                if let seen {
                    line["seen"] = .object(seen.json(of: devices[number].id, among: devices))
                }
                if let changes {
                    line.merge(changes.json(of: devices[number].id, among: devices)) { $1 }
                }
                return JSONValue.object(line).line
            }
        } else {
            Table(of: devices).print()
            guard devices.count > 1 else { return }
            if let seen { print(seen, of: devices) }
            changes?.print(of: devices)
        }
    }

    private func setName(_ name: String) async throws {
        let (what, pane) = ("--name \(name.isEmpty ? name.quoted : name)", PaneID.devices)
        let own = try Failure.of(what) {
            let package = try StoreKind.package(at: store.path)
            let own = try device.forWriting(to: store.path)
            guard try package.devices().contains(where: { $0.id == own }) else {
                throw Failure(
                    .noSuchItem, what, "the store has no device \(own)",
                    suggestion: "write a value as this device first, then set its name")
            }
            return own
        }
        try await EditRunner.store(store.path, as: device, models: [pane.part]) { editor in
            try await Failure.of(what) { () async throws -> AppliedEdit? in
                do {
                    let preview = try await editor.source(ofPane: pane.text)
                        .preview(.rename(RowID(own.name), to: name))
                    for warning in preview.warnings { Output.note("tideline: \(warning)") }
                    return try await editor.apply([preview], pane: pane.text)
                } catch let error as EditError where error.code == .unchanged {
                    return nil
                }
            }
        }
    }

    private func seenRows() async throws -> KeyValueStore.SeenRows {
        let store = try await ModelOpener.reading(KeyValuePart.self, of: store.path)
        let seen = try Failure.of(self.store.path) { try store.seenRows() }
        for (device, problem) in seen.unread.sorted(by: { $0.key < $1.key }) {
            Output.note("tideline: the log of \(device) can't be read: \(Printable.line(problem))")
        }
        return seen
    }

    private func print(
        _ seen: KeyValueStore.SeenRows, of devices: [SessionStatus.Device]
    ) {
        var table = Table(
            "DEVICE", "HAS SEEN", "UP TO", "ROWS BEHIND", "TIME BEHIND", "UNSEEN CONFLICTS")
        for device in devices {
            for other in devices where other.id != device.id {
                let entry = seen.entry(of: device.id, about: other.id)
                table.add(
                    device.id.name, other.id.name, entry.newest?.iso8601 ?? "never",
                    String(entry.rowsBehind), entry.timeBehind?.age ?? "",
                    String(entry.unseenConflictCount))
            }
        }
        Output.line("")
        table.print()
    }
}

extension KeyValueStore.SeenRows {
    /// Returns the rows that `device` has seen, by writing device, in the documented form.
    fileprivate func json(
        of device: DeviceID, among devices: [SessionStatus.Device]
    ) -> [Name: JSONValue] {
        var seen: [Name: JSONValue] = [:]
        for other in devices where other.id != device {
            let entry = entry(of: device, about: other.id)
            seen[Name(other.id.name)] =
                entry.newest.map { newest in
                    [
                        "timestamp": .integer(newest.microseconds), "date": .string(newest.iso8601),
                        "rowsBehind": .count(entry.rowsBehind),
                        "unseenConflicts": .array(
                            unseenConflicts(of: other.id, by: device).map(JSONValue.string)),
                    ]
                } ?? .null
        }
        return seen
    }
}
