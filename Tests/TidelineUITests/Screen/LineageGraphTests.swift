import Replication
import TestSupport
import Testing

@testable import TidelineCore
@testable import TidelineUI

/// The writes of a conflict, drawn as a graph with a lane per device.
@Suite struct LineageGraphTests {
    /// Writes by author, newest first, each with the indices of its causal parents.
    private func lineage(_ writes: [(String, [Int], Int?)]) throws -> [ConflictDetail.Write] {
        try writes.enumerated().map { index, write in
            ConflictDetail.Write(
                author: .device(try DeviceID(write.0)),
                instant: Timestamp(microseconds: Int64(writes.count - index)), value: "v",
                parents: write.1, side: write.2, isBase: index == writes.count - 1)
        }
    }

    @Test func twoSidesLeaveTheirBase() throws {
        let graph = LineageGraph(
            try lineage([("a", [2], 0), ("b", [2], 1), ("a", [], nil)]), isASCII: false)
        #expect(graph.lanes.map(\.name) == ["a", "b"])
        #expect(graph.lines == ["●", "│ ●", "◆─╯"])
    }

    @Test func writeWithTwoParentsReachesBoth() throws {
        let graph = LineageGraph(
            try lineage([
                ("a", [3], 0), ("c", [2, 3], 1), ("b", [4], nil), ("a", [4], nil), ("a", [], nil),
            ]), isASCII: false)
        #expect(graph.lines == ["●", "│ ●", "│ ├─○", "○─╯ │", "◆───╯"])
    }

    @Test func linesOfUnrelatedWritesCross() throws {
        let graph = LineageGraph(
            try lineage([
                ("a", [3], 0), ("b", [4], 1), ("c", [3], 2), ("a", [4], nil), ("a", [], nil),
            ]), isASCII: false)
        #expect(graph.lines == ["●", "│ ●", "│ │ ●", "○─┼─╯", "◆─╯"])
    }

    @Test func asciiGraphUsesOnlyASCII() throws {
        let graph = LineageGraph(
            try lineage([
                ("a", [3], 0), ("b", [4], 1), ("c", [3], 2), ("a", [4], nil), ("a", [], nil),
            ]), isASCII: true)
        #expect(graph.lines == ["@", "| @", "| | @", "o-+-'", "O-'"])
        #expect(graph.lines.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
    }

    @Test func unlistedParentsAddNoLines() throws {
        let graph = LineageGraph(try lineage([("a", [9], 0), ("b", [], 1)]), isASCII: false)
        #expect(graph.lines.count == 2)
    }

    /// Every line that starts at a write ends at a write below.
    @Test(arguments: 0..<50)
    func everyLaneEndsAtItsLastKnownWrite(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let count = 12
        let writes = (0..<count).map { index -> (String, [Int], Int?) in
            let older = Array(index + 1..<count + 1).filter { $0 < count }
            let known = older.isEmpty ? [] : [older.randomElement(using: &random) ?? 0]
            return (["a", "b", "c", "d"].randomElement(using: &random) ?? "a", known, nil)
        }
        let graph = LineageGraph(try lineage(writes), isASCII: false)
        let last = try #require(graph.lines.last)
        // The last write ends all lines.
        #expect(!last.contains { "│├┤┼╭╮┬○●".contains($0) }, "\(last)")
        for (number, write) in writes.enumerated() {
            let lane = try #require(graph.lanes.firstIndex { $0.name == write.0 })
            let signs = Array(graph.lines[number])
            #expect(signs.indices.contains(lane * 2))
            #expect(["○", "●", "◆"].contains(signs[lane * 2]))
            // The lane stays filled between a write and its parent.
            for below in (number + 1)..<max(number + 1, write.1.first ?? 0) {
                let signs = Array(graph.lines[below])
                #expect(signs.indices.contains(lane * 2) && signs[lane * 2] != " ")
            }
        }
    }
}
