/// A growable array of trivial values that owns its memory.
///
/// A document stores its operations in a few of these arrays. Unlike `Array`, this type has no
/// reference count and no copy-on-write, so changing a field of an element costs a single store.
/// Indices are checked only in debug builds, because the readers have already validated every index
/// in the bytes that they read.
struct PackedArray<Element: BitwiseCopyable>: ~Copyable {
    private(set) var base = UnsafeMutablePointer<Element>.allocate(capacity: 0)
    private(set) var count = 0
    private(set) var capacity = 0

    deinit {
        base.deallocate()
    }

    /// Returns a copy of all elements. It has spare capacity, because a copy is usually edited.
    borrowing func copy() -> PackedArray<Element> {
        var result = PackedArray<Element>()
        guard count > 0 else { return result }
        result.reserve(count + count / 32 + 8)
        result.base.update(from: base, count: count)
        result.count = count
        return result
    }

    @inline(__always)
    subscript(_ index: Int) -> Element {
        get {
            assert(index >= 0 && index < count)
            return base[index]
        }
        _modify {
            assert(index >= 0 && index < count)
            yield &base[index]
        }
    }

    @inline(__always)
    subscript(_ index: UInt32) -> Element {
        get { self[Int(index)] }
        _modify { yield &self[Int(index)] }
    }

    var isEmpty: Bool { count == 0 }

    /// Reserves space for `extra` more elements. If the capacity must grow, it grows by at least
    /// half.
    mutating func reserve(_ extra: Int) {
        let needed = count + extra
        guard needed > capacity else { return }
        grow(to: Swift.max(needed, capacity &+ capacity / 2, 8))
    }

    @inline(never)
    private mutating func grow(to newCapacity: Int) {
        let fresh = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
        fresh.update(from: base, count: count)
        base.deallocate()
        base = fresh
        capacity = newCapacity
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { reserve(1) }
        base[count] = element
        count &+= 1
    }

    mutating func append(from other: UnsafePointer<Element>, count added: Int) {
        reserve(added)
        (base + count).update(from: other, count: added)
        count += added
    }

    /// Appends `number` copies of `element`.
    mutating func append(repeating element: Element, count number: Int) {
        reserve(number)
        (base + count).update(repeating: element, count: number)
        count += number
    }

    mutating func removeLast(_ number: Int) {
        precondition(number >= 0 && number <= count)
        count -= number
    }
}
