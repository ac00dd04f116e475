import Automerge
import Foundation
import Replication
import Synchronization

/// A document as it was read at one moment, with what the screen asks of it again and again.
final class OpenDocument: Sendable {
    let view: DocumentView
    let times: DocumentTimes
    /// What the names of rows have before their pointers, so that rows of several documents differ.
    let prefix: String
    let byteCount: Int
    let conflictCount: Int
    /// How many keys the outermost map has.
    let keyCount: Int
    let problems: [String]
    /// The actors, as the header lists devices: the one who wrote last first.
    let devices: [DeviceReport]
    private let names: [ActorId: String]
    private let deviceName: @Sendable (DeviceID) -> String
    /// The heads at the instants that were asked for lately, newest last.
    private let heads = Mutex<[(count: Int, heads: DocumentView.Heads)]>([])
    /// The conflicts inside of maps and lists: those of the present, and those of the heads that were
    /// asked for lately, newest last.
    private let inside: Mutex<[(heads: DocumentView.Heads?, inside: Inside)]>
    typealias Inside = [ObjId: DocumentView.ConflictsInside]

    var document: Document { view.document }

    convenience init(_ file: AutomergeFile) throws {
        try self.init(try file.view(), byteCount: file.bytes.count)
    }

    /// - Parameters:
    ///   - view: A document that nobody edits any more.
    ///   - byteCount: How long what it was read from is.
    ///   - deviceName: What people call a device.
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

    /// The heads of an instant of the past; `nil`: the present.
    func heads(at instant: Timestamp?) -> DocumentView.Heads? {
        guard let instant else { return nil }
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

    /// The conflicts inside of maps and lists at a point of the history; `nil`: the present.
    ///
    /// - Complexity: O(*n*) in the values, where nobody asked for those heads lately.
    func conflictsInside(at heads: DocumentView.Heads?) throws -> Inside {
        if let known = inside.withLock({ $0.first { $0.heads == heads } }) { return known.inside }
        let found = try view.conflictsInside(at: heads).inside
        inside.withLock { inside in
            if inside.count > 4 { inside.remove(at: 1) }
            inside.append((heads, found))
        }
        return found
    }

    /// The pointer of a row; empty for one of another document.
    func pointer(of row: RowID) -> String { Self.pointer(of: row, behind: prefix) }

    static func pointer(of row: RowID, behind prefix: String) -> String {
        guard row.name.utf8.starts(with: prefix.utf8) else { return "" }
        return String(decoding: row.name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    /// The row of a pointer.
    func row(_ pointer: String) -> RowID { RowID(prefix + pointer) }

    /// A change by its number.
    func change(_ number: Int) -> RecordedChange? {
        document.recordedChanges(number..<number + 1).first
    }

    func change(_ hash: String) -> (number: Int, change: RecordedChange)? {
        guard let hash = ChangeHash(hexadecimal: hash),
            let number = document.changeNumber(of: hash), let change = change(number)
        else { return nil }
        return (number, change)
    }

    /// What the lists call an actor.
    func name(of actor: ActorId) -> String {
        names[actor] ?? String(actor.hexadecimal.prefix(Self.nameLength))
    }

    /// What people call who writes as an actor: its device, where that is known.
    func authorName(of actor: ActorId) -> String {
        guard case .device(let device) = view.author(of: actor) else { return name(of: actor) }
        return deviceName(device)
    }

    /// Who writes as an actor, found by either name.
    func authorCell(of actor: ActorId) -> RowCell {
        RowCell(authorName(of: actor), .device, value: .json(.string(actor.hexadecimal)))
    }

    /// Whether a device writes as an actor: it is known to, or is what the actor is called as one.
    func isActor(_ actor: ActorId, of device: DeviceID) -> Bool {
        view.author(of: actor) == .device(device) || Self.device(of: actor) == device
    }

    /// The actors as whom a device writes, as indices into those of ``times``.
    func actors(of device: DeviceID) -> Set<Int> {
        Set(times.actors.indices.filter { isActor(times.actors[$0], of: device) })
    }

    /// The columns that names are shown in have this width.
    private static let nameLength = 8

    /// For each actor, a short name that no other has: its first digits, or, as many programs
    /// number their actors at the end, its first and last ones.
    private static func names(_ actors: [ActorId]) -> [ActorId: String] {
        let forms: [(String) -> String] = [
            { String($0.prefix(nameLength)) },
            { "\($0.prefix(3))…\($0.suffix(nameLength - 4))" },
            { "…\($0.suffix(nameLength - 1))" },
        ]
        var names: [ActorId: String] = [:]
        for actor in actors where actor.data.isEmpty { names[actor] = "nobody" }
        for form in forms {
            let rest = actors.filter { names[$0] == nil }
            let groups = Dictionary(grouping: rest) { form($0.hexadecimal) }
            for (name, group) in groups where group.count == 1 { names[group[0]] = name }
        }
        for actor in actors where names[actor] == nil { names[actor] = actor.hexadecimal }
        return names
    }

    /// An actor as the session's devices name it; a very long one is cut short.
    static func device(of actor: ActorId) -> DeviceID? {
        try? DeviceID(String(actor.hexadecimal.prefix(255)))
    }
}

extension OpenDocument: Equatable {
    /// Whether both are the same reading.
    static func == (lhs: OpenDocument, rhs: OpenDocument) -> Bool { lhs === rhs }
}
