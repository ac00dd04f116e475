import Replication

/// The rows of a live list at one moment.
///
/// Successive lists share the parts that didn't change.
public struct LiveRows<Record: Sendable>: RandomAccessCollection, Sendable {
    /// An immutable part of the list.
    private final class Piece: Sendable {
        let ids: [Int64]
        let records: [Record]

        init(_ ids: [Int64], _ records: [Record]) {
            self.ids = ids
            self.records = records
        }
    }

    private var pieces: [Piece] = []
    /// The offset of the first row of each part.
    private var starts: [Int] = []
    /// The number of rows.
    public private(set) var count = 0

    private static var usualSize: Int { 512 }

    init() {}

    init(ids: [Int64], records: [Record]) {
        pieces = Self.cut(ids, records)
        number()
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { count }

    /// - Complexity: O(log *n*).
    public subscript(position: Int) -> Record {
        let piece = piece(of: position)
        return pieces[piece].records[position - starts[piece]]
    }

    func id(at position: Int) -> Int64 {
        let piece = piece(of: position)
        return pieces[piece].ids[position - starts[piece]]
    }

    /// All identifiers, in order.
    var ids: [Int64] { pieces.flatMap(\.ids) }

    /// Returns the offsets of rows that are in the list.
    func offsets(of ids: Set<Int64>) -> [Int64: Int] {
        var offsets: [Int64: Int] = [:]
        for (piece, start) in zip(pieces, starts) {
            // Hashing each row would cost much more than a linear search for one row.
            if ids.count == 1, let id = ids.first {
                if let place = piece.ids.firstIndex(of: id) { return [id: start + place] }
                continue
            }
            for (place, id) in piece.ids.enumerated() where ids.contains(id) {
                offsets[id] = start + place
            }
        }
        return offsets
    }

    mutating func remove(at position: Int) {
        let place = piece(of: position)
        let offset = position - starts[place]
        var (ids, records) = (pieces[place].ids, pieces[place].records)
        ids.remove(at: offset)
        records.remove(at: offset)
        pieces.replaceSubrange(place...place, with: ids.isEmpty ? [] : [Piece(ids, records)])
        number()
    }

    mutating func insert(_ record: Record, id: Int64, at position: Int) {
        guard !pieces.isEmpty else {
            self = LiveRows(ids: [id], records: [record])
            return
        }
        let place = position == count ? pieces.count - 1 : piece(of: position)
        let offset = position - starts[place]
        var (ids, records) = (pieces[place].ids, pieces[place].records)
        ids.insert(id, at: offset)
        records.insert(record, at: offset)
        let isLong = ids.count > 2 * Self.usualSize
        pieces.replaceSubrange(
            place...place, with: isLong ? Self.cut(ids, records) : [Piece(ids, records)])
        number()
    }

    private func piece(of position: Int) -> Int {
        Swift.max(0, starts.indices.firstPosition { starts[$0] > position } - 1)
    }

    private mutating func number() {
        starts.removeAll(keepingCapacity: true)
        count = 0
        for piece in pieces {
            starts.append(count)
            count += piece.ids.count
        }
    }

    private static func cut(_ ids: [Int64], _ records: [Record]) -> [Piece] {
        stride(from: 0, to: ids.count, by: usualSize).map { start in
            let range = start..<Swift.min(ids.count, start + usualSize)
            return Piece(Array(ids[range]), Array(records[range]))
        }
    }
}
