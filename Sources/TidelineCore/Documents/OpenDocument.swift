import Automerge
import Foundation
import Replication
import Synchronization

/// The state of a document when it was read, with cached results for the screen.
final class OpenDocument: Sendable {
    let view: DocumentView
    let times: DocumentTimes
    /// The prefix of row names, which distinguishes rows of several documents.
    let prefix: String
    let byteCount: Int
    let conflictCount: Int
    /// The number of keys of the root map.
    let keyCount: Int
    let problems: [String]
    /// The actors as devices, for the header; the most recent writer first.
    let devices: [DeviceReport]
    private let names: [ActorId: String]
    private let deviceName: @Sendable (DeviceID) -> String
    /// The heads at recently requested instants, newest last.
    private let heads = Mutex<[(count: Int, heads: DocumentView.Heads)]>([])
    /// The conflicts inside maps and lists, now and at recently requested heads, newest last.
    private let inside: Mutex<[(heads: DocumentView.Heads?, inside: Inside)]>
    typealias Inside = [ObjId: DocumentView.ConflictsInside]

    var document: Document { view.document }

    convenience init(_ file: AutomergeFile) throws {
        try self.init(try file.view(), byteCount: file.bytes.count)
    }

    /// Wraps a document.
    ///
    /// - Parameters:
    ///   - view: The document, which must no longer be edited.
    ///   - byteCount: The size of the file, or of the chunks, that contain the document.
    ///   - deviceName: A closure that returns the display name of a device.
    init(
        _ view: DocumentView, byteCount: Int, prefix: String = "",
        deviceName: @escaping @Sendable (DeviceID) -> String = \.name
    ) throws {
        self.deviceName = deviceName
        self.view = view
        self.byteCount = byteCount
        self.prefix = prefix
        times = DocumentTimes(view.document)
        let names = Self.names(times.actors)
        self.names = names
        keyCount = Int(clamping: view.document.length(obj: .ROOT))
        devices = Self.devices(times, names)
        let (inside, unlisted) = try view.conflictsInside(at: nil)
        conflictCount = inside[.ROOT]?.count ?? 0
        self.inside = Mutex([(nil, inside)])
        problems = view.problems + [DocumentView.unlisted(unlisted)].compactMap { $0 }
    }

    private static func devices(
        _ times: DocumentTimes, _ names: [ActorId: String]
    ) -> [DeviceReport] {
        var newest = [Timestamp](repeating: .distantPast, count: times.actors.count)
        for (rank, change) in times.order.enumerated() {
            newest[Int(times.authors[Int(change)])] = times.instants[rank]
        }
        return times.actors.indices.sorted { newest[$0] > newest[$1] }.compactMap { index in
            let actor = times.actors[index]
            guard let device = device(of: actor) else { return nil }
            var report = DeviceReport(device, in: PaneID.documents.part, state: .ok)
            report.name = names[actor]
            report.rows = times.changeCounts[index]
            report.newest = newest[index]
            return report
        }
    }

    /// Returns the heads at an instant of the past; `nil` for the present.
    func heads(at instant: Timestamp?) -> DocumentView.Heads? {
        let count = times.count(through: instant)
        if count == times.count { return nil }
        if let known = heads.withLock({ $0.first { $0.count == count } }) { return known.heads }
        let found = DocumentView.Heads(document.heads(where: times.known(count)))
        heads.withLock { heads in
            if heads.count >= 4 { heads.removeFirst() }
            heads.append((count, found))
        }
        return found
    }

    /// Returns the conflicts inside maps and lists at a point of the history, or now if `heads` is
    /// `nil`.
    ///
    /// - Complexity: O(*n*) in the number of values if the answer isn't cached.
    func conflictsInside(at heads: DocumentView.Heads?) throws -> Inside {
        if let known = inside.withLock({ $0.first { $0.heads == heads } }) { return known.inside }
        let found = try view.conflictsInside(at: heads).inside
        inside.withLock { inside in
            if inside.count > 4 { inside.remove(at: 1) }
            inside.append((heads, found))
        }
        return found
    }

    /// Returns the pointer of a row; empty for a row of another document.
    func pointer(of row: RowID) -> String { Self.pointer(of: row, behind: prefix) }

    static func pointer(of row: RowID, behind prefix: String) -> String {
        guard row.name.utf8.starts(with: prefix.utf8) else { return "" }
        return String(decoding: row.name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    func row(_ pointer: String) -> RowID { RowID(prefix + pointer) }

    /// Returns the change with this index.
    func change(_ number: Int) -> RecordedChange? {
        document.recordedChange(number)
    }

    func change(_ hash: String) -> (number: Int, change: RecordedChange)? {
        guard let hash = ChangeHash(hexadecimal: hash),
            let number = document.changeNumber(of: hash), let change = change(number)
        else { return nil }
        return (number, change)
    }

    /// Returns the short name of an actor.
    func name(of actor: ActorId) -> String {
        names[actor] ?? String(actor.hexadecimal.prefix(Self.nameLength))
    }

    /// Returns the display name of an actor: its device, if known.
    func authorName(of actor: ActorId) -> String {
        guard case .device(let device) = view.author(of: actor) else { return name(of: actor) }
        return deviceName(device)
    }

    /// Returns the cell of an actor. Filters find it by the actor's name and by its device's name.
    func authorCell(of actor: ActorId) -> RowCell {
        RowCell(authorName(of: actor), .device, value: .json(.string(actor.hexadecimal)))
    }

    /// Returns whether an actor belongs to a device, or is shown as that device because its own
    /// device isn't known.
    func isActor(_ actor: ActorId, of device: DeviceID) -> Bool {
        view.author(of: actor) == .device(device) || Self.device(of: actor) == device
    }

    /// Returns the actors of a device, as indexes into those of ``times``.
    func actors(of device: DeviceID) -> Set<Int> {
        Set(times.actors.indices.filter { isActor(times.actors[$0], of: device) })
    }

    /// The width of columns with actor names.
    private static let nameLength = 8

    /// Returns a short, unique name for each actor.
    ///
    /// The name consists of the first digits. If several actors have the same first digits, the
    /// name also contains the last digits, because many programs number their actors at the end.
    private static func names(_ actors: [ActorId]) -> [ActorId: String] {
        let forms: [(String) -> String] = [
            { String($0.prefix(nameLength)) },
            { "\($0.prefix(3))…\($0.suffix(nameLength - 4))" },
            { "…\($0.suffix(nameLength - 1))" },
        ]
        var names: [ActorId: String] = [:]
        for actor in actors where actor.data.isEmpty { names[actor] = "unknown" }
        for form in forms {
            let rest = actors.filter { names[$0] == nil }
            let groups = Dictionary(grouping: rest) { form($0.hexadecimal) }
            for (name, group) in groups where group.count == 1 { names[group[0]] = name }
        }
        for actor in actors where names[actor] == nil { names[actor] = actor.hexadecimal }
        return names
    }

    /// Returns the actor as a device. Very long actors are shortened.
    static func device(of actor: ActorId) -> DeviceID? {
        try? DeviceID(String(actor.hexadecimal.prefix(255)))
    }
}

extension OpenDocument: Equatable {
    /// Returns whether both are the same object.
    static func == (lhs: OpenDocument, rhs: OpenDocument) -> Bool { lhs === rhs }
}
