import Foundation

/// A Protocol Buffers message, decoded from its wire format without a schema: field numbers and
/// values.
struct ProtobufMessage: Hashable, Sendable {
    indirect enum Value: Hashable, Sendable {
        case varint(UInt64)
        case fixed64(UInt64)
        case fixed32(UInt32)
        case text(String)
        case message(ProtobufMessage)
        case bytes(Data)
    }

    struct Field: Hashable, Sendable {
        let number: Int
        let value: Value
    }

    let fields: [Field]

    private static let depthLimit = 8
    private static let fieldLimit = 2000

    /// Decodes a message.
    ///
    /// - Returns: `nil` if the bytes as a whole aren't a message.
    init?(_ data: Data, depth: Int = 0) {
        let bytes = [UInt8](data)
        guard !bytes.isEmpty, depth < Self.depthLimit else { return nil }
        var reader = Reader(bytes: bytes)
        var fields: [Field] = []
        while !reader.isAtEnd {
            guard fields.count < Self.fieldLimit, let tag = reader.varint(),
                let number = Int(exactly: tag >> 3), (1...20_000).contains(number),
                let value = reader.value(wireType: Int(tag & 7), depth: depth)
            else { return nil }
            fields.append(Field(number: number, value: value))
        }
        self.fields = fields
    }

    private struct Reader {
        let bytes: [UInt8]
        var place = 0

        var isAtEnd: Bool { place == bytes.count }

        mutating func varint() -> UInt64? {
            var result: UInt64 = 0
            for shift in stride(from: 0, to: 70, by: 7) {
                guard place < bytes.count else { return nil }
                let byte = bytes[place]
                place += 1
                if shift == 63, byte > 1 { return nil }
                result |= UInt64(byte & 0x7F) << UInt64(shift)
                if byte < 0x80 { return result }
            }
            return nil
        }

        private mutating func little(_ count: Int) -> UInt64? {
            guard bytes.count - place >= count else { return nil }
            defer { place += count }
            return (0..<count).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
        }

        mutating func value(wireType: Int, depth: Int) -> Value? {
            switch wireType {
            case 0: return varint().map { .varint($0) }
            case 1: return little(8).map { .fixed64($0) }
            case 5: return little(4).map { .fixed32(UInt32(truncatingIfNeeded: $0)) }
            case 2:
                guard let length = varint(), length <= UInt64(bytes.count - place) else {
                    return nil
                }
                let content = bytes[place..<place + Int(length)]
                place += Int(length)
                if let text = String(validating: content, as: UTF8.self),
                    BlobContent.isReadable(text)
                {
                    return .text(text)
                }
                if let message = ProtobufMessage(Data(content), depth: depth + 1) {
                    return .message(message)
                }
                return .bytes(Data(content))
            default: return nil
            }
        }
    }
}
