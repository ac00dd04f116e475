import Foundation
import LosslessJSON
import Replication

/// A writer of an interchange file with one line per entity, which makes differences between files
/// easy to see.
struct InterchangeWriter {
    private let form: InterchangeForm
    private var text = Data("{\"entities\":[".utf8)
    private var isEmpty = true

    init(_ form: InterchangeForm) { self.form = form }

    /// Returns the finished file. Don't append anything afterward.
    mutating func finish() -> Data {
        text.append(contentsOf: (isEmpty ? "]}\n" : "\n]}\n").utf8)
        return text
    }

    /// Appends an entity to the file.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange` for content that the format
    ///   can't represent.
    mutating func append(_ entity: EntityInterchange.Entity) throws(EntityStoreError) {
        try Self.check(entity)
        var writer = JSONWriter()
        do {
            try write(entity, to: &writer)
        } catch {
            throw Self.failure(entity, "can't be written: \(error.message)", cause: error)
        }
        text.append(contentsOf: (isEmpty ? "\n" : ",\n").utf8)
        text.append(contentsOf: writer.bytes)
        isEmpty = false
    }

    /// Checks that the format can represent the names of an entity.
    ///
    /// - Throws: As ``append(_:)``.
    static func check(_ entity: EntityInterchange.Entity) throws(EntityStoreError) {
        guard !entity.identifier.isEmpty else { throw failure(entity, "has no identifier") }
        guard !entity.type.isEmpty || entity.properties.contains(where: { !$0.value.isEmpty })
        else { throw failure(entity, "has no type") }
        for (key, properties) in entity.properties where !properties.isEmpty {
            guard !key.isEmpty else { throw failure(entity, "has an empty key") }
            // Such properties can only come from a foreign file.
            if let fixed = FixedProperty(rawValue: key.text), fixed != .modified {
                throw failure(
                    entity, "has a property named \(key), which the format doesn't support")
            }
        }
    }

    private static func failure(
        _ entity: EntityInterchange.Entity, _ what: String, cause: (any Error)? = nil
    ) -> EntityStoreError {
        EntityStoreError(
            .invalidInterchange, "the entity \(entity.identifier.quoted) \(what)",
            cause: cause)
    }

    private func write(
        _ entity: EntityInterchange.Entity, to writer: inout JSONWriter
    ) throws(EntityStoreError) {
        try writer.object { (writer) throws(EntityStoreError) in
            writer.key("type")
            writer.string(entity.type)
            writer.key("identifier")
            writer.string(entity.identifier)
            if let datestamp = entity.datestamp {
                writer.key("datestamp")
                let date = datestamp.plainISO8601
                // The original reads a datestamp only as an object.
                if form == .normalized { writer.form("date", date) } else { writer.string(date) }
            }
            let sorted = entity.properties.sorted { $0.key < $1.key }
            for (key, properties) in sorted {
                guard let newest = properties.first else { continue }
                writer.key(key.text)
                guard form == .normalized, properties.count != 1 else {
                    try writer.append(newest, form)
                    continue
                }
                try writer.array { (writer) throws(EntityStoreError) in
                    for property in properties { try writer.append(property, form) }
                }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func append(
        _ property: Property, _ form: InterchangeForm
    ) throws(EntityStoreError) {
        guard form == .compact, property.hasDefaultType else { return try full(property, form) }
        switch property.value {
        case .string, .integer, .boolean: try property.value.writeJSON(to: &self)
        case .double(let number) where number.isFinite: real(number)
        case .array(let elements) where !elements.contains(where: \.isWrittenAsObject):
            try property.value.writeJSON(to: &self)
        default: try full(property, form)
        }
    }

    private mutating func full(
        _ property: Property, _ form: InterchangeForm
    ) throws(EntityStoreError) {
        try object { (writer) throws(EntityStoreError) in
            writer.key(property.value.kind.name)
            switch property.value {
            case .date(let date): writer.string(date.plainISO8601)
            case .data(let data): writer.string(data.base64EncodedString())
            case .relationship(let target):
                guard let identifier = target.identifier, !identifier.isEmpty else {
                    throw EntityStoreError(
                        .invalidValue, "a relationship names \(target) instead of an identifier")
                }
                writer.string(identifier)
            case .double(let number) where !number.isFinite:
                writer.string(JSONTag.text(for: number))
            default: try property.value.writeJSON(to: &writer)
            }
            if form == .normalized || !property.hasDefaultType {
                writer.key("type")
                writer.string(property.type)
            }
            if form == .normalized, let date = property.datestamp {
                writer.key("datestamp")
                writer.string(date.plainISO8601)
            }
        }
    }
}

extension EntityValue {
    fileprivate var isWrittenAsObject: Bool {
        switch self {
        case .dictionary, .date, .data: true
        case .double(let number): !number.isFinite
        default: false
        }
    }
}
