/// What a fetch found: in the order of the query, and by identifier.
public struct FetchResult<Record: Identifiable & Sendable>: RandomAccessCollection, Sendable
where Record.ID == Int64 {
    /// In the order of the query, or of the identifiers that were asked for.
    public let objects: [Record]
    private let index: Locked<[Int64: Record]?>

    init(_ objects: [Record]) {
        self.objects = objects
        index = Locked(nil)
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { objects.count }
    public subscript(position: Int) -> Record { objects[position] }

    /// The one with that identifier.
    /// - Complexity: O(*n*) the first time, O(1) afterwards.
    public subscript(id id: Int64) -> Record? { byID[id] }

    /// All by identifier.
    /// - Complexity: O(*n*) the first time, O(1) afterwards.
    public var byID: [Int64: Record] {
        index.withLock { index in
            if let index { return index }
            let made = Dictionary(objects.map { ($0.id, $0) }) { first, _ in first }
            index = made
            return made
        }
    }
}
