/// The source of a list's rows.
struct ListSource<Record: AutoRecord>: Sendable {
    /// Rows read from the file, in order.
    struct Found {
        var ids: [Int64] = []
        var records: [Record] = []
        /// The rows whose values differ from those in the known list.
        var changed: Set<Int64> = []
        /// Work to do after the read transaction.
        var finish: () -> Void = {}
    }

    let query: Query<Record>
    let database: AutoDatabase
    let file: DatabaseFile
    let table: String
    let followers: FollowerList<TableChanges>
    /// A closure that reads rows. `tail` is the SQL that follows `SELECT … FROM table`, and `known`
    /// is the list to compare values with.
    let read: Read

    typealias Read =
        @Sendable (
            _ tail: String, _ arguments: [SQLValue], _ known: LiveRows<Record>
        ) throws -> Found

    private init(_ query: Query<Record>, _ table: any AnyTable, read: @escaping Read) {
        self.query = query
        database = table.database
        file = table.file
        self.table = quoted(table.layout.name)
        followers = table.followers
        self.read = read
    }
}

extension ListSource where Record: AutoObject {
    init(_ query: Query<Record>, _ table: ModelTable<Record>) {
        self.init(query, table) { tail, arguments, _ in
            // Values aren't compared, because objects update themselves and notify their own
            // subscribers.
            let (objects, awaking) = try table.read(tail: tail, arguments)
            return Found(ids: objects.map(\.id), records: objects) { table.awake(awaking) }
        }
    }
}

extension ListSource where Record: AutoValue {
    init(_ query: Query<Record>, _ table: ValueTable<Record>) {
        self.init(query, table) { tail, arguments, known in
            var found = Found()
            let before = Dictionary(zip(known.ids, known)) { first, _ in first }
            for value in try table.fetch(tail: tail, arguments) {
                found.ids.append(value.id)
                found.records.append(value)
                if let old = before[value.id], try !table.isSame(old, value) {
                    found.changed.insert(value.id)
                }
            }
            return found
        }
    }
}
