/// The elements of all lists and texts, visible or not, in document order.
///
/// Each list is a separate B-tree. A leaf holds up to 64 rows, one visibility bit per row, and the
/// total width of its visible elements. Inner nodes hold this total for each child. Looking up the
/// element at an index descends from the root, and looking up the index of an element ascends from
/// its leaf. Both take logarithmic time. The lowest counter below each node lets an insertion skip
/// subtrees.
struct ElementStore: ~Copyable {
    static let leafSize = 64
    static let nodeSize = 32

    struct Leaf: BitwiseCopyable {
        var visible: UInt64 = 0
        var width: UInt32 = 0
        var parent: UInt32 = none
        var next: UInt32 = none
        var count: UInt32 = 0
        /// Whether all visible elements have the width 1.
        var isUniform = true
        /// The lowest counter of the elements' identifiers.
        var lowest: UInt64 = .max
    }

    struct Node: BitwiseCopyable {
        var parent: UInt32 = none
        var count: UInt32 = 0
        /// Whether the children are leaves.
        var isBottom: Bool
    }

    /// The tree of one list, kept with its object.
    struct Root: BitwiseCopyable {
        /// The tree's root: a leaf if `depth` is 0, otherwise a node; `none` for an empty list.
        var top: UInt32 = none
        var depth: UInt32 = 0
        var first: UInt32 = none
        var last: UInt32 = none
        /// The total width of all visible elements.
        var width: Int = 0
    }

    /// The position of an element: a leaf, an index in it, and the width of all earlier elements.
    struct Place {
        var leaf: UInt32
        var index: Int
        var start: Int
    }

    private(set) var leaves = PackedArray<Leaf>()
    private(set) var rows = PackedArray<UInt32>()
    private var nodes = PackedArray<Node>()
    private var children = PackedArray<UInt32>()
    private var widths = PackedArray<UInt32>()
    private var lowest = PackedArray<UInt64>()

    borrowing func copy() -> ElementStore {
        var result = ElementStore()
        result.leaves = leaves.copy()
        result.rows = rows.copy()
        result.nodes = nodes.copy()
        result.children = children.copy()
        result.widths = widths.copy()
        result.lowest = lowest.copy()
        return result
    }

    @inline(__always)
    func row(_ leaf: UInt32, _ index: Int) -> UInt32 {
        rows[Int(leaf) &* Self.leafSize &+ index]
    }

    // MARK: Finding

    /// Returns the leaf that covers `target`, and the total width before it. `target` must be below
    /// the root's width.
    @inline(__always)
    func leaf(covering target: Int, in root: Root) -> (leaf: UInt32, start: Int) {
        var current = root.top
        var start = 0
        var depth = root.depth
        while depth > 0 {
            let offset = Int(current) &* Self.nodeSize
            let count = Int(nodes[current].count)
            var index = 0
            while index &+ 1 < count {
                let width = Int(widths[offset &+ index])
                if start &+ width > target { break }
                start &+= width
                index &+= 1
            }
            current = children[offset &+ index]
            depth &-= 1
        }
        return (current, start)
    }

    /// Returns the total width of all elements before a leaf.
    func start(of leaf: UInt32) -> Int {
        var start = 0
        var child = leaf
        var parent = leaves[leaf].parent
        while parent != none {
            let offset = Int(parent) * Self.nodeSize
            var index = offset
            while children[index] != child {
                start += Int(widths[index])
                index += 1
            }
            child = parent
            parent = nodes[parent].parent
        }
        return start
    }

    /// Returns the index of an element in its leaf.
    @inline(__always)
    func index(of row: UInt32, in leaf: UInt32) -> Int {
        let base = rows.base + Int(leaf) &* Self.leafSize
        let count = Int(leaves[leaf].count)
        var index = 0
        while index < count, base[index] != row { index &+= 1 }
        return index
    }

    /// Returns the next leaf that contains an identifier with a counter up to `counter`, or `none`
    /// if there is none.
    func leaf(behind leaf: UInt32, withCounterUpTo counter: UInt64) -> UInt32 {
        var child = leaf
        var parent = leaves[leaf].parent
        while parent != none {
            let offset = Int(parent) * Self.nodeSize
            let end = offset + Int(nodes[parent].count)
            var index = offset
            while children[index] != child { index += 1 }
            index += 1
            while index < end, lowest[index] > counter { index += 1 }
            if index < end {
                return first(below: children[index], under: parent, withCounterUpTo: counter)
            }
            child = parent
            parent = nodes[parent].parent
        }
        return none
    }

    /// Returns the first leaf at or below a node's child that contains an identifier with a counter
    /// up to `counter`. Such a leaf must exist.
    private func first(
        below child: UInt32, under parent: UInt32, withCounterUpTo counter: UInt64
    ) -> UInt32 {
        var current = child
        var isLeaf = nodes[parent].isBottom
        while !isLeaf {
            isLeaf = nodes[current].isBottom
            var index = Int(current) * Self.nodeSize
            while lowest[index] > counter { index += 1 }
            current = children[index]
        }
        return current
    }

    // MARK: Changing

    /// Updates the lowest counters of a leaf and its ancestors for a new element.
    @inline(__always)
    private mutating func note(_ counter: UInt64, in leaf: UInt32) {
        guard counter < leaves[leaf].lowest else { return }
        leaves[leaf].lowest = counter
        noteAbove(counter, leaf)
    }

    @inline(never)
    private mutating func noteAbove(_ counter: UInt64, _ leaf: UInt32) {
        var child = leaf
        var parent = leaves[leaf].parent
        while parent != none {
            var index = Int(parent) * Self.nodeSize
            while children[index] != child { index += 1 }
            guard counter < lowest[index] else { return }
            lowest[index] = counter
            child = parent
            parent = nodes[parent].parent
        }
    }

    private func lowestCounter(in leaf: UInt32, _ operations: UnsafeMutablePointer<Operation>)
        -> UInt64
    {
        let base = rows.base + Int(leaf) * Self.leafSize
        var lowest = UInt64.max
        for index in 0..<Int(leaves[leaf].count) {
            lowest = Swift.min(lowest, operations[Int(base[index])].counter)
        }
        return lowest
    }

    private func lowestCounter(of child: UInt32, isLeaf: Bool) -> UInt64 {
        if isLeaf { return leaves[child].lowest }
        let offset = Int(child) * Self.nodeSize
        var result = UInt64.max
        for index in 0..<Int(nodes[child].count) {
            result = Swift.min(result, lowest[offset + index])
        }
        return result
    }

    /// Shows or hides an element, or changes its width.
    ///
    /// - Parameters:
    ///   - old: The width before; 0 if the element was hidden.
    ///   - new: The new width; 0 if the element is hidden or has no width.
    mutating func update(
        leaf: UInt32, index: Int, visible: Bool, old: Int, new: Int, in root: inout Root
    ) {
        let bit: UInt64 = 1 << UInt64(index)
        if visible {
            leaves[leaf].visible |= bit
            if new != 1 { leaves[leaf].isUniform = false }
        } else {
            leaves[leaf].visible &= ~bit
        }
        if old != new { addWidth(new - old, to: leaf, in: &root) }
    }

    @inline(__always)
    private mutating func addWidth(_ delta: Int, to leaf: UInt32, in root: inout Root) {
        let change = UInt32(truncatingIfNeeded: delta)
        leaves[leaf].width &+= change
        root.width &+= delta
        var child = leaf
        var parent = leaves[leaf].parent
        while parent != none {
            var index = Int(parent) &* Self.nodeSize
            while children[index] != child { index &+= 1 }
            widths[index] &+= change
            child = parent
            parent = nodes[parent].parent
        }
    }

    /// Inserts an element before the element at `index` of `leaf`, or after the leaf's last
    /// element.
    ///
    /// - Returns: The leaf and index of the inserted element.
    @inline(__always)
    mutating func insert(
        _ row: UInt32, visible: Bool, width: Int, leaf at: UInt32, index place: Int,
        in root: inout Root, widths table: WidthTable
    ) -> (leaf: UInt32, index: Int) {
        var leaf = at
        var index = place
        if leaf == none {
            leaf = addLeaf()
            root = Root(top: leaf, depth: 0, first: leaf, last: leaf, width: 0)
            index = 0
        } else if leaves[leaf].count == Self.leafSize {
            (leaf, index) = split(leaf, at: index, in: &root, widths: table)
        }
        let count = Int(leaves[leaf].count)
        let base = rows.base + (Int(leaf) &* Self.leafSize &+ index)
        if index < count {
            (base + 1).update(from: base, count: count &- index)
            let below: UInt64 = (1 << UInt64(index)) &- 1
            let bits = leaves[leaf].visible
            leaves[leaf].visible = (bits & below) | ((bits & ~below) << 1)
        }
        base.pointee = row
        leaves[leaf].count = UInt32(truncatingIfNeeded: count &+ 1)
        table.operations[Int(row)].place = leaf
        note(table.operations[Int(row)].counter, in: leaf)
        if visible {
            leaves[leaf].visible |= 1 << UInt64(index)
            if width != 1 { leaves[leaf].isUniform = false }
            addWidth(width, to: leaf, in: &root)
        }
        return (leaf, index)
    }

    private mutating func addLeaf() -> UInt32 {
        leaves.append(Leaf())
        rows.append(repeating: none, count: Self.leafSize)
        return UInt32(leaves.count - 1)
    }

    private mutating func addNode(isBottom: Bool) -> UInt32 {
        nodes.append(Node(isBottom: isBottom))
        children.append(repeating: none, count: Self.nodeSize)
        widths.append(repeating: 0, count: Self.nodeSize)
        lowest.append(repeating: .max, count: Self.nodeSize)
        return UInt32(nodes.count - 1)
    }

    /// Splits a full leaf and returns the new location of `index`.
    @inline(never)
    private mutating func split(
        _ leaf: UInt32, at index: Int, in root: inout Root, widths table: WidthTable
    ) -> (leaf: UInt32, index: Int) {
        // Text is usually typed from start to end. Therefore, the elements before the insertion
        // stay together, and an insertion after the end of a full leaf starts a new leaf.
        let keep = index == Self.leafSize ? index : Swift.min(Swift.max(index, 16), 48)
        let fresh = addLeaf()
        let moved = Self.leafSize - keep
        let source = rows.base + Int(leaf) * Self.leafSize + keep
        (rows.base + Int(fresh) * Self.leafSize).update(from: source, count: moved)
        var width = 0
        if moved > 0 {
            for offset in 0..<moved { table.operations[Int(source[offset])].place = fresh }
            let bits = leaves[leaf].visible
            let low: UInt64 = (1 << UInt64(keep)) - 1
            leaves[fresh].visible = bits >> UInt64(keep)
            leaves[leaf].visible = bits & low
            leaves[fresh].isUniform = leaves[leaf].isUniform
            if leaves[leaf].isUniform {
                width = leaves[fresh].visible.nonzeroBitCount
            } else {
                for offset in 0..<moved where leaves[fresh].visible >> UInt64(offset) & 1 != 0 {
                    width += table.width(ofElement: source[offset])
                }
            }
        }
        leaves[leaf].count = UInt32(keep)
        leaves[fresh].count = UInt32(moved)
        leaves[fresh].width = UInt32(width)
        leaves[leaf].width -= UInt32(width)
        if moved > 0 {
            leaves[leaf].lowest = lowestCounter(in: leaf, table.operations)
            leaves[fresh].lowest = lowestCounter(in: fresh, table.operations)
        }
        let next = leaves[leaf].next
        leaves[fresh].next = next
        leaves[leaf].next = fresh
        if next == none { root.last = fresh }
        link(fresh, after: leaf, isLeaf: true, in: &root)
        return index > keep || index == Self.leafSize ? (fresh, index - keep) : (leaf, index)
    }

    /// Adds a new leaf or node to the tree, after the sibling from which it was split.
    private mutating func link(
        _ fresh: UInt32, after sibling: UInt32, isLeaf: Bool, in root: inout Root
    ) {
        let parent = isLeaf ? leaves[sibling].parent : nodes[sibling].parent
        let freshWidth = width(of: fresh, isLeaf: isLeaf)
        let siblingWidth = width(of: sibling, isLeaf: isLeaf)
        guard parent != none else {
            let top = addNode(isBottom: isLeaf)
            let offset = Int(top) * Self.nodeSize
            nodes[top].count = 2
            children[offset] = sibling
            children[offset + 1] = fresh
            widths[offset] = siblingWidth
            widths[offset + 1] = freshWidth
            lowest[offset] = lowestCounter(of: sibling, isLeaf: isLeaf)
            lowest[offset + 1] = lowestCounter(of: fresh, isLeaf: isLeaf)
            setParent(of: sibling, isLeaf: isLeaf, to: top)
            setParent(of: fresh, isLeaf: isLeaf, to: top)
            root.top = top
            root.depth += 1
            return
        }
        var target = parent
        if nodes[parent].count == Self.nodeSize {
            let other = splitNode(parent, in: &root)
            if (isLeaf ? leaves[sibling].parent : nodes[sibling].parent) == other { target = other }
        }
        let offset = Int(target) * Self.nodeSize
        let count = Int(nodes[target].count)
        var index = 0
        while children[offset + index] != sibling { index += 1 }
        widths[offset + index] = siblingWidth
        lowest[offset + index] = lowestCounter(of: sibling, isLeaf: isLeaf)
        let from = offset + index + 1
        let tail = count - index - 1
        (children.base + from + 1).update(from: children.base + from, count: tail)
        (widths.base + from + 1).update(from: widths.base + from, count: tail)
        (lowest.base + from + 1).update(from: lowest.base + from, count: tail)
        children[from] = fresh
        widths[from] = freshWidth
        lowest[from] = lowestCounter(of: fresh, isLeaf: isLeaf)
        nodes[target].count += 1
        setParent(of: fresh, isLeaf: isLeaf, to: target)
    }

    private mutating func splitNode(_ node: UInt32, in root: inout Root) -> UInt32 {
        let isBottom = nodes[node].isBottom
        let fresh = addNode(isBottom: isBottom)
        let keep = Self.nodeSize / 2
        let moved = Self.nodeSize - keep
        let source = Int(node) * Self.nodeSize + keep
        let target = Int(fresh) * Self.nodeSize
        (children.base + target).update(from: children.base + source, count: moved)
        (widths.base + target).update(from: widths.base + source, count: moved)
        (lowest.base + target).update(from: lowest.base + source, count: moved)
        nodes[node].count = UInt32(keep)
        nodes[fresh].count = UInt32(moved)
        for index in 0..<moved {
            setParent(of: children[target + index], isLeaf: isBottom, to: fresh)
        }
        link(fresh, after: node, isLeaf: false, in: &root)
        return fresh
    }

    private func width(of child: UInt32, isLeaf: Bool) -> UInt32 {
        if isLeaf { return leaves[child].width }
        let offset = Int(child) * Self.nodeSize
        var sum: UInt32 = 0
        for index in 0..<Int(nodes[child].count) { sum &+= widths[offset + index] }
        return sum
    }

    private mutating func setParent(of child: UInt32, isLeaf: Bool, to parent: UInt32) {
        if isLeaf { leaves[child].parent = parent } else { nodes[child].parent = parent }
    }

    // MARK: Loading

    /// Appends an element without updating the tree, which `build` creates.
    @inline(__always)
    mutating func append(
        _ row: UInt32, to root: inout Root, operations: UnsafeMutablePointer<Operation>
    ) {
        // Leave some room, so that the first edit in a leaf doesn't have to split it.
        if root.last == none || leaves[root.last].count >= 60 {
            let fresh = addLeaf()
            if root.last == none {
                root.first = fresh
            } else {
                leaves[root.last].next = fresh
            }
            root.last = fresh
        }
        let count = leaves[root.last].count
        rows[Int(root.last) &* Self.leafSize &+ Int(count)] = row
        leaves[root.last].count = count &+ 1
        operations[Int(row)].place = root.last
    }

    /// Computes the totals of a list's leaves and builds the tree above them.
    mutating func build(_ root: inout Root, widths table: WidthTable) {
        root.width = 0
        root.depth = 0
        root.top = root.first
        var level: [UInt32] = []
        var leaf = root.first
        while leaf != none {
            sum(leaf, widths: table)
            root.width += Int(leaves[leaf].width)
            level.append(leaf)
            leaf = leaves[leaf].next
        }
        var isLeaf = true
        while level.count > 1 {
            var above: [UInt32] = []
            var index = 0
            while index < level.count {
                let node = addNode(isBottom: isLeaf)
                let count = Swift.min(28, level.count - index)
                let offset = Int(node) * Self.nodeSize
                for child in 0..<count {
                    children[offset + child] = level[index + child]
                    widths[offset + child] = width(of: level[index + child], isLeaf: isLeaf)
                    lowest[offset + child] = lowestCounter(
                        of: level[index + child], isLeaf: isLeaf)
                    setParent(of: level[index + child], isLeaf: isLeaf, to: node)
                }
                nodes[node].count = UInt32(count)
                above.append(node)
                index += count
            }
            level = above
            isLeaf = false
            root.depth += 1
            root.top = level[0]
        }
    }

    private mutating func sum(_ leaf: UInt32, widths table: WidthTable) {
        let base = rows.base + Int(leaf) * Self.leafSize
        var visible: UInt64 = 0
        var width = 0
        var isUniform = true
        for index in 0..<Int(leaves[leaf].count) {
            let row = base[index]
            guard table.isVisible(element: row) else { continue }
            visible |= 1 << UInt64(index)
            let one = table.width(ofElement: row)
            width += one
            if one != 1 { isUniform = false }
        }
        leaves[leaf].visible = visible
        leaves[leaf].width = UInt32(truncatingIfNeeded: width)
        leaves[leaf].isUniform = isUniform
        leaves[leaf].lowest = lowestCounter(in: leaf, table.operations)
    }
}
