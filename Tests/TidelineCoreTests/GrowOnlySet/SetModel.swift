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

    func info(of package: StorePackage) throws -> StoreInfo.Section {
        let set = try loaded(package)
        return StoreInfo.Section(
            counts: ["elements": set.elements.count], devices: set.reports)
    }

    let tables: [Set<String>] = [["meta", "element"]]

    func comparisons(of packages: ComparedPackages) async throws -> [any Comparison] {
        [SetComparison(from: try loaded(packages.from), to: try loaded(packages.to))]
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
    let from: GrowOnlySet
    let to: GrowOnlySet

    func forEach(
        _ body: (StoreDifference) throws -> Void, warn: (ComparedSide, String) -> Void
    ) throws {
        let (old, new) = (from.elements, to.elements)
        for element in old.symmetricDifference(new).sorted() {
            let value = StoreDifference.Value(.string(element.text), text: element.text)
            try body(
                StoreDifference(
                    .key(element.text), from: .init(old.contains(element) ? value : nil),
                    to: .init(new.contains(element) ? value : nil)))
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
