import GRDB

/// The list that a subscriber received last. Used only inside a read transaction of its file.
struct ListState<Record: AutoRecord> {
    private let source: ListSource<Record>
    private var rows = LiveRows<Record>()

    /// Returns the initial list.
    static func first(
        of source: ListSource<Record>, _ finish: inout [() -> Void]
    ) throws -> (ListState, ListChange<Record>) {
        var state = ListState(source: source)
        let clauses = try source.query.clauses()
        let found = try source.read(clauses.sql, clauses.arguments, LiveRows())
        finish.append(found.finish)
        state.rows = LiveRows(ids: found.ids, records: found.records)
        return (state, ListChange(list: state.rows, inserted: Array(found.ids.indices)))
    }

    private init(source: ListSource<Record>) { self.source = source }

    mutating func take(
        _ changes: TableChanges, _ finish: inout [() -> Void]
    ) throws -> ListChange<Record> {
        let isFew = changes.ids.count <= max(64, rows.count / 64)
        return !changes.isUnknown && source.query.isLocal && isFew
            ? try takeFew(changes, &finish) : try takeAll(changes, &finish)
    }

    /// Fetches the whole list and compares it with the previous one.
    private mutating func takeAll(
        _ changes: TableChanges, _ finish: inout [() -> Void]
    ) throws -> ListChange<Record> {
        let clauses = try source.query.clauses()
        let found = try source.read(clauses.sql, clauses.arguments, rows)
        finish.append(found.finish)
        let before = Dictionary(zip(rows.ids, 0...)) { first, _ in first }
        let now = LiveRows(ids: found.ids, records: found.records)
        var change = ListChange(list: now)
        var staying: [ListMove] = []
        let isOther = changes.updated.union(found.changed)
        for (to, id) in found.ids.enumerated() {
            guard let from = before[id] else {
                change.inserted.append(to)
                continue
            }
            staying.append(ListMove(from: from, to: to))
            if isOther.contains(id) { change.changed.append(to) }
        }
        let kept = Set(staying.map(\.from))
        change.removed = rows.indices.filter { !kept.contains($0) }
        change.moved += ListMove.moves(among: staying)
        rows = now
        return change
    }

    /// Reads only the changed rows, removes them from the list, and inserts those that belong in
    /// it.
    private mutating func takeFew(
        _ changes: TableChanges, _ finish: inout [() -> Void]
    ) throws -> ListChange<Record> {
        let ids = changes.ids
        let clauses = try narrowed(ids.sorted()).clauses()
        let found = try source.read(clauses.sql, clauses.arguments, LiveRows())
        finish.append(found.finish)
        let from = rows.offsets(of: ids)
        for offset in from.values.sorted(by: >) { rows.remove(at: offset) }
        // The places of the found rows among the unchanged rows, in ascending order.
        var places: [Int] = []
        for id in found.ids { places.append(try place(of: id, from: places.last ?? 0)) }
        for (index, id) in found.ids.enumerated() {
            rows.insert(found.records[index], id: id, at: places[index] + index)
        }
        var change = ListChange(list: rows)
        let there = Set(found.ids)
        change.removed = from.filter { !there.contains($0.key) }.values.sorted()
        let old = from.values.sorted()
        var staying: [ListMove] = []
        for (index, id) in found.ids.enumerated() {
            let to = places[index] + index
            guard let offset = from[id] else {
                change.inserted.append(to)
                continue
            }
            if changes.updated.contains(id) || changes.inserted.contains(id) {
                change.changed.append(to)
            }
            // The number of unchanged rows before the row.
            let rank = offset - old.prefix { $0 < offset }.count
            let move = ListMove(from: offset, to: to)
            if rank == places[index] {
                staying.append(move)
            } else {
                change.moved.append(move)
            }
        }
        change.moved += ListMove.moves(among: staying)
        return change
    }

    /// Returns a query for those of the given rows that belong in the list.
    private func narrowed(_ ids: [Int64]) -> Query<Record> {
        var query = source.query
        // Rounding up to a power of two keeps the number of different statements small.
        var arguments = ids.map { SQLValue.integer($0) }
        while arguments.count & (arguments.count - 1) != 0 { arguments.append(arguments[0]) }
        let marks = repeatElement("?", count: arguments.count).joined(separator: ",")
        let some = Condition("id IN (\(marks))", arguments)
        query.predicate = query.predicate.map { $0 && some } ?? some
        return query
    }

    /// Returns the place of a row in the list, by binary search.
    ///
    /// SQLite compares two rows at a time, so that any sort order works.
    private func place(of id: Int64, from least: Int) throws -> Int {
        var query = Query<Record>()
        query.orderings = source.query.orderings
        var (low, high) = (least, rows.count)
        while low < high {
            let middle = (low + high) / 2
            query.predicate = Condition(
                "id IN (?, ?)", [.integer(id), .integer(rows.id(at: middle))])
            let clauses = try query.clauses()
            let sql = "SELECT id FROM \(source.table)\(clauses.sql) LIMIT 1"
            let first = try source.file.read { try $0.value(sql, clauses.arguments) }
            if first == .integer(id) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
