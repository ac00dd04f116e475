import Automerge
import Foundation
import Replication

/// An instant for every change of a document, so that its history can be walked through in time.
///
/// Clocks of authors differ, and most programs record no time at all; but a state of the document is
/// whole only if each change comes after those it depends on. So the instant of a change is its own
/// time where that is later than those of what it depends on, and a microsecond after them
/// otherwise; no two changes have the same one.
struct DocumentTimes: Sendable {
    /// The numbers of the changes, by instant.
    private(set) var order: [Int32] = []
    /// The instants, ascending: that of the change `order[0]` first.
    private(set) var instants: [Timestamp] = []
    /// Where each change stands in `order`.
    private(set) var ranks: [Int32] = []
    /// Who made each change, as an index into `actors`.
    private(set) var authors: [Int32] = []
    private(set) var actors: [ActorId] = []
    private(set) var changeCounts: [Int] = []

    var count: Int { order.count }

    /// A tenth of what a timestamp can say: so far from the ends that counting up is safe.
    private static let farthest: Int64 = .max / 10
    /// From 1970, as changes count, to 2001.
    private static let secondsToReference: Int64 = 978_307_200

    init(_ document: Document) {
        let total = document.changeCount
        var given: [Int64] = []
        given.reserveCapacity(total)
        var least = Int64.max
        var indices: [ActorId: Int32] = [:]
        for start in stride(from: 0, to: total, by: 4096) {
            for change in document.recordedChanges(start..<min(start + 4096, total)) {
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
        }
        // Changes without a time that depend on none with one come before the first time.
        let origin = (least == .max ? Self.microseconds(0) : least) - Int64(total) - 1
        for start in stride(from: 0, to: total, by: 4096) {
            for change in document.recordedChanges(start..<min(start + 4096, total)) {
                let after = change.dependencyNumbers.map { given[$0] }.max() ?? origin
                let own = change.time == 0 ? origin : Self.microseconds(change.time)
                given.append(max(own, after + 1))
            }
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

    private static func microseconds(_ seconds: Int64) -> Int64 {
        let (shifted, overflow) = seconds.subtractingReportingOverflow(secondsToReference)
        let (value, tooFar) = shifted.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow, !tooFar else { return seconds < 0 ? -farthest : farthest }
        return max(-farthest, min(farthest, value))
    }

    /// How many changes had been made at an instant.
    func count(through instant: Timestamp) -> Int {
        var low = 0
        var high = instants.count
        while low < high {
            let middle = (low + high) / 2
            if instants[middle] <= instant { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The instant of a change, by its number.
    func instant(of change: Int) -> Timestamp? {
        guard ranks.indices.contains(change) else { return nil }
        return instants[Int(ranks[change])]
    }

    /// Which changes had been made when there were `count` of them.
    func known(_ count: Int) -> [Bool] { ranks.map { Int($0) < count } }

    /// The nearest instant before or after, at which one of `actors` (or anybody) made a change.
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
