/// A row's value in memory: its bytes, or only its length if it is too long to load.
enum LoadedValue: Hashable, Sendable {
    /// The row removes its key.
    case removal
    /// A binary property list.
    case bytes([UInt8])
    /// A value of this length, which is over the limit and stays in the log.
    case long(Int)

    init(_ bytes: [UInt8]?) { self = bytes.map(Self.bytes) ?? .removal }

    /// Copies the value from the current row of a statement.
    init(_ value: ValueColumn.Content?) {
        switch value {
        case .bytes(let bytes): self = .bytes(Array(bytes))
        case .long(let byteCount): self = .long(byteCount)
        case .removal, nil: self = .removal
        }
    }

    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// Returns a digest that is equal for equal values, regardless of their encoding. Values that
    /// aren't in memory can't be compared: two long values are equal only if they belong to the
    /// same row.
    func digest(ofRowAt timestamp: Int64) -> Int {
        guard case .long(let byteCount) = self else { return LogsCache.digest(bytes) }
        var hasher = Hasher()
        hasher.combine(byteCount)
        hasher.combine(timestamp)
        return hasher.finalize()
    }
}
