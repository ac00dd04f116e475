import Testing

@testable import TidelineCore

/// The rows of a window, and the order in which a search visits rows.
@Suite struct RowWindowTests {
    private func range(
        _ position: WindowRequest.Position, count: Int = 10, of total: Int, found: Int? = nil
    ) -> Range<Int> {
        WindowRequest(position: position, count: count).range(of: total, found: found)
    }

    @Test func windowsStayInsideTheList() {
        #expect(range(.index(5), of: 100) == 5..<15)
        #expect(range(.index(95), of: 100) == 90..<100)
        #expect(range(.index(-3), of: 100) == 0..<10)
        #expect(range(.index(.max), of: 100) == 90..<100)
        #expect(range(.index(0), of: 3) == 0..<3)
        #expect(range(.index(7), of: 0) == 0..<0)
        #expect(range(.index(0), count: -1, of: 9) == 0..<0)
    }

    @Test func rowIsPlacedAtTheRequestedOffset() {
        let row = RowID("x")
        #expect(range(.row(row, offset: 2, fallback: 0), of: 100, found: 50) == 48..<58)
        #expect(range(.row(row, offset: 2, fallback: 40), of: 100) == 38..<48)
        #expect(range(.row(row, offset: .min, fallback: 400), of: 100) == 0..<10)
        #expect(range(.search("x", from: 7, backwards: false), of: 100, found: 50) == 45..<55)
    }

    @Test(arguments: [0, 1, 2, 255, 256, 257, 1000], [true, false])
    func searchVisitsEveryRowOnceFromTheNextOne(
        count: Int, isBackwards: Bool
    ) {
        for from in Set([0, count / 2, count - 1, -5, count + 5]) {
            let parts = Array(SearchParts(of: count, from: from, backwards: isBackwards))
            let passed = parts.flatMap { isBackwards ? $0.reversed() : Array($0) }
            #expect(passed.sorted() == Array(0..<count))
            guard count > 1 else { continue }
            let start = max(0, min(from, count - 1))
            let next = isBackwards ? start - 1 : start + 1
            #expect(passed.first == (next + count) % count)
            #expect(isBackwards ? passed.last == start : passed.last == start)
        }
    }

    @Test func answersAreCachedForTheirStateOrMark() {
        let kept = ResultCache<Int, String>()
        var made = 0
        func answer(_ state: Int, _ filter: String, mark: Int? = nil) -> String {
            kept.answer(to: RowQuery(filter: filter), in: state, mark: { mark }) {
                made += 1
                return "\(made)"
            }
        }
        #expect(answer(1, "a") == "1")
        #expect(answer(1, "a") == "1")
        #expect(answer(2, "a") == "2")
        #expect(answer(2, "past", mark: 7) == "3")
        #expect(answer(3, "past", mark: 7) == "3")
        #expect(answer(4, "past", mark: 8) == "4")
        #expect(answer(4, "a") == "5")
        for filter in ["b", "c", "d", "e"] { _ = answer(4, filter) }
        #expect(answer(4, "e") == "9")
        #expect(answer(4, "a") == "10", "the least recently requested one is dropped")
    }
}
