/// Which pages of a damaged database belong to which table, as far as the pages that lead to them
/// can be read.
///
/// Source: <https://www.sqlite.org/fileformat2.html#b_tree_pages>
struct TableTrees: Sendable {
    /// The pages that tables and indexes begin with, by name.
    private var roots: [[UInt8]: Int] = [:]
    private var inner: [Int: Inner] = [:]
    /// Pages that are no leaf of a table, and lead nowhere that could be understood.
    private var unclear: Set<Int> = []

    /// A page that leads to others: the rows of each go up to a number, and those of the last on
    /// from there.
    private struct Inner {
        let children: [(page: Int, upTo: Int64)]
        let last: Int

        var pages: [Int] { children.map(\.page) + [last] }
    }

    /// Takes note of a row that is one of the schema's; of no other.
    mutating func note(schemaRow values: [TableLeaves.Value]) {
        guard values.count == 5, case .text = values[0], case .text(let name) = values[1],
            case .text = values[2], let root = values[3].integer.flatMap(Int.init(exactly:)),
            root > 1
        else { return }
        roots[name] = root
    }

    /// Takes note of a page, if it leads to pages of a table.
    ///
    /// - Parameter first: Where in the page its own bytes begin.
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
        // A page that is damaged without showing it seldom leads to as many others.
        return Set(inner.pages).count == count + 1 ? inner : nil
    }

    /// What pages say of the rows of a table that were not found.
    struct Rest {
        /// The greatest number up to which rows of an unread page go; 0 for none.
        var lastNumber: Int64 = 0
        /// How many unread pages may have held rows behind that and behind all that were found.
        var openCount = 0
    }

    /// Looks from the beginning of each table for pages that are not read.
    ///
    /// - Parameters:
    ///   - name: A table whose numbers only grow, and of which rows were found.
    ///   - unread: What was not found.
    /// - Complexity: O(*n*) in the number of pages.
    func rest(of name: String, in unread: TableLeaves.Unread) -> Rest {
        var rest = Rest()
        var (seen, bounded, last): (Set<Int>, Set<Int>, Set<Int>) = ([], [], [])
        // Whether it is known of each page of the table that it is one.
        var isWhole = roots[Array(name.utf8)] != nil
        var open: [(page: Int, upTo: Int64?, isOther: Bool)] = roots.map {
            ($0.value, nil, !$0.key.elementsEqual(name.utf8))
        }
        open.append((1, nil, true))
        for root in open where unread.contains(root.page) {
            // Where rows of a table are on other pages, its first one leads to them and has none.
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
            // All leaves are equally deep: beside a page that leads on there is none.
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
    /// What may have been of a table behind the last of its rows that was found.
    ///
    /// - Parameters:
    ///   - name: A table whose numbers only grow, and of which rows were found.
    ///   - last: The number of the last of them.
    ///   - leastRow: Fewer bytes than any row takes of a page.
    /// - Returns: The last row that there was for certain, and how many may have come behind it.
    package func end(
        ofTable name: String, behind last: Int64, leastRow: Int
    ) -> (certain: Int64, further: Int64) {
        let perPage = Int64(pageSize / leastRow)
        let rest = trees.rest(of: name, in: self)
        // No damaged page can make more of it than there was room for.
        let most = last + Int64(pageCount) * perPage
        let certain = min(max(last, rest.lastNumber), most)
        return (certain, min(Int64(rest.openCount) * perPage, most - certain))
    }
}
