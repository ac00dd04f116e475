/// The widths of operations in their text or list, for code that moves elements in the tree.
struct WidthTable {
    struct Long: BitwiseCopyable {
        var row: UInt32
        var width: UInt32
    }

    let operations: UnsafeMutablePointer<Operation>
    let slots: UnsafeMutablePointer<Slot>
    /// The few operations whose width doesn't fit in their row.
    let long: UnsafeMutablePointer<Long>
    let longCount: Int

    @inline(__always)
    func width(of row: UInt32) -> Int {
        let width = operations[Int(row)].width
        return width == Operation.longWidth ? longWidth(of: row) : Int(width)
    }

    @inline(never)
    private func longWidth(of row: UInt32) -> Int {
        for index in 0..<longCount where long[index].row == row { return Int(long[index].width) }
        return Int(Operation.longWidth)
    }

    /// Returns the row whose value an element currently shows, or `none` if it is hidden.
    @inline(__always)
    func winner(ofElement row: UInt32) -> UInt32 {
        let slot = operations[Int(row)].slot
        if slot != none { return slots[Int(slot)].winner }
        return operations[Int(row)].isVisible ? row : none
    }

    @inline(__always)
    func isVisible(element row: UInt32) -> Bool { winner(ofElement: row) != none }

    @inline(__always)
    func width(ofElement row: UInt32) -> Int {
        let winner = winner(ofElement: row)
        return winner == none ? 0 : width(of: winner)
    }
}
