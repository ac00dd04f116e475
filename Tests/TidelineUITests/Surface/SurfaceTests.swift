import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// Drawing text and lines on a surface.
@Suite struct SurfaceTests {
    private func surface(_ columns: Int, _ rows: Int, isASCII: Bool = false) -> Surface {
        Surface(size: Size(columns: columns, rows: rows), isASCII: isASCII)
    }

    @Test func textIsDrawnAtItsPosition() {
        var surface = surface(10, 3)
        let width = surface.put("key", at: Point(column: 2, row: 1))
        #expect(width == 3)
        #expect(surface.lines == ["", "  key", ""])
    }

    /// A text, the available columns, and the expected result.
    struct Cut: Sendable {
        var text: String
        var width: Int
        var truncation: Surface.Truncation
        var result: String
        var columns: Int
    }

    @Test(arguments: [
        Cut(text: "abcdef", width: 6, truncation: .tail, result: "abcdef", columns: 6),
        Cut(text: "abcdef", width: 5, truncation: .tail, result: "abcd…", columns: 5),
        Cut(text: "abcdef", width: 5, truncation: .clip, result: "abcde", columns: 5),
        Cut(text: "abcdef", width: 1, truncation: .tail, result: "…", columns: 1),
        Cut(text: "abcdef", width: 0, truncation: .tail, result: "", columns: 0),
        Cut(text: "日本語", width: 6, truncation: .tail, result: "日本語", columns: 6),
        Cut(text: "日本語", width: 5, truncation: .tail, result: "日本…", columns: 5),
        Cut(text: "日本語", width: 4, truncation: .tail, result: "日…", columns: 3),
        Cut(text: "日本語", width: 3, truncation: .clip, result: "日", columns: 2),
        Cut(
            text: "e\u{301}e\u{301}e\u{301}", width: 2, truncation: .clip,
            result: "e\u{301}e\u{301}", columns: 2),
        Cut(text: "👨‍👩‍👧x", width: 5, truncation: .clip, result: "", columns: 0),
        Cut(text: "a\nb", width: 5, truncation: .tail, result: "a␊b", columns: 3),
        Cut(text: "\r\n", width: 5, truncation: .tail, result: "␍␊", columns: 2),
        Cut(text: "é\u{9B}m", width: 9, truncation: .tail, result: "é\\x9bm", columns: 6),
    ])
    func textsAreCutAtClusters(_ cut: Cut) {
        var surface = surface(12, 1)
        surface.put("............", at: .zero)
        let width = surface.put(
            cut.text, at: .zero, maxWidth: cut.width, truncation: cut.truncation)
        #expect(width == cut.columns)
        let shown = surface.line(0)
        #expect(shown.hasPrefix(cut.result) || cut.result.isEmpty)
        #expect(
            shown.count == shown.unicodeScalars.count || cut.text.unicodeScalars.contains("\u{301}")
        )
    }

    @Test func wideCharactersAreNeverSplit() {
        var surface = surface(6, 1)
        surface.put("日本語", at: .zero)
        surface.put("x", at: Point(column: 1, row: 0))
        #expect(surface.line(0) == " x本語")
        surface.put("y", at: Point(column: 2, row: 0))
        #expect(surface.line(0) == " xy 語")
        surface.fill(Rect(column: 5, row: 0, columns: 1, rows: 1))
        #expect(surface.line(0) == " xy")
        surface.put("日", at: Point(column: 5, row: 0), truncation: .clip)
        #expect(surface.line(0) == " xy")
    }

    /// Every wide character keeps its right half, and every right half its left, whatever is drawn.
    @Test func cellsAlwaysFitTogether() {
        var random = SeededRandom(seed: 3)
        let texts = ["a", "日", "日本", "e\u{301}", "👩‍💻x", "\u{1B}", "ﾊ", "", "x日", "🇩🇪", "क्षि"]
        for run in 0..<400 {
            let size = Size(
                columns: Int.random(in: 0...12, using: &random),
                rows: Int.random(in: 0...4, using: &random))
            var surface = Surface(size: size)
            for _ in 0..<30 {
                let point = Point(
                    column: Int.random(in: -4...14, using: &random),
                    row: Int.random(in: -1...4, using: &random))
                let count = Int.random(in: -1...9, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0:
                    surface.fill(
                        Rect(column: point.column, row: point.row, columns: count, rows: 2))
                case 1:
                    surface.box(
                        Rect(column: point.column, row: point.row, columns: count, rows: count),
                        title: texts.randomElement(using: &random) ?? "")
                default:
                    surface.put(
                        texts.randomElement(using: &random) ?? "", at: point, maxWidth: count,
                        truncation: [.clip, .tail].randomElement(using: &random) ?? .clip)
                }
            }
            for row in 0..<size.rows {
                for column in 0..<size.columns {
                    let cell = surface[column, row]
                    let isRight = column > 0 && surface[column - 1, row].width == 2
                    #expect((cell.width == 0) == isRight, "run \(run)")
                    #expect(cell.width < 2 || column + 1 < size.columns, "run \(run)")
                }
            }
        }
    }

    @Test func framesAreClippedAtTheEdge() {
        var surface = surface(8, 4)
        surface.box(surface.bounds, title: "Keys")
        #expect(surface.lines == ["┌Keys──┐", "│      │", "│      │", "└──────┘"])
        var small = self.surface(4, 2, isASCII: true)
        small.put("é日x", at: .zero)
        #expect(small.lines[0] == "e??x")
        small.fill(small.bounds)
        small.box(Rect(column: -1, row: 0, columns: 4, rows: 3))
        #expect(small.lines == ["--+", "  |"])
    }

    @Test func textIsAligned() {
        var surface = surface(9, 3)
        surface.put("日本", in: surface.bounds, row: 0, alignment: .trailing)
        surface.put("abc", in: surface.bounds, row: 1, alignment: .center)
        surface.put("far too long", in: surface.bounds, row: 2, alignment: .trailing)
        #expect(surface.lines == ["     日本", "   abc", "far too …"])
    }

    @Test func overlaidStyleKeepsUnsetAttributes() {
        let red = Style(foreground: .indexed(1), attributes: .bold)
        var surface = surface(3, 1)
        surface.put("abc", at: .zero, style: red)
        surface.restyle(
            Rect(column: 1, row: 0, columns: 1, rows: 1),
            Style(background: .indexed(4), attributes: .reverse))
        #expect(surface[0, 0].style == red)
        #expect(
            surface[1, 0].style
                == Style(
                    foreground: .indexed(1), background: .indexed(4),
                    attributes: [.bold, .reverse]))
    }

    @Test func differenceContainsOnlyChangedCells() {
        var before = surface(8, 3)
        before.put("日本語", at: .zero)
        before.put("same", at: Point(column: 0, row: 1))
        var after = before
        #expect(after.changes(since: before).isEmpty)
        after.put("本", at: Point(column: 0, row: 0))
        after.put("x", at: Point(column: 7, row: 2))
        #expect(
            after.changes(since: before) == [
                .init(row: 0, columns: 0..<2), .init(row: 2, columns: 7..<8),
            ])
        #expect(after.changes(since: nil).count == 3)
        #expect(after.changes(since: surface(8, 2)).count == 3)
    }

    @Test func differenceNeverCutsAWideCharacter() {
        var before = surface(4, 1)
        before.put("a日b", at: .zero)
        var after = surface(4, 1)
        after.put("日ab", at: .zero)
        #expect(after.changes(since: before) == [.init(row: 0, columns: 0..<3)])
    }

    @Test func longTextCostsOnlyItsVisiblePart() {
        var surface = surface(20, 2)
        let long = String(repeating: "日", count: 1_000_000)
        for _ in 0..<100 { surface.put(long, at: .zero) }
        #expect(surface.line(0) == "日日日日日日日日日…")
        // The cost doesn't depend on the length of a huge cluster either.
        let marks = "a" + String(repeating: "\u{301}", count: 500_000)
        let ascii = String(repeating: "a", count: 5_000_000)
        for _ in 0..<100 { surface.put(ascii, at: Point(column: 0, row: 1)) }
        #expect(surface.line(1) == "aaaaaaaaaaaaaaaaaaa…")
        for _ in 0..<10 { surface.put(marks, at: Point(column: 0, row: 1)) }
        #expect(surface[0, 1].glyph.marks.count == 4)
    }
}
