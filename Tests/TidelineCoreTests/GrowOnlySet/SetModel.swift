import GrowOnlySet
import Replication

@testable import TidelineCore

/// The data model of a grow-only set: everything that a program needs to support it.
struct SetModel: DataModel {
    let kind = DatabaseKind.set
    let table: LogTable? = LogTable(name: "element", mark: "time")

    func parts(of package: StorePackage, in session: PackageSession) -> [any SessionPart] {
        [SetPart(GrowOnlySet(package: package, device: session.device))]
    }

    /// Recognizes a device's file outside its package. Its tables are shown.
    func singleStore(at path: String, bytes: [UInt8], tables: Set<String>) -> SingleStore? {
        guard tables.isSuperset(of: ["meta", "element"]) else { return nil }
        let database = SingleStore.database(at: path, tables: tables)
        return SingleStore(
            name: "set", format: "sqlite", place: path, parts: database.parts,
            info: { StoreInfo.Section(counts: ["elements": try elements(at: path).count]) },
            comparisons: { stores in
                let (from, to) = try stores.comparison.presentPaths()
                return [SetComparison(from: try elements(at: from), to: try elements(at: to))]
            },
            examine: database.examine)
    }

    private func elements(at path: String) throws -> Set<Name> {
        let file = try DetachedDatabase(path, device: nil, models: [self])
        return try file?.withPackage { try loaded($0).elements } ?? []
    }

    func info(of package: StorePackage) throws -> StoreInfo.Section {
        let set = try loaded(package)
        return StoreInfo.Section(
            counts: ["elements": set.elements.count], devices: set.reports)
    }

    let tables: [Set<String>] = [["meta", "element"]]

    func comparisons(of stores: ComparedStores) async throws -> [any Comparison] {
        guard let (from, to) = stores.packages else { return [] }
        return [SetComparison(from: try loaded(from).elements, to: try loaded(to).elements)]
    }

    func suggestion(forRestAt path: String, in package: StorePackage) -> Suggestion? {
        "add its elements again"
    }

    func examine(_ package: StorePackage, by doctor: Doctor, _ findings: inout DoctorFindings) {
        doctor.note(kind, package, &findings) { try loaded(package).devices }
        if (try? loaded(package))?.elements.contains("") == true {
            findings.add("empty-element", .warning, kind.fileName, "the set has an empty element")
        }
    }

    private func loaded(_ package: StorePackage) throws -> GrowOnlySet {
        var options = LogFollower<SetLog>.Options()
        options.watches = false
        let set = GrowOnlySet(package: package, device: nil, options: options)
        try set.load()
        return set
    }
}

extension PaneID {
    /// The elements of a set.
    static let set = PaneID("set")
}

extension GrowOnlySet {
    fileprivate var reports: [DeviceReport] {
        devices.map { DeviceReport($0, of: .set, in: PaneID.set.part, format: $0.form) }
    }
}

/// The comparison of two sets.
private struct SetComparison: Comparison {
    let from: Set<Name>
    let to: Set<Name>

    func forEach(
        _ body: (StoreDifference) throws -> Void, warn: (ComparedSide, String) -> Void
    ) throws {
        for element in from.symmetricDifference(to).sorted() {
            let value = StoreDifference.Value(.string(element.text), text: element.text)
            try body(
                StoreDifference(
                    .key(element.text), from: .init(from.contains(element) ? value : nil),
                    to: .init(to.contains(element) ? value : nil)))
        }
    }
}

/// The part that shows and follows a set.
private final class SetPart: FollowedPart {
    let panes: [Pane]
    let lifecycle = StoreLifecycle<GrowOnlySet>(stage: "reading the set")
    private let set: GrowOnlySet

    init(_ set: GrowOnlySet) {
        self.set = set
        panes = [Pane(.set, SetSource(set))]
    }

    var status: PartStatus {
        PartStatus(
            phase: lifecycle.phase, devices: set.reports, counts: [.set: set.elements.count])
    }

    func open() -> GrowOnlySet { set }

    func changes(of set: GrowOnlySet) -> AsyncStream<GrowOnlySet.Event>? { set.events() }

    func read(_ set: GrowOnlySet) throws { try set.load() }

    func finishLoading(_ set: GrowOnlySet) { lifecycle.emit(.loaded) }

    func handle(_ event: GrowOnlySet.Event, of set: GrowOnlySet) {
        guard case .grown(let new) = event else { return }
        let rows = Dictionary(uniqueKeysWithValues: new.map { (RowID($0.text), RowMark.new) })
        lifecycle.emit(.changed(.set, rows: rows, isOwn: false))
    }

    func sync(_ set: GrowOnlySet) throws { try set.sync() }

    func close() async {
        lifecycle.cancel()
        try? set.close()
    }
}

/// The list of a set's elements.
private final class SetSource: RowSource {
    let info = ListInfo(
        "Set", columns: [Column("element", "ELEMENT", minimumWidth: 16, isSortable: true)],
        filterFields: [FilterField("element", example: "element:milk")], hasPast: false)
    private let set: GrowOnlySet

    init(_ set: GrowOnlySet) { self.set = set }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let rows = set.elements.sorted().map { element in
            Row(id: RowID(element.text), cells: [RowCell(element.text, .key)])
        }
        return try await RowList(rows).arranged(
            RowQuery(filter: request.query.filter, sort: request.query.sort), by: info
        ).window(request)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        set.elements.contains(Name(row.name)) ? Detail(title: row.name, sections: []) : nil
    }
}
