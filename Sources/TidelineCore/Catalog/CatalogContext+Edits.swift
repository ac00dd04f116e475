import Foundation
import Replication
import ServerCatalog
import ServerCatalogGRDB

/// Changes of the device's own catalog. They are previewed on a copy in memory, written in one
/// transaction, and undone by the inverse change.
extension CatalogContext {
    /// A change that can be written and recorded.
    private enum Step: Codable {
        case change(CatalogChange)
        /// Replaces the catalog with an empty catalog.
        ///
        /// - Parameter count: The number of servers in the replaced catalog; `nil` if unreadable.
        case rebuild(count: Int?)
        /// Restores the file with this name, which a rebuild kept.
        case restore(kept: String)
    }

    /// A plan whose step is `nil` if the edit writes nothing.
    private typealias Plan = EditPlan<Step?>

    private static let stepName = Name("step")

    func preview(_ edit: Edit) throws -> EditPreview {
        try preview(edit) { try self.plan(edit) }
    }

    /// Returns the preview of copying a server from another catalog.
    ///
    /// - Parameters:
    ///   - file: The path of the other catalog.
    ///   - mayDelete: Whether to delete the server if the other catalog lacks it.
    func preview(
        _ edit: Edit, takingOver id: String, from file: String, mayDelete: Bool
    ) throws -> EditPreview {
        try preview(edit) {
            let old = try Self.server(id, inCatalogAt: try own().file)
            let new = try Self.server(id, inCatalogAt: file)
            guard let named = new ?? old else {
                throw EditError(.notFound, "the server \(id) is no longer in either catalog")
            }
            guard new != nil || mayDelete else {
                throw EditError.goneFromOtherStore("the server \(id)")
            }
            let change = CatalogChange(
                from: [old].compactMap(\.self), to: [new].compactMap(\.self))
            guard !change.isEmpty else { throw EditError.sameValue }
            let verb: EditVerb = new == nil ? .delete : old == nil ? .add : .set
            return Plan(
                summary: "\(verb) the server \(named.logical.name)",
                changes: Self.lines(change), action: .change(change))
        }
    }

    /// Returns a server of a catalog; `nil` if the catalog or the server doesn't exist.
    private static func server(_ id: String, inCatalogAt path: String) throws -> VPNServer? {
        try servers([id], inCatalogAt: path)[0]
    }

    /// Returns the servers with these identifiers, in the same order; `nil` for a server that
    /// doesn't exist, and for all servers if the catalog doesn't exist.
    static func servers(_ ids: [String], inCatalogAt path: String) throws -> [VPNServer?] {
        guard FileManager.default.fileExists(atPath: path) else { return ids.map { _ in nil } }
        return try CatalogDatabase.openForReading(path: path).read { db in
            try ids.map { try ServerResult.fetchOne(db, id: $0)?.server }
        }
    }

    private func preview(_ edit: Edit, _ makePlan: () throws -> Plan) throws -> EditPreview {
        var plan = try explaining(makePlan)
        // Choosing a catalog doesn't write anything.
        guard let step = plan.action else { return plan.preview(of: edit, as: nil, in: nil) }
        let location = try own()
        plan.expectation = [Self.stepName: try Self.text(of: step)]
        return plan.preview(
            of: edit, as: location.device,
            in: package?.shownName(of: .catalog, of: device) ?? location.file,
            createsDevice: package?.lacksFolder(of: device) ?? false)
    }

    func apply(_ preview: EditPreview) throws -> AppliedEdit {
        if case .run(.chooseCatalog, let name) = preview.edit {
            let chosen = try explaining { try self.chosen(name) }
            show(chosen.id, at: chosen.path(of: .catalog))
            return AppliedEdit(
                summary: "show \(self.name(of: chosen.id))'s catalog", date: Date(), rows: [],
                undo: [])
        }
        guard let text = preview.expectation[Self.stepName],
            let step = try? Self.decoder.decode(Step.self, from: Data(text.utf8))
        else { throw EditError(.unsupported, "\(preview.summary) was not previewed") }
        let location = try own()
        var (inverse, isUnconfirmed) = (Step?.none, false)
        do {
            inverse = try explaining { try write(step, to: location) }
        } catch let error as EditError where error.code == .unconfirmed {
            isUnconfirmed = true
        }
        noteWritten(location)
        let undo = try inverse.map { step in
            Edit.revert(
                EditRecord(
                    summary: preview.summary, model: PaneID.servers.part,
                    rowCount: preview.rowCount ?? 1, token: Data(try Self.text(of: step).utf8)))
        }
        return AppliedEdit(
            summary: preview.summary, date: Date(), rows: [], undo: undo.map { [$0] } ?? [],
            isUnconfirmed: isUnconfirmed)
    }

    /// Performs a step.
    ///
    /// - Returns: The step that undoes it.
    private func write(_ step: Step, to location: CatalogLocation) throws -> Step {
        switch step {
        case .change(let change):
            try location.fill { try $0.apply(change) }
            return .change(change.inverse)
        case .rebuild(let count):
            guard count == (try? Self.serverCount(at: location)) else {
                throw EditError(.moved, "the catalog has changed in the meantime")
            }
            guard let kept = try location.create(rebuilding: true) else {
                throw EditError(.notFound, "\(location.file) is missing")
            }
            return .restore(kept: URL(filePath: kept).lastPathComponent)
        case .restore(let name):
            try CatalogDatabase.restore(kept: Self.path(of: name, at: location), to: location.file)
            // The preview of this step counts the servers again.
            return .rebuild(count: nil)
        }
    }

    private static func serverCount(at location: CatalogLocation) throws -> Int {
        try CatalogDatabase.openForReading(path: location.file).serverCount()
    }

    private static func path(of kept: String, at location: CatalogLocation) -> String {
        URL(filePath: location.file).deletingLastPathComponent()
            .appending(path: URL(filePath: kept).lastPathComponent).path
    }

    /// Returns the location of the catalog that this device can write.
    private func own() throws -> CatalogLocation {
        guard let device else { throw EditError.withoutDevice }
        guard writing.isUnlocked else { throw EditError.locked }
        guard let package else { return CatalogLocation(file: catalog.path) }
        return try CatalogLocation(of: device, in: package)
    }

    // MARK: Plans

    private func plan(_ edit: Edit) throws -> Plan {
        switch edit {
        case .run(let command, let argument):
            guard let offer = offers[command] else { break }
            if case .unavailable(let reason) = offer.availability {
                throw EditError(.unsupported, reason)
            }
            switch command {
            case .importServers:
                return try change(by: argument, "import servers from") {
                    try $1.importLogicals($0)
                }
            case .refreshLoads:
                return try change(by: argument, "refresh loads from") { try $1.importLoads($0) }
            case .pruneServers:
                let (tier, file) = Self.tierAndFile(argument)
                return try change(by: file, "delete servers that are not in") {
                    try $1.prune($0, maxTier: tier ?? ServerTier.internal)
                }
            case .rebuildCatalog: return try rebuild()
            case .chooseCatalog: return try choose(argument)
            default: break
            }
        case .revert(let written):
            let step = try? Self.decoder.decode(Step.self, from: written.token)
            guard written.model == PaneID.servers.part, let step else {
                throw EditError(.unsupported, "\(written.summary) is not a change of servers")
            }
            return try undo(written, step)
        default: break
        }
        throw EditError(.unsupported, "servers are changed by importing a file")
    }

    /// Splits the argument into the highest tier, if it starts with one, and the path of the file.
    /// If the whole argument is the path of a file, there is no tier.
    private static func tierAndFile(_ argument: String) -> (Int?, String) {
        let parts = argument.split(separator: " ", maxSplits: 1)
        let isFile = FileManager.default.fileExists(atPath: UserPath.expanded(argument))
        guard !isFile, parts.count == 2, let tier = Int(parts[0]) else { return (nil, argument) }
        return (tier, String(parts[1]))
    }

    /// Returns the plan of the change that `body` computes from a file.
    private func change(
        by file: String, _ verb: String,
        _ body: (ByteStream, CatalogDatabase) throws -> ImportReport
    ) throws -> Plan {
        let location = try own()
        let name = URL(filePath: file).lastPathComponent
        let handle = try Self.open(UserPath.expanded(file))
        defer { try? handle.close() }
        let (change, report) = try CatalogDatabase.previewing(
            path: location.exists ? location.file : nil
        ) { catalog in
            do {
                return try body(ByteStream(handle), catalog)
            } catch let error as ServerCatalogError
                where [.badFile, .unreadableFile].contains(error.code)
            {
                throw EditError(.invalid, "\(name): \(error.message)")
            }
        }
        let notes = report.notes
        guard !change.isEmpty else {
            let reason = notes.first.map { "; \($0)" } ?? ""
            throw EditError(.unchanged, "\(name) changes nothing in the catalog\(reason)")
        }
        var plan = Plan(
            summary: "\(verb) \(name): \(Self.counts(change))", changes: Self.lines(change),
            rowCount: Self.count(change), action: .change(change))
        if report.unknown > 0 {
            plan.warnings.append(
                "\(Counted.text(report.unknown, "server")) of the file "
                    + "\(report.unknown == 1 ? "is" : "are") not in the catalog")
        }
        plan.warnings += notes.prefix(Self.shownNotes)
        if notes.count > Self.shownNotes {
            plan.warnings.append("and \(Counted.grouped(notes.count - Self.shownNotes)) more")
        }
        plan.warnings += Self.cut(change)
        return plan
    }

    private func rebuild() throws -> Plan {
        let location = try own()
        let count = Result { try Self.serverCount(at: location) }
        let old =
            switch count {
            case .success(let count): Counted.text(count, "server")
            case .failure(let error as ServerCatalogError): error.message
            case .failure(let error): String(describing: error)
            }
        return Plan(
            summary: "empty the server catalog",
            changes: [.init(subject: "catalog", old: .init(old), new: "0 servers")],
            warnings: ["the old file is kept next to it, with the ending .old"],
            rowCount: (try? count.get()).flatMap { $0 > 1 ? $0 : nil },
            action: .rebuild(count: try? count.get()))
    }

    private func choose(_ name: String) throws -> Plan {
        let chosen = try chosen(name)
        let new = try CatalogDatabase.openForReading(path: chosen.path(of: .catalog)).allServers()
        let old = try? CatalogDatabase.openForReading(path: catalog.path).allServers()
        var plan = Plan(summary: "show \(self.name(of: chosen.id))'s catalog", action: nil)
        if let old, let shown {
            let change = CatalogChange(from: old, to: new)
            plan.summary +=
                change.isEmpty
                ? ", which has the same servers as \(self.name(of: shown))'s"
                : " instead of \(self.name(of: shown))'s: "
                    + Self.counts(change, ("new", "different", "missing"))
            plan.changes = Self.lines(change)
            plan.warnings = Self.cut(change)
        } else {
            plan.changes = [
                .init(
                    subject: "catalog", old: nil, new: .init(Counted.text(new.count, "server")))
            ]
        }
        return plan
    }

    /// Returns the folder of the device that the user names, to show its catalog.
    private func chosen(_ name: String) throws -> DeviceFolder {
        guard let package else { throw EditError(.unsupported, "this is a single catalog") }
        let device = try package.device(named: name)
        let found = try CatalogLocation.catalogs(in: package).first { $0.id == device }
        guard let found else { throw EditError(.notFound, "\(name) has no server catalog") }
        return found
    }

    private func undo(_ written: EditRecord, _ step: Step) throws -> Plan {
        let location = try own()
        switch step {
        case .change(let change):
            do {
                _ = try CatalogDatabase.previewing(path: location.file) { try $0.apply(change) }
            } catch let error as ServerCatalogError where error.code == .changedSinceRead {
                throw EditError(.builtOn, "can't undo: \(error.message)")
            }
            return Plan(
                summary: written.summary, changes: Self.lines(change),
                warnings: Self.cut(change), rowCount: Self.count(change), action: step)
        case .restore(let kept):
            let path = Self.path(of: kept, at: location)
            let count = try Self.serverCount(at: location)
            guard FileManager.default.fileExists(atPath: path) else {
                throw EditError(.builtOn, "can't undo: \(kept) is missing")
            }
            guard count == 0 else {
                throw EditError(.builtOn, "can't undo: the new catalog is no longer empty")
            }
            return Plan(
                summary: written.summary,
                changes: [.init(subject: "catalog", old: "0 servers", new: .init(kept))],
                action: step)
        case .rebuild: return try rebuild()
        }
    }

    // MARK: Texts

    private static let shownServers = 200
    private static let shownNotes = 10

    private static func count(_ change: CatalogChange) -> Int {
        change.before.count + change.added.count
    }

    /// Returns the numbers of servers, without zeros.
    private static func counts(
        _ change: CatalogChange,
        _ words: (String, String, String) = ("added", "changed", "deleted")
    ) -> String {
        [
            (change.added.count, words.0), (change.changed.count, words.1),
            (change.deleted.count, words.2),
        ].filter { $0.0 > 0 }.map { "\(Counted.grouped($0.0)) \($0.1)" }.joined(separator: ", ")
    }

    /// Returns the first changes of servers: deleted, added, then changed servers, each by name.
    private static func lines(_ change: CatalogChange) -> [EditPreview.Change] {
        var random = SystemRandomNumberGenerator()
        let byName = { (servers: [VPNServer]) in
            VPNServerOrder.nameAscending.sorted(servers, using: &random).prefix(shownServers)
        }
        let deleted = byName(change.deleted).map { server in
            EditPreview.Change(subject: server.logical.name, old: line(server), new: nil)
        }
        let added = byName(change.added).map { server in
            EditPreview.Change(subject: server.logical.name, old: nil, new: line(server))
        }
        let former = Dictionary(change.changed.map { (Name($0.new.id), $0.old) }) { $1 }
        let changed = byName(change.changed.map(\.new)).map { new in
            let (before, after) = former[Name(new.id)].map { differing($0, new) } ?? (nil, nil)
            return EditPreview.Change(subject: new.logical.name, old: before, new: after)
        }
        return Array((deleted + added + changed).prefix(shownServers))
    }

    /// Returns the warning that not all changes are listed.
    private static func cut(_ change: CatalogChange) -> [String] {
        let count = count(change)
        return count > shownServers
            ? ["only \(shownServers) of \(Counted.text(count, "server")) are listed here"] : []
    }

    private static func line(_ server: VPNServer) -> EditPreview.Value {
        let logical = server.logical
        return .init(
            [
                logical.gatewayName, logical.exitCountryCode, logical.shownCity,
                "tier \(logical.tier)", "load \(logical.status.load)%",
            ].compactMap(\.self).joined(separator: ", "))
    }

    /// Returns the properties in which two states of a server differ.
    private static func differing(
        _ old: VPNServer, _ new: VPNServer
    ) -> (EditPreview.Value, EditPreview.Value) {
        guard case .object(let before) = old.json, case .object(let after) = new.json else {
            return (line(old), line(new))
        }
        let names = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
        let text = { (members: [Name: JSONValue]) in
            EditPreview.Value(
                names.map { "\($0.text) \(members[$0]?.line ?? "null")" }.joined(separator: ", "))
        }
        return (text(before), text(after))
    }

    // MARK: Coding

    private static func text(of step: Step) throws -> String {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return String(decoding: try encoder.encode(step), as: UTF8.self)
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }

    // MARK: Files and errors

    /// Opens a file to import. Anything else, such as a pipe, could block.
    private static func open(_ path: String) throws(EditError) -> FileHandle {
        guard !path.isEmpty else { throw EditError(.invalid, "name a file") }
        let url = URL(filePath: path).resolvingSymlinksInPath()
        let type = try? FileManager.default.attributesOfItem(atPath: url.path)[.type]
        guard let type = type as? FileAttributeType else {
            throw EditError(.notFound, "\(path) does not exist")
        }
        guard type == .typeRegular else { throw EditError(.invalid, "\(path) is not a file") }
        guard let handle = FileHandle(forReadingAtPath: url.path) else {
            throw EditError(.invalid, "\(path) can't be read")
        }
        return handle
    }

    /// Runs `body` and converts its errors.
    private func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as ServerCatalogError {
            let code: EditError.Code =
                switch error.code {
                case .changedSinceRead: .moved
                case .unconfirmed: .unconfirmed
                case .notFound: .notFound
                case .newerSchema, .notACatalog, .damaged: .unreadable
                default: .notWritten
                }
            throw EditError(code, error.message)
        } catch let error as CoreError {
            throw EditError(.invalid, error.message)
        } catch let error as ReplicationError {
            throw EditError(writing: error)
        }
    }
}
