/// A row's value as far as it is taken into memory.
enum LoadedValue: Hashable, Sendable {
    /// The row removes its key.
    case removal
    /// A binary property list.
    case bytes([UInt8])
    /// One of so many bytes, which are more than are taken: they stay in the log.
    case long(Int)

    init(_ bytes: [UInt8]?) { self = bytes.map(Self.bytes) ?? .removal }

    /// As long as the statement stands on its row.
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

    /// Equal for equal values, whoever encoded them. What is not in memory is compared with
    /// nothing: two long values are equal only if they are one row's.
    func digest(ofRowAt timestamp: Int64) -> Int {
        guard case .long(let byteCount) = self else { return LogsCache.digest(bytes) }
        var hasher = Hasher()
        hasher.combine(byteCount)
        hasher.combine(timestamp)
        return hasher.finalize()
    }
}
