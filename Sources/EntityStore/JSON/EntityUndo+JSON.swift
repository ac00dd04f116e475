import LosslessJSON
import Replication

/// The JSON form of an undo record, which can outlive the open store.
///
///     {"written": TIME, "deleted": [ENTITY],
///      "removed": [{"entity", "key", "entries": [{"device", "row", "date"}]}],
///      "restored": [{"entity", "date", "make": TYPE},
///                   {"entity", "date", "key", "tag", "value" or "to": ENTITY,
///                    "side": {"device", "row", "seen": {DEVICE: ROW}}}]}
///
/// Times are microseconds since 2001. `side` is present if the value was set. It has the first
/// writer's entry if the value was in conflict, and the causes.
extension EntityUndo {
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidValue` for a value that can't be
    ///   represented.
    public func json() throws(EntityStoreError) -> String {
        var writer = JSONWriter()
        try writer.object { (writer) throws(EntityStoreError) in
            writer.key("written")
            writer.integer(written.microseconds)
            writer.key("deleted")
            writer.array { writer in
                for identifier in deleted.sorted().texts { writer.string(identifier) }
            }
            writer.key("removed")
            writer.array { writer in for removed in removed { removed.write(to: &writer) } }
            writer.key("restored")
            try writer.array { (writer) throws(EntityStoreError) in
                for operation in restored { try operation.write(to: &writer) }
            }
        }
        return writer.text
    }

    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidValue` if the text isn't an undo record.
    public init(json text: String) throws(EntityStoreError) {
        let json: JSON
        do {
            json = try JSONParser.parse(Array(text.utf8))
        } catch {
            throw EntityStoreError(.invalidValue, "not an undo record: \(error)")
        }
        written = try json.member("written").time
        for identifier in try json.member("deleted").elements {
            deleted.insert(Name(try identifier.text))
        }
        for element in try json.member("removed").elements {
            removed.append(try Removed(json: element))
        }
        for element in try json.member("restored").elements {
            restored.append(try EntityOperation(undo: element))
        }
    }
}

extension EntityUndo.Removed {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.key("entity")
            writer.string(identifier)
            writer.key("key")
            writer.string(key)
            writer.key("entries")
            writer.array { writer in
                for (entry, date) in zip(entries, dates) {
                    writer.object { writer in
                        writer.key("device")
                        writer.string(entry.device.name)
                        writer.key("row")
                        writer.integer(entry.row)
                        writer.key("date")
                        writer.integer(date.microseconds)
                    }
                }
            }
        }
    }

    fileprivate init(json: JSON) throws(EntityStoreError) {
        self.init(
            identifier: try json.member("entity").text, key: try json.member("key").text,
            entries: [])
        for entry in try json.member("entries").elements {
            entries.append(
                PropertyEntry.ID(
                    device: try entry.member("device").device,
                    row: try entry.member("row").integer))
            dates.append(try entry.member("date").time)
        }
    }
}

extension EntityOperation {
    fileprivate func write(to writer: inout JSONWriter) throws(EntityStoreError) {
        try writer.object { (writer) throws(EntityStoreError) in
            writer.key("entity")
            writer.string(identifier)
            if let date {
                writer.key("date")
                writer.integer(date.microseconds)
            }
            switch action {
            case .creation(let type):
                writer.key("make")
                writer.string(type)
            case .entry(let key, let value, let tag):
                writer.key("key")
                writer.string(key)
                if let tag {
                    writer.key("tag")
                    writer.string(tag)
                }
                if let side {
                    writer.key("side")
                    side.write(to: &writer)
                }
                if case .relationship(let target) = value {
                    writer.key("to")
                    writer.string(target.identifier ?? "")
                } else {
                    writer.key("value")
                    try value.writeJSON(to: &writer)
                }
            case .removal, .deletion:
                throw EntityStoreError(
                    .invalidValue, "an undo record restores only entities and entries")
            }
        }
    }

    fileprivate init(undo json: JSON) throws(EntityStoreError) {
        let action: Action
        if let type = json["make"] {
            action = .creation(type: try type.text)
        } else {
            let value: EntityValue
            if let target = json["to"] {
                value = .relationship(.identifier(try target.text))
            } else {
                value = try EntityValue(json: json.member("value"))
            }
            action = .entry(
                key: try json.member("key").text, value: value, tag: try json["tag"]?.text)
        }
        self.init(
            identifier: try json.member("entity").text, action: action,
            date: try json["date"]?.time,
            side: try json["side"].map { side throws(EntityStoreError) in try Side(undo: side) })
    }
}

extension EntityOperation.Side {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if let original {
                writer.key("device")
                writer.string(original.device.name)
                writer.key("row")
                writer.integer(original.row)
            }
            writer.key("seen")
            writer.object { writer in
                for (device, row) in seen.sorted(by: { $0.key < $1.key }) {
                    writer.key(device.name)
                    writer.integer(row)
                }
            }
        }
    }

    fileprivate init(undo json: JSON) throws(EntityStoreError) {
        if let device = json["device"] {
            original = PropertyEntry.ID(
                device: try device.device, row: try json.member("row").integer)
        }
        guard case .object(let members) = try json.member("seen") else { throw JSON.wrong }
        for member in members {
            guard let row = UInt32(exactly: try member.value.integer) else { throw JSON.wrong }
            seen[try JSON.string(member.name).device] = row
        }
    }
}

extension JSON {
    fileprivate func member(_ name: String) throws(EntityStoreError) -> JSON {
        guard let member = self[name] else {
            throw EntityStoreError(.invalidValue, "not an undo record: \(name) is missing")
        }
        return member
    }

    fileprivate var elements: [JSON] {
        get throws(EntityStoreError) {
            guard case .array(let elements) = self else { throw Self.wrong }
            return elements
        }
    }

    fileprivate var text: String {
        get throws(EntityStoreError) {
            guard case .string(let text) = self else { throw Self.wrong }
            return text
        }
    }

    fileprivate var integer: Int64 {
        get throws(EntityStoreError) {
            guard case .number(let digits) = self, let number = Int64(digits) else {
                throw Self.wrong
            }
            return number
        }
    }

    fileprivate var device: DeviceID {
        get throws(EntityStoreError) {
            guard let device = try? DeviceID(text) else {
                throw EntityStoreError(.invalidValue, "not an undo record: the device is missing")
            }
            return device
        }
    }

    fileprivate var time: Timestamp {
        get throws(EntityStoreError) { Timestamp(microseconds: try integer) }
    }

    fileprivate static let wrong = EntityStoreError(
        .invalidValue, "not an undo record: a member has the wrong type")
}
