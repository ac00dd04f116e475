/// The tables that the pages of a damaged database belong to, as far as the interior pages can be
/// read.
///
/// Source: <https://www.sqlite.org/fileformat2.html#b_tree_pages>
struct TableTrees: Sendable {
    /// The root pages of tables and indexes, by name.
    private var roots: [[UInt8]: Int] = [:]
    private var inner: [Int: Inner] = [:]
    /// Pages that are not leaves of a table and whose children can't be determined.
    private var unclear: Set<Int> = []

    /// An interior page. Each child has the rows up to a row number. The last child has the
    /// remaining rows.
    private struct Inner {
        let children: [(page: Int, upTo: Int64)]
        let last: Int

        var pages: [Int] { children.map(\.page) + [last] }
    }

    /// Records a row if it belongs to the schema.
    mutating func note(schemaRow values: [TableLeaves.Value]) {
        guard values.count == 5, case .text = values[0], case .text(let name) = values[1],
            case .text = values[2], let root = values[3].integer.flatMap(Int.init(exactly:)),
            root > 1
        else { return }
        roots[name] = root
    }

    /// Records a page if it is an interior page of a table.
    ///
    /// - Parameter first: The offset of the page's own data.
    mutating func note(_ page: [UInt8], number: Int, first: Int, usable: Int) {
        inner[number] = Self.inner(page, first, usable)
        if inner[number] == nil, page.count <= first || page[first] != 0x0D {
            unclear.insert(number)
        }
    }

    private static func inner(_ page: [UInt8], _ first: Int, _ usable: Int) -> Inner? {
        guard page.count >= usable, page.count > first + 12, page[first] == 0x05,
            let count = page.bigEndian16(at: first + 3).map(Int.init),
            let last = page.bigEndian(at: first + 8).map(Int.init), last > 1
        else { return nil }
        var children: [(page: Int, upTo: Int64)] = []
        for index in 0..<count {
            guard let place = page.bigEndian16(at: first + 12 + 2 * index).map(Int.init),
                place >= first + 12, let child = page.bigEndian(at: place).map(Int.init),
                child > 1, let (upTo, _) = page.variableInteger(at: place + 4),
                children.last.map({ $0.upTo < upTo }) ?? true
            else { return nil }
            children.append((child, upTo))
        }
        let inner = Inner(children: children, last: last)
        // A damaged page that still looks valid rarely has as many distinct children.
        return Set(inner.pages).count == count + 1 ? inner : nil
    }

    /// Information from interior pages about those rows of a table that were not found.
    struct Rest {
        /// The greatest row number that an unread page can hold; 0 for none.
        var lastNumber: Int64 = 0
        /// The number of unread pages that may have held rows after ``lastNumber`` and after all
        /// rows that were found.
        var openCount = 0
    }

    /// Searches each table from its root for pages that were not read.
    ///
    /// - Parameter name: The name of a table with ascending row numbers. Some of its rows were
    ///   found.
    /// - Complexity: O(*n*) in the number of pages.
    func rest(of name: String, in unread: TableLeaves.Unread) -> Rest {
        var rest = Rest()
        var (seen, bounded, last): (Set<Int>, Set<Int>, Set<Int>) = ([], [], [])
        // Whether all pages of the table are known.
        var isWhole = roots[Array(name.utf8)] != nil
        var open: [(page: Int, upTo: Int64?, isOther: Bool)] = roots.map {
            ($0.value, nil, !$0.key.elementsEqual(name.utf8))
        }
        open.append((1, nil, true))
        for root in open where unread.contains(root.page) {
            // If a table has rows on several pages, its root is an interior page without rows.
            if root.isOther || !unread.partlyRead.contains(root.page) {
                bounded.insert(root.page)
                if !root.isOther { isWhole = false }
            } else {
                last.insert(root.page)
            }
        }
        while let (page, upTo, isOther) = open.popLast() {
            guard seen.insert(page).inserted else { continue }
            guard let inner = inner[page] else {
                if !isOther, unclear.contains(page), !unread.contains(page) { isWhole = false }
                continue
            }
            // All leaves have the same depth, so the siblings of an interior page are interior
            // pages.
            let leadsOn = inner.pages.contains { self.inner[$0] != nil }
            let isOfLeaves = !leadsOn && !inner.pages.allSatisfy(unread.contains)
            for (child, bound) in inner.children.map({ ($0.page, Int64?($0.upTo)) })
                + [(inner.last, upTo)]
            {
                open.append((child, bound, isOther))
                guard unread.contains(child) else { continue }
                if isOther || leadsOn || bound != nil { bounded.insert(child) }
                guard !isOther else { continue }
                if let bound { rest.lastNumber = max(rest.lastNumber, bound) }
                if !isOfLeaves { isWhole = false } else if bound == nil { last.insert(child) }
            }
        }
        rest.openCount = isWhole ? last.count : unread.pageCount - bounded.count
        return rest
    }
}

extension TableLeaves.Unread {
    /// Estimates how many rows a table had after the last row that was found.
    ///
    /// - Parameters:
    ///   - name: The name of a table with ascending row numbers. Some of its rows were found.
    ///   - last: The number of the last row found.
    ///   - leastRow: A lower bound for the bytes that a row takes on a page.
    /// - Returns: The last row that certainly existed, and the maximum number of rows after it.
    package func end(
        ofTable name: String, behind last: Int64, leastRow: Int
    ) -> (certain: Int64, further: Int64) {
        let perPage = Int64(pageSize / leastRow)
        let rest = trees.rest(of: name, in: self)
        // A damaged page may claim any number of rows, so the number is limited by the number of
        // pages.
        let most = last + Int64(pageCount) * perPage
        let certain = min(max(last, rest.lastNumber), most)
        return (certain, min(Int64(rest.openCount) * perPage, most - certain))
    }
}
