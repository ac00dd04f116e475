import Automerge
import DocumentStore
import Replication

/// An instant for every change of a document, for time travel through its history.
///
/// The clocks of authors differ, and most programs record no time at all. But a state of the
/// document is consistent only if each change comes after its dependencies. Therefore, the instant
/// of a change is its recorded time if that is later than the instants of its dependencies.
/// Otherwise, it is a microsecond after the latest instant of its dependencies. All instants
/// are distinct.
struct DocumentTimes: Sendable {
    /// The indexes of the changes, ordered by instant.
    private(set) var order: [Int32] = []
    /// The instants in the order of ``order``, ascending.
    private(set) var instants: [Timestamp] = []
    /// The position of each change in ``order``.
    private(set) var ranks: [Int32] = []
    /// The author of each change, as an index into `actors`.
    private(set) var authors: [Int32] = []
    private(set) var actors: [ActorId] = []
    private(set) var changeCounts: [Int] = []

    var count: Int { order.count }

    /// The limit to which times are clamped. Incrementing a time below this limit can't overflow.
    private static let farthest: Int64 = .max / 10

    init(_ document: Document) {
        let total = document.changeCount
        var given: [Int64] = []
        given.reserveCapacity(total)
        var least = Int64.max
        var indices: [ActorId: Int32] = [:]
        document.forEachRecordedChange { change in
            let author = indices[change.actor] ?? Int32(actors.count)
            if Int(author) == actors.count {
                indices[change.actor] = author
                actors.append(change.actor)
                changeCounts.append(0)
            }
            changeCounts[Int(author)] += 1
            authors.append(author)
            if change.time != 0 { least = min(least, Self.microseconds(change.time)) }
        }
        // If neither a change nor any of its dependencies has a recorded time, the change comes
        // before the first recorded time.
        let origin = (least == .max ? Self.microseconds(0) : least) - Int64(total) - 1
        document.forEachRecordedChange { change in
            let after = change.dependencyNumbers.map { given[$0] }.max() ?? origin
            let own = change.time == 0 ? origin : Self.microseconds(change.time)
            given.append(max(own, after + 1))
        }
        arrange(given)
    }

    private mutating func arrange(_ given: [Int64]) {
        order = given.indices.map { Int32($0) }.sorted {
            given[Int($0)] != given[Int($1)] ? given[Int($0)] < given[Int($1)] : $0 < $1
        }
        ranks = [Int32](repeating: 0, count: given.count)
        instants.reserveCapacity(given.count)
        var last = Int64.min
        for (rank, change) in order.enumerated() {
            last = max(given[Int(change)], last == .min ? last : last + 1)
            instants.append(Timestamp(microseconds: last))
            ranks[Int(change)] = Int32(rank)
        }
    }

    private static func microseconds(_ recorded: Int64) -> Int64 {
        guard let value = ChangeTime(recorded: recorded).microseconds else {
            return recorded < 0 ? -farthest : farthest
        }
        return max(-farthest, min(farthest, value))
    }

    /// Returns the number of changes made up to an instant, or of all changes if it is `nil`.
    func count(through instant: Timestamp?) -> Int {
        guard let instant else { return count }
        return instants.indices.firstPosition { instants[$0] > instant }
    }

    /// Returns the instant of the change with this index.
    func instant(of change: Int) -> Timestamp? {
        guard ranks.indices.contains(change) else { return nil }
        return instants[Int(ranks[change])]
    }

    /// Returns for each change whether it is among the first `count` changes.
    func known(_ count: Int) -> [Bool] { ranks.map { Int($0) < count } }

    /// Returns the nearest earlier or later instant with a change by one of `actors`, or by any
    /// actor if `actors` is `nil`.
    func step(from instant: Timestamp, backwards: Bool, actors: Set<Int>?) -> Timestamp? {
        let made = count(through: instant)
        func isWanted(_ rank: Int) -> Bool {
            actors?.contains(Int(authors[Int(order[rank])])) ?? true
        }
        if backwards {
            let before = made > 0 && instants[made - 1] == instant ? made - 1 : made
            return (0..<before).last(where: isWanted).map { instants[$0] }
        }
        return (made..<count).first(where: isWanted).map { instants[$0] }
    }
}
