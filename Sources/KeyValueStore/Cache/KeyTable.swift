import Replication

/// A table that numbers keys. Their bytes are in one block, and look-ups use open addressing.
struct KeyTable: ~Copyable {
    private struct Key: BitwiseCopyable {
        let start: Int
        let length: UInt32
        let hash: UInt32
    }

    private static let none = UInt32.max

    private var keys = GrowingBuffer<Key>()
    private var bytes = GrowingBuffer<UInt8>()
    private var slots = GrowingBuffer<UInt32>()

    init() { slots.append(repeating: Self.none, 1 << 4) }

    var count: Int { keys.count }

    func index(of key: UnsafeBufferPointer<UInt8>) -> UInt32? {
        let slot = self.slot(of: key, Self.hash(key))
        return slots[slot] == Self.none ? nil : slots[slot]
    }

    /// Returns the number of `key`. A new key gets the next free number.
    mutating func insert(_ key: UnsafeBufferPointer<UInt8>) -> (index: UInt32, isNew: Bool) {
        let hash = Self.hash(key)
        let slot = self.slot(of: key, hash)
        if slots[slot] != Self.none { return (slots[slot], false) }
        let index = UInt32(keys.count)
        slots[slot] = index
        keys.append(Key(start: bytes.count, length: UInt32(key.count), hash: hash))
        bytes.append(contentsOf: key)
        if keys.count * 8 > slots.count * 5 { rehash() }
        return (index, true)
    }

    func withBytes<Result>(
        _ index: UInt32, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        let key = keys[Int(index)]
        return try bytes.withRange(key.start, Int(key.length), body)
    }

    func length(_ index: UInt32) -> Int { Int(keys[Int(index)].length) }

    func text(_ index: UInt32) -> String {
        withBytes(index) { String(decoding: $0, as: UTF8.self) }
    }

    /// Shrinks the buffers to fit.
    mutating func trim() {
        keys.trim()
        bytes.trim()
    }

    /// Returns the slot of `key`, or where it would be inserted.
    private func slot(of key: UnsafeBufferPointer<UInt8>, _ hash: UInt32) -> Int {
        let mask = slots.count - 1
        var slot = Int(hash) & mask
        while slots[slot] != Self.none {
            let candidate = slots[slot]
            if keys[Int(candidate)].hash == hash, has(candidate, key) { break }
            slot = (slot + 1) & mask
        }
        return slot
    }

    private func has(_ index: UInt32, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
        withBytes(index) {
            UnsafeRawBufferPointer($0).isEqual(to: UnsafeRawBufferPointer(key))
        }
    }

    private mutating func rehash() {
        let size = slots.count * 2
        slots = GrowingBuffer()
        slots.append(repeating: Self.none, size)
        for index in 0..<keys.count {
            var slot = Int(keys[index].hash) & (size - 1)
            while slots[slot] != Self.none { slot = (slot + 1) & (size - 1) }
            slots[slot] = UInt32(index)
        }
    }

    /// The seed of the hash. It is random per process, so that an attacker can't choose keys that
    /// collide.
    private static let seed = UInt64.random(in: .min ... .max) | 1

    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        var state = seed ^ UInt64(bytes.count)
        var index = 0
        let raw = UnsafeRawBufferPointer(bytes)
        while index + 8 <= raw.count {
            state = mixed(state ^ raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        var tail: UInt64 = 0
        while index < raw.count {
            tail = tail << 8 | UInt64(raw[index])
            index += 1
        }
        state = mixed(state ^ tail)
        return UInt32(truncatingIfNeeded: state ^ state >> 32)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        let (high, low) = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15 ^ seed)
        return high ^ low
    }
}
