/// The records of a fetch, in order and by identifier.
public struct FetchResult<Record: Identifiable & Sendable>: RandomAccessCollection, Sendable
where Record.ID == Int64 {
    /// The records in the order of the query, or of the requested identifiers.
    public let objects: [Record]
    private let index: Locked<[Int64: Record]?>

    init(_ objects: [Record]) {
        self.objects = objects
        index = Locked(nil)
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of records.
    public var endIndex: Int { objects.count }
    /// The record at a position.
    public subscript(position: Int) -> Record { objects[position] }

    /// The record with the given identifier.
    ///
    /// - Complexity: O(*n*) the first time, O(1) afterward.
    public subscript(id id: Int64) -> Record? { byID[id] }

    /// All records by identifier.
    ///
    /// - Complexity: O(*n*) the first time, O(1) afterward.
    public var byID: [Int64: Record] {
        index.withLock { index in
            if let index { return index }
            let made = Dictionary(objects.map { ($0.id, $0) }) { first, _ in first }
            index = made
            return made
        }
    }
}
