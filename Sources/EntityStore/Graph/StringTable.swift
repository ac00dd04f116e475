import Replication

/// Interned texts by number: identifiers, types, keys, tags, words.
///
/// Number 0 is the empty text. All texts share one buffer. A hash table of numbers finds a text
/// again. It is seeded per process, so that a file can't force collisions.
struct StringTable {
    private var bytes: [UInt8] = []
    /// The end of each text, which is the start of the next one.
    private var ends: [Int] = [0]
    private var hashes: [UInt32]
    /// A hash table with open addressing. Each place contains a text's number plus 1, or 0 if free.
    private var places: [UInt32]

    init() {
        places = [UInt32](repeating: 0, count: 64)
        hashes = [0]
        let hash = Self.hash(UnsafeRawBufferPointer(start: nil, count: 0))
        hashes[0] = hash
        places[Int(hash) & 63] = 1
    }

    var count: Int { ends.count }

    private static func hash(_ text: UnsafeRawBufferPointer) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(bytes: text)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    private func range(_ number: Int) -> Range<Int> {
        (number == 0 ? 0 : ends[number - 1])..<ends[number]
    }

    /// Returns the place of a text, or the free place where it belongs.
    private func place(of text: UnsafeRawBufferPointer, hash: UInt32) -> Int {
        let mask = places.count - 1
        var place = Int(hash) & mask
        while places[place] != 0 {
            let number = Int(places[place]) - 1
            if hashes[number] == hash, equals(number, text) { return place }
            place = (place + 1) & mask
        }
        return place
    }

    private func equals(_ number: Int, _ text: UnsafeRawBufferPointer) -> Bool {
        bytes.withUnsafeBytes { all in
            UnsafeRawBufferPointer(rebasing: all[range(number)]).isEqual(to: text)
        }
    }

    mutating func intern(_ text: UnsafeRawBufferPointer) -> UInt32 {
        let hash = Self.hash(text)
        let place = place(of: text, hash: hash)
        if places[place] != 0 { return places[place] - 1 }
        let number = UInt32(ends.count)
        bytes.append(contentsOf: text)
        ends.append(bytes.count)
        hashes.append(hash)
        places[place] = number + 1
        if ends.count * 2 > places.count { grow() }
        return number
    }

    mutating func intern(_ text: String) -> UInt32 {
        var text = text
        return text.withUTF8 { intern(UnsafeRawBufferPointer($0)) }
    }

    func find(_ text: String) -> UInt32? {
        var text = text
        return text.withUTF8 { buffer in
            let raw = UnsafeRawBufferPointer(buffer)
            let place = place(of: raw, hash: Self.hash(raw))
            return places[place] == 0 ? nil : places[place] - 1
        }
    }

    mutating func reserve(_ more: Int) {
        ends.reserveCapacity(ends.count + more)
        hashes.reserveCapacity(ends.count + more)
        while (ends.count + more) * 2 > places.count { grow() }
    }

    private mutating func grow() { rehash(places.count * 2) }

    private mutating func rehash(_ count: Int) {
        places = [UInt32](repeating: 0, count: count)
        let mask = places.count - 1
        for number in 0..<ends.count {
            var place = Int(hashes[number]) & mask
            while places[place] != 0 { place = (place + 1) & mask }
            places[place] = UInt32(number) + 1
        }
    }

    /// Drops the texts from number `count` on. This takes as long as adding the remaining texts
    /// again.
    mutating func truncate(to count: Int) {
        guard (1..<ends.count).contains(count) else { return }
        ends.removeSubrange(count...)
        hashes.removeSubrange(count...)
        bytes.removeSubrange((ends.last ?? 0)...)
        rehash(places.count)
    }

    subscript(number: UInt32) -> String {
        String(decoding: bytes[range(Int(number))], as: UTF8.self)
    }

    /// Returns whether a text precedes another in byte order.
    func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
        bytes.withUnsafeBytes { all in
            UnsafeRawBufferPointer(rebasing: all[range(Int(a))])
                .compare(to: UnsafeRawBufferPointer(rebasing: all[range(Int(b))])) < 0
        }
    }

    func precedes(_ a: UInt32, _ text: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { all in
            text.withUnsafeBytes { text in
                UnsafeRawBufferPointer(rebasing: all[range(Int(a))]).compare(to: text) < 0
            }
        }
    }

    func hasPrefix(_ number: UInt32, _ prefix: [UInt8]) -> Bool {
        bytes[range(Int(number))].starts(with: prefix)
    }
}
