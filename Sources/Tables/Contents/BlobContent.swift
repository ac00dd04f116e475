public import Foundation
public import KeyValueStore
import LosslessJSON
import Replication

/// The decoded content of a cell, recognized by its bytes and its column.
public struct BlobContent: Hashable, Sendable {
    /// Whether to show 16 bytes as a UUID. One in eight random values looks like a UUID.
    public enum UUIDHint: Hashable, Sendable {
        /// The column gives no hint, so the value is shown as bytes.
        case never
        /// The column is named like an identifier, so 16 bytes that look like a UUID count as a
        /// UUID.
        case likely
        /// The column holds UUIDs.
        case always

        /// Derives the hint from the name and declared type of a column.
        public init(columnNamed name: String, declaredType: String = "") {
            let words = "\(name) \(declaredType)".lowercased()
            if words.contains("uuid") || words.contains("guid") {
                self = .always
            } else {
                let lower = name.lowercased()
                let isIdentifier =
                    lower == "id" || lower.hasSuffix("_id") || lower.hasSuffix("identifier")
                    || name.hasSuffix("Id") || name.hasSuffix("ID")
                self = isIdentifier ? .likely : .never
            }
        }
    }

    /// The recognized kinds of content.
    public enum Kind: Hashable, Sendable {
        case empty
        case propertyList(PropertyList)
        /// A keyed archive, resolved to the objects that it holds.
        case archive(PropertyList)
        /// JSON, with its text.
        case json(String)
        case text(String)
        case uuid(String)
        /// An image. The width and height are 0 if the first bytes don't contain them.
        case image(format: String, width: Int, height: Int)
        /// An Automerge document, change or bundle.
        case automerge
        /// Data compressed in `format`, with its inflated beginning if inflation succeeds.
        case compressed(format: String, beginning: Data?, isWhole: Bool)
        case protobuf
        /// A file of a known kind, such as `PDF`.
        case file(String)
        case bytes
    }

    /// The kind of content.
    public let kind: Kind
    /// The total number of bytes.
    public let byteCount: Int
    /// The bytes, or only the first of them if there are many.
    private let beginning: Data
    private let message: ProtobufMessage?

    /// The maximum number of inflated bytes, unless the caller asks for more.
    public static let previewLength = 256 << 10
    /// The length above which values are not decoded.
    private static let decodedLength = 4 << 20

    /// Recognizes bytes.
    ///
    /// - Parameter uuid: Whether to recognize 16 bytes as a UUID.
    /// - Complexity: O(*n*) in the number of bytes. At most four mebibytes are examined.
    public init(_ data: Data, uuid: UUIDHint = .never) {
        byteCount = data.count
        beginning = Data(data.prefix(64 << 10))
        let isLong = data.count > Self.decodedLength
        var message: ProtobufMessage?
        kind =
            Self.uuid(data, uuid) ?? Self.marked(data, isLong: isLong)
            ?? Self.unmarked(data, isLong: isLong, &message)
        self.message = message
    }

    private static func uuid(_ data: Data, _ hint: UUIDHint) -> Kind? {
        guard hint != .never, let uuid = UUID(bytes: data) else { return nil }
        // The version and variant bits of an RFC 9562 UUID.
        let isLikely = (1...8).contains(uuid.uuid.6 >> 4) && uuid.uuid.8 >> 6 == 2
        return hint == .always || isLikely ? .uuid(uuid.uuidString) : nil
    }

    /// Recognizes content by its first bytes.
    private static func marked(_ data: Data, isLong: Bool) -> Kind? {
        if data.isEmpty { return .empty }
        if data.starts(with: Data("bplist0".utf8)) {
            guard !isLong, let list = try? PropertyList(archive: data) else {
                return .file("binary property list")
            }
            return KeyedArchive.unfolded(list).map { .archive($0) } ?? .propertyList(list)
        }
        if data.starts(with: [0x85, 0x6F, 0x4A, 0x83])
            // Core Data stores a byte 1 before a value whose attribute allows external files.
            || data.starts(with: [1, 0x85, 0x6F, 0x4A, 0x83])
        {
            return .automerge
        }
        if let image = ImageHeader(data) {
            return .image(format: image.format, width: image.width, height: image.height)
        }
        if let format = compression(data) {
            let inflated =
                ["zlib", "gzip"].contains(format)
                ? Inflation.inflate(data, limit: previewLength) : nil
            // Other data can start with the two bytes of a zlib header.
            if format == "zlib", inflated == nil { return nil }
            return .compressed(
                format: format, beginning: inflated?.data, isWhole: inflated?.isWhole ?? false)
        }
        let files: [(String, [UInt8])] = [
            ("SQLite database", Array("SQLite format 3\0".utf8)), ("PDF", Array("%PDF-".utf8)),
            ("ZIP", [0x50, 0x4B, 3, 4]),
        ]
        return files.first { data.starts(with: $0.1) }.map { .file($0.0) }
    }

    private static func compression(_ data: Data) -> String? {
        let magic: [(String, [UInt8])] = [
            ("gzip", [0x1F, 0x8B, 8]), ("bzip2", Array("BZh".utf8)),
            ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]), ("zstd", [0x28, 0xB5, 0x2F, 0xFD]),
            ("LZ4", [4, 0x22, 0x4D, 0x18]), ("LZ4", Array("bv41".utf8)),
            ("LZFSE", Array("bvx2".utf8)), ("LZFSE", Array("bvx1".utf8)),
            ("LZFSE", Array("bvxn".utf8)), ("LZFSE", Array("bvx-".utf8)),
        ]
        if let known = magic.first(where: { data.starts(with: $0.1) }) { return known.0 }
        return Inflation.isZlib(data) && data.count > 6 ? "zlib" : nil
    }

    /// Recognizes content by its structure.
    private static func unmarked(
        _ data: Data, isLong: Bool, _ message: inout ProtobufMessage?
    ) -> Kind {
        guard !isLong else { return .bytes }
        if let text = String(validating: data, as: UTF8.self), isReadable(text) {
            return kind(ofText: text)
        }
        if data.count >= 4, let found = ProtobufMessage(data) {
            message = found
            return .protobuf
        }
        return .bytes
    }

    /// Recognizes a text as JSON, a property list, or plain text.
    public static func kind(ofText text: String) -> Kind {
        let first = text.utf8.first { ![32, 9, 10, 13].contains($0) }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            text.utf8.count <= decodedLength,
            (try? JSONParser.parse(Array(text.utf8))) != nil
        {
            return .json(text)
        }
        if text.hasPrefix("<?xml"), text.contains("<plist"), text.utf8.count <= decodedLength,
            let list = try? PropertyList(propertyListFile: Data(text.utf8))
        {
            return KeyedArchive.unfolded(list).map { .archive($0) } ?? .propertyList(list)
        }
        return .text(text)
    }

    /// Returns whether the text is readable: it has no control characters except white space.
    static func isReadable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 32 && scalar.value != 127 || [9, 10, 13].contains(scalar.value)
        }
    }
}

extension BlobContent {
    private func size(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count.grouped) bytes" }

    /// A one-line summary of the kind and the content.
    public var summary: String {
        switch kind {
        case .empty: return "(no bytes)"
        case .propertyList(let list), .archive(let list):
            return String(list.description.prefix(400))
        case .json(let text), .text(let text): return String(text.prefix(400))
        case .uuid(let text): return text
        case .image(let format, let width, let height):
            let pixels = width > 0 ? " \(width)×\(height)" : ""
            return "\(format)\(pixels), \(size(byteCount))"
        case .automerge: return "Automerge, \(size(byteCount))"
        case .compressed(let format, let beginning, _):
            guard let beginning else { return "\(format), \(size(byteCount))" }
            return "\(format), \(size(byteCount)): \(BlobContent(beginning).summary)"
        case .protobuf:
            return "Protobuf: "
                + lines(limit: 8).map { "\($0.label): \($0.text)" }.joined(separator: ", ")
        case .file(let name): return "\(name), \(size(byteCount))"
        case .bytes:
            let shown = beginning.prefix(24).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            return
                "\(size(byteCount)): \(shown.joined(separator: " "))\(byteCount > 24 ? " …" : "")"
        }
    }

    /// A labeled line of the detailed view.
    public struct Line: Hashable, Sendable {
        /// The name of the field.
        public let label: String
        /// The value of the field.
        public let text: String
        /// The depth of the field in the message.
        public let depth: Int
    }

    /// Returns the fields of a Protobuf message.
    func lines(limit: Int) -> [Line] {
        var lines: [Line] = []
        func add(_ message: ProtobufMessage, _ depth: Int) {
            for field in message.fields where lines.count < limit {
                let text =
                    switch field.value {
                    case .varint(let number): String(number)
                    case .fixed64(let bits): "\(bits) (\(Double(bitPattern: bits)))"
                    case .fixed32(let bits): "\(bits) (\(Float(bitPattern: bits)))"
                    case .text(let string): JSONWriter.quoted(String(string.prefix(400)))
                    case .bytes(let data): "\(data.count.grouped) bytes"
                    case .message(let inner): "{\(inner.fields.count)}"
                    }
                lines.append(Line(label: String(field.number), text: text, depth: depth))
                if case .message(let inner) = field.value { add(inner, depth + 1) }
            }
        }
        if let message { add(message, 0) }
        return lines
    }

    /// A short name for the kind of content, such as `keyed archive` or `PNG 16×16`.
    public var title: String {
        switch kind {
        case .empty: "empty"
        case .propertyList: "property list"
        case .archive: "keyed archive"
        case .json: "JSON"
        case .text: "text"
        case .uuid: "UUID"
        case .image(let format, let width, let height):
            width > 0 ? "\(format) \(width)×\(height)" : format
        case .automerge: "Automerge"
        case .compressed(let format, _, _): format
        case .protobuf: "Protobuf"
        case .file(let name): name
        case .bytes: "bytes"
        }
    }

    /// The structure of the content: the fields of a message, or a summary of compressed data.
    public var structure: [Line] {
        switch kind {
        case .protobuf: return lines(limit: 400)
        case .compressed(_, let beginning?, let isWhole):
            let inside = BlobContent(beginning)
            let head = Line(
                label: "inflated",
                text:
                    "\(inside.title), \(isWhole ? "" : "the first ")\(beginning.count.grouped) bytes",
                depth: 0)
            return [head]
                + inside.structure.map { Line(label: $0.label, text: $0.text, depth: $0.depth + 1) }
        default: return []
        }
    }
}
