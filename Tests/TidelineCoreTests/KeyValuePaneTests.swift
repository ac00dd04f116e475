import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// The lists of a package's panes: rows, order and search.
@Suite struct KeyValuePaneTests {
    private let shared: SharedPackage

    init() throws { shared = try SharedPackage() }

    private func texts(_ row: Row) -> [String] { row.cells.map(\.text) }

    @Test func everyPaneIsPresentAndCounted() async throws {
        let before = try FolderState(of: shared.path)
        let pane = try await PaneSession(shared.path)
        #expect(
            pane.session.panes.map(\.id.name) == [
                "keys", "log", "conflicts", "entities", "types", "documents", "devices", "blobs",
                "problems",
            ])
        let status = pane.session.status
        #expect(status.phase == .live)
        var counts = status.counts
        // Blobs are counted asynchronously.
        #expect([nil, 1].contains(counts.removeValue(forKey: .blobs)))
        #expect(counts == [.keys: 7, .log: 12, .conflicts: 1, .devices: 3])
        #expect(status.conflictCount == 1)
        #expect(status.ownDevice?.name == "desk")
        #expect(status.devices.map(\.name) == ["anna", "Ben's iPad", "cleo"])
        #expect(status.devices.map(\.rows) == [8, 2, 2])
        #expect(status.problems.isEmpty)
        await pane.close()
        #expect(try FolderState(of: shared.path) == before, "reading changes nothing")
    }

    @Test func keysAreSortedAndShowValueTypeDeviceAndAge() async throws {
        let pane = try await PaneSession(shared.path)
        let rows = try await pane.rows(.keys)
        #expect(rows.map(\.id.name) == SharedPackage.keys)
        #expect(rows.map { $0.cells[0].text } == SharedPackage.keys)
        #expect(
            rows.map { $0.cells[2].text } == [
                "integer", "date", "string", "boolean", "list", "bytes", "string",
            ])
        #expect(
            texts(rows[2]) == [
                "note/1/title", "\"Groceries list\"", "string", "Ben's iPad",
                shared.instants[1].iso8601,
            ])
        #expect(rows[2].cells[4].instant == shared.instants[1])
        #expect(rows.map(\.isConflict) == [false, true, false, false, false, false, false])
        #expect(
            rows.map { $0.device?.name } == ["anna", "ben", "ben", "anna", "anna", "anna", "cleo"])
        #expect(rows[1].cells[1].text == "1970-01-03T00:00:00Z")
        await pane.close()
    }

    @Test func sizesOfBlobsHaveAUnitAndAreExactInTheInspector() async throws {
        try StorePackage(opening: shared.path).blobs.put(Data(count: 24_676), at: "large")
        let pane = try await PaneSession(shared.path)
        let row = try #require(try await pane.rows(.blobs).first { $0.id.name == "large" })
        #expect(row.cells[1].text == "24.7 kB" && row.cells[1].value == .json(.integer(24_676)))
        let detail = try await pane.detail(.blobs, "large")
        #expect(detail.lines("Blob").first == "size 24.7 kB (24,676 bytes)")
        await pane.close()
    }

    @Test func detailsShowTimesInTheZoneOfTheTask() async throws {
        let pane = try await PaneSession(shared.path)
        let written = shared.instants[1]
        let offsets: [(UTCOffset, String)] = [
            (0, "Z"), (.fixed(-18_000), " UTC-5"), (.fixed(20_700), " UTC+5:45"),
        ]
        for (offset, suffix) in offsets {
            let detail = try await UTCOffset.$shown.withValue(offset) {
                try await pane.source(.keys).detail(of: RowID("note/1/title"), at: nil)
            }
            let lines = try #require(detail).sections.flatMap(\.lines)
            let time = try #require(lines.first { $0.label == "time" })
            #expect(time.instant == written && time.text.hasSuffix(suffix))
            let seconds = offset.seconds(at: written)
            let local = try #require(written.moved(bySeconds: seconds)).plainISO8601.dropLast()
            #expect(time.text.dropLast(suffix.count) == local.replacing("T", with: " "))
        }
        await pane.close()
    }

    @Test func windowsAreFoundByNumberRowAndSearch() async throws {
        let pane = try await PaneSession(shared.path)
        let keys = try pane.source(.keys)
        func window(_ position: WindowRequest.Position, _ count: Int = 3) async throws -> RowWindow
        {
            try await keys.window(WindowRequest(position: position, count: count))
        }
        let first = try await window(.index(0))
        #expect(first.rows.map(\.id.name) == Array(SharedPackage.keys.prefix(3)))
        #expect((first.start, first.total, first.isTotalExact) == (0, 7, true))
        let last = try await window(.index(.max))
        #expect(last.rows.map(\.id.name) == Array(SharedPackage.keys.suffix(3)))
        #expect(last.start == 4)
        let around = try await window(.row(RowID("note/2/done"), offset: 1, fallback: 0))
        #expect((around.start, around.found) == (2, 3))
        let gone = try await window(.row(RowID("gone"), offset: 0, fallback: 2))
        #expect((gone.start, gone.found) == (2, nil))
        #expect(try await window(.search("GROCERIES", from: 0, backwards: false)).found == nil)
        #expect(try await window(.search("groceries", from: 3, backwards: false)).found == 2)
        #expect(try await window(.search("note/3", from: 0, backwards: true)).found == 5)
        #expect(try await window(.index(-5), -1).rows.isEmpty)
        #expect(try await window(.row(RowID("x"), offset: .min, fallback: .max)).total == 7)
        await pane.close()
    }

    struct FilterCase {
        let filter: String
        let keys: [String]

        init(_ filter: String, _ keys: String...) {
            self.filter = filter
            self.keys = keys
        }
    }

    private static let filters = [
        FilterCase("key:note/1/*", "note/1/count", "note/1/due", "note/1/title"),
        FilterCase("title", "note/1/title"),
        FilterCase("groceries -list"),
        FilterCase("value:Groceries*", "note/1/title"),
        FilterCase("value~/^Gro.*t$/", "note/1/title"),
        FilterCase("value>2 value<4", "note/1/count"),
        FilterCase("type:date", "note/1/due"),
        FilterCase("type:boolean | type:array", "note/2/done", "note/3/list"),
        FilterCase("device:cleo", "note/4/new"),
        FilterCase("device:ben", "note/1/due", "note/1/title"),
        FilterCase("device:\"Ben's iPad\"", "note/1/due", "note/1/title"),
        FilterCase("device~iPad", "note/1/due", "note/1/title"),
        FilterCase("size>4k", "note/3/raw"),
        FilterCase("size<60 device:anna", "note/1/count", "note/2/done", "note/3/list"),
        FilterCase("conflict:yes", "note/1/due"),
        FilterCase("conflict:no device:ben", "note/1/title"),
        FilterCase("age<1d"),
        FilterCase("age>1d key:*new", "note/4/new"),
    ]

    @Test func keysAreFilteredByEveryField() async throws {
        let pane = try await PaneSession(shared.path)
        for test in Self.filters {
            #expect(try await pane.names(.keys, test.filter) == test.keys, "\(test.filter)")
        }
        await pane.close()
    }

    @Test func everyOfferedFilterFieldIsAccepted() async throws {
        let pane = try await PaneSession(shared.path)
        #expect(try !pane.source(.keys).filterFields.isEmpty)
        for place in pane.session.panes {
            for field in place.source.filterFields {
                _ = try await pane.names(place.id, field.example)
                await #expect(throws: FilterError.self, "\(place.id.name) \(field.name)") {
                    _ = try await pane.names(place.id, "\(field.name):\"")
                }
            }
            await #expect(throws: FilterError.self) {
                _ = try await pane.names(place.id, "color:red")
            }
            for column in place.source.columns where column.isSortable {
                let up = try await pane.sorted(place.id, column.id)
                let down = try await pane.sorted(place.id, column.id, descending: true)
                #expect(up.sorted() == down.sorted(), "\(place.id.name) \(column.id)")
            }
        }
        await pane.close()
    }

    @Test func keysAreSortedByEveryColumn() async throws {
        let pane = try await PaneSession(shared.path)
        let keys = SharedPackage.keys
        #expect(try await pane.sorted(.keys, "key", descending: true) == keys.reversed())
        #expect(
            try await pane.sorted(.keys, "type")
                == [keys[3], keys[5], keys[1], keys[0], keys[4], keys[2], keys[6]])
        #expect(
            try await pane.sorted(.keys, "device")
                == [keys[1], keys[2], keys[0], keys[3], keys[4], keys[5], keys[6]])
        // Values are sorted as booleans, numbers, dates, texts, bytes and lists.
        #expect(
            try await pane.sorted(.keys, "value")
                == [keys[3], keys[0], keys[1], keys[2], keys[6], keys[5], keys[4]])
        // Youngest first: the newest row has the least age.
        #expect(
            try await pane.sorted(.keys, "age")
                == [keys[6], keys[1], keys[2], keys[0], keys[3], keys[4], keys[5]])
        await pane.close()
    }

    @Test func valuesAreSortedByType() {
        let ordered: [PropertyList] = [
            .boolean(false), .boolean(true), .integer(.min), .integer(-3), .real(-2.5), .integer(2),
            .integer(10), .real(10.5), .integer(9_007_199_254_740_992),
            .integer(9_007_199_254_740_993), .integer(.max - 1), .integer(.max),
            .unsigned(UInt64(Int64.max) + 1), .unsigned(.max - 1), .unsigned(.max), .real(1e300),
            .date(Date(timeIntervalSince1970: 1)), .date(Date(timeIntervalSince1970: 2)),
            .string(""), .string("9"), .string("10"), .string("a"), .data(Data([9])),
            .data(Data([1, 1])), .array([]), .dictionary([:]),
        ]
        let marks = ordered.map { ValueOrder($0) } + [ValueOrder(nil)]
        for (a, b) in zip(marks, marks.dropFirst()) { #expect(a < b && !(b < a), "\(a) \(b)") }
        #expect(ValueOrder(.integer(2)) == ValueOrder(.real(2)))
    }

    @Test func keyFileNamesEachRowOnce() async throws {
        let pane = try await PaneSession(shared.path)
        for (place, column) in [
            (PaneID.keys, "key"), (.conflicts, "name"), (.devices, "device"), (.blobs, "blob"),
        ] {
            let source = try pane.source(place)
            let rows = try await pane.rows(place)
            let records = try await source.records(of: rows, at: nil)
            #expect(!rows.isEmpty && records[0].members.first?.name == column)
            #expect(records.map { $0[column] } == rows.map { .string($0.id.name) })
            #expect(records.allSatisfy { $0["id"] == nil })
        }
        let log = try pane.source(.log)
        let records = try await log.records(of: try await pane.rows(.log), at: nil)
        #expect(records.allSatisfy { $0["id"] != nil })
        // Parents are exported as log --json prints them.
        #expect(records[0]["parent"] == .array([]))
        #expect(records[1]["parent"]?.line.hasPrefix(#"[{"device":"anna","timestamp":"#) == true)
        await pane.close()
    }

    @Test func logRowsAreSortedNewestFirst() async throws {
        let pane = try await PaneSession(shared.path)
        let rows = try await pane.rows(.log)
        #expect(rows.count == 12)
        #expect(
            rows.prefix(5).map { [$0.cells[1].text, $0.cells[2].text, $0.cells[3].text] } == [
                ["cleo", "note/4/new", "\"x\""], ["anna", "note/2/ratio", "deleted"],
                ["Ben's iPad", "note/1/due", "1970-01-03T00:00:00Z"],
                ["cleo", "note/1/due", "1970-01-02T00:00:00Z"],
                ["Ben's iPad", "note/1/title", "\"Groceries list\""],
            ])
        #expect(
            rows.prefix(5).map { $0.cells[4].text } == [
                "first", "own, 4 s before", "anna", "anna", "anna",
            ])
        #expect(
            rows.prefix(5).map { $0.cells[0].text }
                == shared.instants.suffix(5).reversed().map(\.iso8601))
        #expect(
            rows.map { $0.cells[5].text } == [
                "2", "8", "2", "1", "1", "7", "6", "5", "4", "3", "2", "1",
            ])
        #expect(try pane.source(.log).isNewestFirst)
        await pane.close()
    }

    @Test func logRowsAreFoundByIdentity() async throws {
        let pane = try await PaneSession(shared.path)
        let log = try pane.source(.log)
        for (index, row) in try await pane.rows(.log).enumerated() {
            let window = try await log.window(
                WindowRequest(position: .row(row.id, offset: 0, fallback: 0), count: 1))
            #expect(window.found == index, "\(row.id.name)")
            let one = try await log.window(WindowRequest(position: .index(index), count: 1))
            #expect(one.rows == [row])
        }
        for name in ["", "x", "1 2", "9 9 nobody", "\(Int64.min) \(Int64.max) anna", "1 1 "] {
            let window = try await log.window(
                WindowRequest(position: .row(RowID(name), offset: 0, fallback: 3), count: 1))
            #expect(window.found == nil, "\(name)")
            #expect(try await log.detail(of: RowID(name), at: nil) == nil, "\(name)")
        }
        await pane.close()
    }

    @Test func logRowsAreFilteredAndSearched() async throws {
        let pane = try await PaneSession(shared.path)
        func keys(_ filter: String) async throws -> [String] {
            try await pane.rows(.log, RowQuery(filter: filter)).map { $0.cells[2].text }
        }
        #expect(try await keys("device:ben") == ["note/1/due", "note/1/title"])
        #expect(try await keys("key:note/1/title") == ["note/1/title", "note/1/title"])
        #expect(try await keys("value:Groceries") == ["note/1/title"])
        #expect(try await keys("type:real") == ["note/2/ratio"])
        #expect(try await keys("size>4k") == ["note/3/raw"])
        #expect(try await keys("age<10m").isEmpty)
        #expect(try await keys("age>1d").count == 12)
        let log = try pane.source(.log)
        let found = try await log.window(
            WindowRequest(position: .search("note/2/ratio", from: 1, backwards: false), count: 2))
        let row = try #require(found.found)
        #expect(row > 1)
        #expect(found.rows.contains { $0.cells[2].text == "note/2/ratio" })
        await pane.close()
    }

    /// More conflicts than are read at a time.
    @Test func manyConflictsAreFilteredSortedAndSearched() async throws {
        let shared = try SharedPackage()
        let names = (0..<5_000).map { "many/\(10_000 + $0)" }
        for (device, sign) in [("anna", 1), ("ben", -1)] {
            let values = names.enumerated().map { number, name in
                (Name(name), PropertyList.integer(Int64(sign * (number + 1))))
            }
            try shared.write(device, Dictionary(uniqueKeysWithValues: values))
        }
        let pane = try await PaneSession(shared.path)
        let whole = try await pane.rows(.conflicts)
        let isWhole = whole.map(\.id.name) == names + ["note/1/due"]
        #expect(isWhole)
        #expect(try await pane.names(.conflicts, "winner<-4990") == Array(names.suffix(10)))
        let byKey = try await pane.sorted(.conflicts, "name", descending: true)
        let isReversed = byKey == whole.map(\.id.name).reversed()
        #expect(isReversed)
        let byWinner = try await pane.sorted(.conflicts, "winner")
        let isSorted = byWinner.filter { $0 != "note/1/due" } == names.reversed()
        #expect(isSorted)
        for isBackwards in [false, true] {
            let found = try await pane.source(.conflicts).window(
                WindowRequest(
                    position: .search("-4567", from: 40, backwards: isBackwards), count: 5))
            #expect(found.found == 4_566)
            #expect(found.rows.contains { $0.id.name == "many/14566" })
        }
        await pane.close()
    }

    @Test func conflictsShowTheWinnerAndOtherSides() async throws {
        let pane = try await PaneSession(shared.path)
        let rows = try await pane.rows(.conflicts)
        #expect(
            rows.map(texts) == [
                [
                    "note/1/due", "key", "1970-01-03T00:00:00Z", "Ben's iPad",
                    "1970-01-02T00:00:00Z cleo", shared.instants[3].iso8601,
                ]
            ])
        #expect(rows.map(\.isConflict) == [true])
        for filter in ["key:note/1/*", "winner:1970-01-03*", "device:ben", "others:*cleo", "01-02"]
        {
            #expect(try await pane.names(.conflicts, filter) == ["note/1/due"], "\(filter)")
        }
        for filter in ["key:note/2/*", "device:cleo", "-cleo"] {
            #expect(try await pane.names(.conflicts, filter).isEmpty, "\(filter)")
        }
        await pane.close()
    }

    @Test func devicesShowTheirProgress() async throws {
        let pane = try await PaneSession(shared.path)
        let rows = try await pane.rows(.devices)
        #expect(
            rows.map { [$0.id.name] + texts($0) } == [
                ["anna", "anna", "ok", "8", shared.instants[4].iso8601, "1s", "tideline-2", ""],
                [
                    "ben", "Ben's iPad", "ok", "2", shared.instants[3].iso8601, "2s", "tideline-2",
                    "",
                ],
                ["cleo", "cleo", "ok", "2", shared.instants[5].iso8601, "", "tideline-2", ""],
            ])
        #expect(try await pane.names(.devices, "device:ben") == ["ben"])
        #expect(try await pane.names(.devices, "device:*iPad") == ["ben"])
        #expect(try await pane.names(.devices, "state:ok -anna") == ["ben", "cleo"])
        #expect(
            try await pane.sorted(.devices, "rows", descending: true) == ["anna", "ben", "cleo"])
        let detail = try await pane.detail(.devices, "ben")
        #expect(detail.title == "Ben's iPad")
        #expect(detail.lines("Device").contains("keys 2"))
        await pane.close()
    }

    @Test func openedDeviceShowsTheSeenRowsOfOtherDevices() async throws {
        let pane = try await PaneSession(shared.path)
        let devices = try pane.source(.devices)
        let seen = try #require(try await devices.open(RowID("ben"), at: nil))
        #expect(seen.info.title == "Seen by Ben's iPad")
        func rows(_ query: RowQuery = RowQuery()) async throws -> [[String]] {
            try await seen.window(WindowRequest(query: query, count: 10)).rows.map(texts)
        }
        let first = shared.instants[0].secondText
        #expect(
            try await rows() == [
                ["anna", first, "1", "4s", "0"], ["cleo", "never", "2", "", "1"],
            ])
        #expect(try await rows(RowQuery(filter: "unseen>0")).map(\.first) == ["cleo"])
        #expect(try await rows(RowQuery(filter: "rows<2")).map(\.first) == ["anna"])
        let anna = try #require(try await seen.detail(of: RowID("anna"), at: nil))
        #expect(anna.lines("Seen by Ben's iPad").contains("rows behind 1"))
        let cleo = try #require(try await seen.detail(of: RowID("cleo"), at: nil))
        #expect(cleo.lines("Unseen conflicts") == ["note/1/due"])
        #expect(
            cleo.sections.last?.lines.first?.link
                == Detail.Link(pane: .keys, row: RowID("note/1/due")))
        // A row that the device writes later counts at once.
        try shared.sync("ben")
        try shared.write("ben", ["note/1/due": .integer(1)])
        try await pane.session.reload()
        #expect(try await rows().map { $0[2] } == ["1", "1"])
        #expect(try await seen.detail(of: RowID("nobody"), at: nil) == nil)
        #expect(try await devices.open(RowID("nobody"), at: nil) == nil)
        await pane.close()
    }

    @Test func blobsAreInNaturalOrder() async throws {
        for number in [10, 9] {
            try shared.package.blobs.put(Data([1]), at: "photos/\(number).txt")
        }
        let pane = try await PaneSession(shared.path)
        #expect(try await pane.names(.blobs, "blob:photos/*") == ["photos/9.txt", "photos/10.txt"])
        await pane.close()
    }

    @Test func blobsAreListedAndShown() async throws {
        try shared.package.blobs.put(Data("one\ntwo".utf8), at: "photos/a.txt")
        try shared.package.blobs.put(Data([0xFF, 0xFE, 0, 1]), at: "photos/b.bin")
        let pane = try await PaneSession(shared.path)
        #expect(try await pane.names(.blobs, "blob:photos/*") == ["photos/a.txt", "photos/b.bin"])
        #expect(try await pane.names(.blobs, "size<5") == ["photos/b.bin"])
        #expect(try await pane.detail(.blobs, "photos/a.txt").lines("Text") == ["one", "two"])
        let digits = "000000 ff fe 00 01 " + String(repeating: "   ", count: 12) + "...."
        #expect(try await pane.detail(.blobs, "photos/b.bin").lines("Bytes") == [digits])
        #expect(try await pane.source(.blobs).detail(of: RowID("photos/c"), at: nil) == nil)
        for name in ["../x", "/etc/passwd", "photos/../../x"] {
            await #expect(throws: (any Error).self, "\(name)") {
                _ = try await pane.source(.blobs).detail(of: RowID(name), at: nil)
            }
        }
        await pane.close()
    }

    @Test func longBlobTextShowsHowMuchIsOmitted() async throws {
        // The text is cut between characters, regardless of its bytes.
        let text = String(repeating: "é", count: 5_000)
        try shared.package.blobs.put(Data(text.utf8), at: "long.txt")
        let pane = try await PaneSession(shared.path)
        let lines = try await pane.detail(.blobs, "long.txt").lines("Text")
        #expect(lines == [String(text.prefix(4096)), "… 1.8 kB more"])
        await pane.close()
    }

    @Test func bytesExpandIntoLinesOfHexadecimalDigits() async throws {
        let pane = try await PaneSession(shared.path)
        let lines = try await pane.detail(.keys, "note/3/raw").sections[0].lines
        #expect(lines[0].startsFolded && lines[0].depth == 0)
        let digits = lines.filter { $0.bytes != nil }
        let depths = Set(digits.map(\.depth))
        #expect(depths == [1])
        #expect(digits.map(\.label).prefix(3) == ["000000", "000010", "000020"])
        let value = try #require(
            try await pane.source(.keys).editableValue(of: RowID("note/3/raw"), field: nil))
        let whole = digits.reduce(into: Data()) { $0 += $1.bytes ?? Data() }
        #expect(whole.base64EncodedString() == value.text)
        await pane.close()
    }

    @Test func writeLinesHaveTheirInstant() async throws {
        let pane = try await PaneSession(shared.path)
        let detail = try await pane.detail(.keys, "note/1/title")
        let history = try #require(detail.sections.first { $0.title.hasPrefix("History") })
        #expect(history.lines.map(\.instant) == [shared.instants[1], shared.instants[0]])
        let written = try #require(detail.sections.first { $0.title == "Written" })
        #expect(
            written.lines.first { $0.label == "time" }?.instant == shared.instants[1])
        await pane.close()
    }

    @Test func durationsAreFormattedLikeAges() {
        let spans: [UInt64] = [59, 60, 240, 7_300, 86_400 * 13, 86_400 * 15, 86_400 * 800]
        #expect(
            spans.map { Timestamp.age(ofSeconds: $0) }
                == ["59s", "1m", "4m", "2h", "13d", "2w", "2y"])
    }

    @Test func inspectorShowsTheWriterAndTheRowsItHadSeen() async throws {
        let pane = try await PaneSession(shared.path)
        let title = try await pane.detail(.keys, "note/1/title")
        #expect(title.lines("Value") == ["Groceries list", "type string, 56 B"])
        #expect(
            title.lines("Written") == [
                "device Ben's iPad", "time \(shared.instants[1].fullText)", "row #1",
                "based on \(shared.instants[0].fullText)  anna",
            ])
        #expect(title.lines("Devices") == ["Ben's iPad \"Groceries list\"", "anna \"Groceries\""])
        #expect(title.lines("History (2)").count == 2)
        #expect(!title.sections.contains { $0.title == "Conflict" })
        let due = try await pane.detail(.keys, "note/1/due")
        let times = shared.instants.map {
            $0.iso8601.prefix(19).replacing("T", with: " ") + "Z"
        }
        #expect(
            due.lines("Conflict") == [
                "Ben's iPad 1970-01-03T00:00:00Z  \(times[3])",
                "cleo 1970-01-02T00:00:00Z  \(times[2])",
            ])
        let first = try await pane.detail(.keys, "note/1/count")
        #expect(first.lines("Written").last == "first write of this key")
        #expect(try await pane.detail(.keys, "note/3/list").lines("Value").first == "[2]")
        let removed = try await pane.detail(.keys, "note/2/ratio")
        #expect(removed.lines("Value") == ["deleted"])
        #expect(try await pane.source(.keys).detail(of: RowID("nothing"), at: nil) == nil)
        await pane.close()
    }

    @Test func logRowsShowThePreviousRowAndLinkToTheirKey() async throws {
        let pane = try await PaneSession(shared.path)
        let row = try #require(try await pane.rows(.log).first { $0.cells[3].text == "deleted" })
        let detail = try await pane.detail(.log, row.id.name)
        #expect(detail.title == "anna #8")
        #expect(detail.lines("Value") == ["deleted"])
        #expect(detail.lines("Before").first?.hasSuffix("1.5") == true)
        let link = detail.sections.flatMap(\.lines).compactMap(\.link)
        #expect(link == [.init(pane: .keys, row: RowID("note/2/ratio"))])
        await pane.close()
    }

    @Test func conflictIsExplained() async throws {
        let pane = try await PaneSession(shared.path)
        for place in [PaneID.keys, .conflicts] {
            let conflict = try #require(
                try await pane.source(place).conflict(of: RowID("note/1/due"), at: nil))
            #expect(conflict.sides.map(\.author.name) == ["ben", "cleo"])
            #expect(conflict.sides.map(\.isWinner) == [true, false])
            #expect(
                conflict.sides.map(\.value) == ["1970-01-03T00:00:00Z", "1970-01-02T00:00:00Z"])
            #expect(conflict.sides.map(\.instant) == [shared.instants[3], shared.instants[2]])
            #expect(conflict.sides[0].reason == "newest by 1 s")
            #expect(conflict.sides[1].reason.hasPrefix("older"))
            #expect(conflict.sides[1].reason.contains("Ben's iPad"))
            #expect(conflict.sides[1].typed == TypedText(.date, "1970-01-02T00:00:00Z"))
            #expect(conflict.base?.author.name == "anna")
            #expect(conflict.base?.value == "1970-01-01T00:00:00Z")
            #expect(conflict.notes.isEmpty)
        }
        #expect(try await pane.source(.keys).conflict(of: RowID("note/1/title"), at: nil) == nil)
        await pane.close()
    }

    /// A key with more rows than the inspector lists, and an earlier row of another device.
    @Test func devicesBeforeTheListedHistoryAreNamed() async throws {
        try shared.sync("ben")
        for number in 0..<60 { try shared.write("ben", ["note/1/title": .integer(Int64(number))]) }
        let pane = try await PaneSession(shared.path)
        let detail = try await pane.detail(.keys, "note/1/title")
        #expect(detail.lines("Devices") == ["Ben's iPad 59", "anna \"Groceries\""])
        #expect(detail.lines("History (50+)").last?.hasPrefix("…") == true)
        await pane.close()
    }

    @Test func rowsAreCopiedInEveryFormat() async throws {
        let pane = try await PaneSession(shared.path)
        let forms = try await pane.source(.keys).copyForms(of: RowID("note/1/count"), at: nil)
        #expect(
            forms == [
                CopyForm("value", "3"), CopyForm("key", "note/1/count"),
                CopyForm("JSON", #"{"note/1/count":3}"#),
            ])
        let row = try await pane.rows(.log)[4]
        let log = try await pane.source(.log).copyForms(of: row.id, at: nil)
        #expect(log.map(\.text) == ["Groceries list", "note/1/title", shared.instants[1].iso8601])
        let device = try await pane.source(.devices).copyForms(of: RowID("ben"), at: nil)
        #expect(device == [CopyForm("name", "Ben's iPad"), CopyForm("identifier", "ben")])
        await pane.close()
    }

    /// A row's parents are listed in columns: time, then device.
    @Test func parentsOfARowAreListedWithTheirTimesFirst() async throws {
        let shared = try SharedPackage()
        let pane = try await PaneSession(shared.path)
        let conflict = try #require(
            try await pane.source(.conflicts).conflict(of: RowID("note/1/due"), at: nil))
        try await pane.perform(.resolve(RowID("note/1/due"), .take(conflict.sides[0].id)))
        let details = try await pane.rows(.log).asyncMap {
            try await pane.detail(.log, $0.id.name)
        }
        let known = details.map { detail in
            detail.sections.flatMap(\.lines).filter { $0.label == "based on" }.map(\.text)
        }
        let two = try #require(known.first { $0.count == 2 })
        let devices = two.compactMap { $0.split(separator: "  ").last }
        #expect(devices.sorted() == ["Ben's iPad", "cleo"], "\(two)")
        await pane.close()
    }
}
