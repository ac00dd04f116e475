import Glibc

/// A growing list of trivial values in one block of memory that the allocator can extend in place.
///
/// An array would copy on growth and briefly need twice the memory. With a million rows, these
/// blocks are most of the resident memory. Indices are internal to this module, so an index out of
/// range is a programming error and traps.
struct GrowingBuffer<Element: BitwiseCopyable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>?
    private(set) var count = 0
    private var capacity = 0

    init() {}

    deinit { free(base) }

    subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < count, "index out of range")
            return base.unsafelyUnwrapped[index]
        }
        _modify {
            precondition(index >= 0 && index < count, "index out of range")
            yield &base.unsafelyUnwrapped[index]
        }
    }

    mutating func append(_ element: Element) {
        reserve(1)
        base.unsafelyUnwrapped.advanced(by: count).initialize(to: element)
        count += 1
    }

    /// Appends `amount` copies of `element`.
    mutating func append(repeating element: Element, _ amount: Int) {
        reserve(amount)
        base?.advanced(by: count).initialize(repeating: element, count: amount)
        count += amount
    }

    mutating func append(contentsOf elements: UnsafeBufferPointer<Element>) {
        guard let source = elements.baseAddress, !elements.isEmpty else { return }
        reserve(elements.count)
        base.unsafelyUnwrapped.advanced(by: count).initialize(
            from: source, count: elements.count)
        count += elements.count
    }

    /// Overwrites the existing elements from `index`.
    mutating func overwrite(at index: Int, with elements: UnsafeBufferPointer<Element>) {
        precondition(index >= 0 && index <= count - elements.count, "index out of range")
        guard let source = elements.baseAddress, let base else { return }
        base.advanced(by: index).update(from: source, count: elements.count)
    }

    func withRange<Result: ~Copyable>(
        _ start: Int, _ length: Int, _ body: (UnsafeBufferPointer<Element>) throws -> Result
    ) rethrows -> Result {
        precondition(start >= 0 && length >= 0 && start <= count - length, "range out of bounds")
        return try body(UnsafeBufferPointer(start: base?.advanced(by: start), count: length))
    }

    mutating func sort(_ range: Range<Int>, by precedes: (Element, Element) -> Bool) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
        var elements = UnsafeMutableBufferPointer(
            start: base?.advanced(by: range.lowerBound), count: range.count)
        elements.sort(by: precedes)
    }

    /// Releases the memory after the last element.
    mutating func trim() {
        guard count < capacity, count > 0 else { return }
        resize(to: count)
    }

    private mutating func reserve(_ amount: Int) {
        guard amount > capacity - count else { return }
        resize(to: max(count + amount, capacity + capacity / 2, 64))
    }

    private mutating func resize(to capacity: Int) {
        let bytes = capacity * MemoryLayout<Element>.stride
        guard let moved = realloc(base, bytes) else { fatalError("out of memory") }
        base = moved.assumingMemoryBound(to: Element.self)
        self.capacity = capacity
    }
}

// The buffer is the only owner of its memory, and no references into it escape.
extension GrowingBuffer: @unchecked Sendable {}
