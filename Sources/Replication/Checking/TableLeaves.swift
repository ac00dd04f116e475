/// Rows read directly from the leaves of a damaged database's tables, without the pages that lead
/// to them.
///
/// Source: <https://www.sqlite.org/fileformat2.html#b_tree_pages>
package enum TableLeaves {
    /// The value of a row's column.
    package enum Value: Sendable {
        case null
        case integer(Int64)
        case real(Double)
        case text([UInt8])
        case blob([UInt8])
    }

    /// The maximum length of a row, in bytes.
    package static let longest = 256 << 20

    /// Returns the possible page sizes of the file at `path`: the size in its header or, if the
    /// header is damaged, all sizes, starting with the usual one.
    package static func pageSizes(of path: String) throws(ReplicationError) -> [Int] {
        let header = try Descriptor(file: path).read(100, at: 0, path)
        if let header = try? DatabaseHeader(header, path: path) { return [header.pageSize] }
        return [4096, 1024, 8192, 16_384, 32_768, 65_536, 2048, 512]
    }

    /// Pages that couldn't be read completely. Their rows, if any, were not found.
    package struct Unread: Sendable {
        /// The page numbers in SQLite's numbering.
        var pages: Set<Int> = []
        /// The pages from which some rows were read.
        var partlyRead: Set<Int> = []
        /// The pages past the end of the file.
        var missing: Range<Int> = 0..<0
        package let pageSize: Int
        /// The tables that the pages belong to, if known.
        var trees = TableTrees()

        package var pageCount: Int { pages.count + missing.count }

        func contains(_ page: Int) -> Bool { pages.contains(page) || missing.contains(page) }
    }

    /// Calls `body` with each row that can be read in a leaf of any table, in page order.
    ///
    /// Skips pages that aren't leaves, and entries that aren't rows.
    ///
    /// - Parameters:
    ///   - longest: The maximum length of a row. Longer ones are skipped.
    /// - Returns: The skipped pages that may have held rows.
    /// - Complexity: Reads each page once, and the overflow pages of long rows again.
    @discardableResult
    package static func forEachRow(
        in path: String, pageSize: Int, longest: Int = longest,
        _ body: (_ number: Int64, _ values: [Value]) throws -> Void
    ) throws -> Unread {
        let file = try Descriptor(file: path)
        let byteCount = try file.status(path).byteCount
        let header = try file.read(100, at: 0, path)
        // The reserved bytes at the end of each page.
        let known = try? DatabaseHeader(header, path: path)
        let reserved = known == nil ? 0 : Int(header[20])
        var (start, number): (Int64, Int) = (0, 1)
        var unread = Unread(pageSize: pageSize)
        var further: Set<Int> = []
        while start < byteCount {
            let page = try file.read(pageSize, at: start, path)
            let leaf = Leaf(
                page: page, first: start == 0 ? 100 : 0, usable: pageSize - reserved)
            let cells = leaf.cells(longest: longest)
            var readCount = 0
            for cell in cells {
                guard
                    let payload = try leaf.payload(
                        of: cell, file, path, pageSize: pageSize, &further),
                    let values = Self.values(payload)
                else { continue }
                readCount += 1
                unread.trees.note(schemaRow: values)
                try body(cell.number, values)
            }
            unread.trees.note(page, number: number, first: leaf.first, usable: leaf.usable)
            // The first page contains only rows of the schema.
            if number > 1, !leaf.isOfAnotherKind, readCount < leaf.count ?? .max {
                unread.pages.insert(number)
                if readCount > 0 { unread.partlyRead.insert(number) }
            }
            start += Int64(pageSize)
            number += 1
        }
        // Overflow pages can't be recognized by their format.
        unread.pages.subtract(further)
        unread.missing = number..<max(number, (known?.pageCount ?? 0) + 1)
        return unread
    }

    private struct Cell {
        let number: Int64
        let byteCount: Int
        let start: Int
    }

    /// A page that may be a leaf of a table.
    private struct Leaf {
        let page: [UInt8]
        let first: Int
        let usable: Int

        /// The number of rows that the page claims to have; `nil` if it is not a leaf of a table.
        var count: Int? {
            guard page.count > first + 8, page[first] == 0x0D else { return nil }
            return page.bigEndian16(at: first + 3).map(Int.init)
        }

        /// Whether the page belongs to an index, or is an interior page.
        var isOfAnotherKind: Bool {
            guard page.count > first + 12, [0x02, 0x05, 0x0A].contains(page[first]),
                let count = page.bigEndian16(at: first + 3).map(Int.init),
                let content = page.bigEndian16(at: first + 5).map(Int.init)
            else { return false }
            return first + 8 + 2 * count <= usable && (content == 0 || content <= usable)
        }

        /// Returns the page's rows of at most `longest` bytes. If the page is not a leaf of a
        /// table, returns no rows.
        func cells(longest: Int) -> [Cell] {
            guard usable >= 480, let count else { return [] }
            return (0..<count).compactMap { index in
                guard let place = page.bigEndian16(at: first + 8 + 2 * index).map(Int.init),
                    place > first + 8,
                    let (length, afterLength) = page.variableInteger(at: place),
                    let (number, start) = page.variableInteger(at: afterLength),
                    let byteCount = Int(exactly: length), (0...longest).contains(byteCount)
                else { return nil }
                return Cell(number: number, byteCount: byteCount, start: start)
            }
        }

        func payload(
            of cell: Cell, _ file: borrowing Descriptor, _ path: String, pageSize: Int,
            _ further: inout Set<Int>
        ) throws(ReplicationError) -> [UInt8]? {
            let most = usable - 35
            var here = cell.byteCount
            if here > most {
                let least = (usable - 12) * 32 / 255 - 23
                let fitting = least + (cell.byteCount - least) % (usable - 4)
                here = fitting <= most ? fitting : least
            }
            let end = cell.start + here
            guard end <= min(usable, page.count) else { return nil }
            if here == cell.byteCount { return Array(page[cell.start..<end]) }
            var payload: [UInt8] = []
            // A damaged length may exceed the size of the file.
            payload.reserveCapacity(
                min(cell.byteCount, Int(clamping: try file.status(path).byteCount)))
            payload += page[cell.start..<end]
            var next = page.bigEndian(at: end) ?? 0
            while payload.count < cell.byteCount {
                guard next > 1 else { return nil }
                let overflow = try file.read(
                    usable, at: Int64(next - 1) * Int64(pageSize), path)
                let wanted = min(cell.byteCount - payload.count, usable - 4)
                // A circular chain ends when the row has its full length.
                guard overflow.count >= 4 + wanted else { return nil }
                further.insert(Int(next))
                payload += overflow[4..<4 + wanted]
                next = overflow.bigEndian(at: 0) ?? 0
            }
            return payload
        }
    }

    /// Returns the columns of a record, or `nil` if the bytes aren't one.
    private static func values(_ record: [UInt8]) -> [Value]? {
        guard let (headerLength, afterLength) = record.variableInteger(at: 0),
            let headerEnd = Int(exactly: headerLength), headerEnd >= afterLength,
            headerEnd <= min(record.count, 2_000)
        else { return nil }
        var (place, content) = (afterLength, headerEnd)
        var values: [Value] = []
        while place < headerEnd {
            guard let (type, next) = record.variableInteger(at: place), next <= headerEnd,
                let length = length(of: type), length <= record.count - content
            else { return nil }
            values.append(value(type, record[content..<content + length]))
            place = next
            content += length
        }
        // A record with bytes after its last column is invalid.
        return content == record.count ? values : nil
    }

    private static func length(of type: Int64) -> Int? {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 12...: Int(exactly: (type - 12) / 2)
        default: nil
        }
    }

    private static func value(_ type: Int64, _ bytes: ArraySlice<UInt8>) -> Value {
        switch type {
        case 0: .null
        case 1...6:
            .integer(
                bytes.dropFirst().reduce(Int64(Int8(bitPattern: bytes.first ?? 0))) {
                    $0 << 8 | Int64($1)
                })
        case 7: .real(Double(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
        case 8, 9: .integer(type - 8)
        default: type % 2 == 0 ? .blob(Array(bytes)) : .text(Array(bytes))
        }
    }
}

extension [UInt8] {
    /// Returns SQLite's integer of 1 to 9 bytes at `offset`, and the offset after it.
    func variableInteger(at offset: Int) -> (Int64, Int)? {
        var result: UInt64 = 0
        var place = offset
        while place < offset + 9 {
            guard place >= 0, place < count else { return nil }
            let byte = self[place]
            place += 1
            if place == offset + 9 { return (Int64(bitPattern: result << 8 | UInt64(byte)), place) }
            result = result << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return (Int64(bitPattern: result), place) }
        }
        return nil
    }
}
