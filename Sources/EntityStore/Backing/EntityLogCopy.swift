import Foundation
import GRDB
import LosslessJSON
package import Replication

/// Copies all rows of the given entities from the logs of one package to another.
///
/// Deleting an entity also ends the relationships to it. Therefore, the rows that create and delete
/// the targets of copied relationships are also copied.
package enum EntityLogCopy {
    /// Copies the rows with their causes, times and order. They get new numbers.
    ///
    /// - Parameters:
    ///   - entities: The identifiers of the entities.
    ///   - output: A package without entities.
    ///   - redaction: The stand-ins for devices, names and values; `nil` to keep the originals.
    /// - Returns: The number of rows.
    /// - Throws: ``EntityStoreError``, `.noSuchEntity`, for an entity without rows;
    ///   `ReplicationError` if a log can't be read.
    /// - Complexity: O(*n*) in the number of rows of all entities, which are held in memory.
    package static func copyRows(
        of entities: Set<Name>, from package: StorePackage, to output: StorePackage,
        redaction: Redaction? = nil
    ) throws -> Int {
        guard !entities.isEmpty else { return 0 }
        let load = EntityLog().readAll(try package.downloadedFolders(with: .entities))
        for (device, log) in load.logs {
            guard let stop = try log.get().head.stop else { continue }
            throw ReplicationError(
                stop.code, "the log of \(device) can't be read to its end: \(stop.message)")
        }
        let batches = load.whole.map(\.batch)
        var targets: Set<Name> = []
        for batch in batches { targets.formUnion(batch.targets(of: entities)) }
        let rows = batches.map { $0.rows(of: entities, targets: targets) }
        if let missing = entities.subtracting(
            zip(batches, rows).flatMap { batch, rows in
                rows.map { Name(batch.name($0.entity)) }
            }
        ).min() {
            throw EntityStoreError(.noSuchEntity, "there is no entity \(missing.text.quoted)")
        }
        var numbers: [DeviceID: [UInt32]] = [:]
        for (batch, rows) in zip(batches, rows) { numbers[batch.device] = rows.map(\.id) }
        var count = 0
        for (batch, rows) in zip(batches, rows) {
            var copy = try RowCopy(batch, numbers, redaction)
            for row in rows { try copy.add(row) }
            guard !copy.result.rows.isEmpty else { continue }
            let device = copy.result.device
            let database = LocalDatabase(.entities, of: device, in: output) {
                try EntityLogSchema.create(in: $0, device: device)
            }
            defer { database.close() }
            try database.write { try EntityLogWriter.append(copy.result, firstName: 1, to: $0) }
            count += copy.result.rows.count
        }
        return count
    }
}

extension EntityRowBatch {
    /// Returns the name with the given number; an empty text for 0.
    fileprivate func name(_ number: UInt32) -> String {
        number == 0 ? "" : names[Int(number) - 1]
    }

    /// Returns the numbers of the names that are in a set.
    private func numbers(of texts: Set<Name>) -> Set<UInt32> {
        var numbers: Set<UInt32> = []
        for (place, name) in names.enumerated() where texts.contains(Name(name)) {
            numbers.insert(UInt32(place) + 1)
        }
        if texts.contains("") { numbers.insert(0) }
        return numbers
    }

    /// Returns the entities that relationships of the given entities point to.
    fileprivate func targets(of entities: Set<Name>) -> Set<Name> {
        let owners = numbers(of: entities)
        let related = rows.lazy.filter {
            $0.operation == .entry && $0.kind == .relationship && owners.contains($0.entity)
        }
        return Set(related.map { Name(name(UInt32($0.payload))) })
    }

    /// Returns the rows of the given entities, and the rows that create or delete other entities.
    fileprivate func rows(of entities: Set<Name>, targets: Set<Name>) -> [Row] {
        let (owners, others) = (numbers(of: entities), numbers(of: targets))
        return rows.filter { row in
            owners.contains(row.entity)
                || others.contains(row.entity)
                    && (row.operation == .creation || row.operation == .deletion)
        }
    }

    fileprivate func value(of row: Row) -> ArraySlice<UInt8> {
        row.length == 0
            ? [] : Array(bytes[Int(row.payload)..<Int(row.payload) + Int(row.length)])[...]
    }
}

/// The rows of one log that are copied.
private struct RowCopy {
    private let source: EntityRowBatch
    /// The numbers of the copied rows of each device, in ascending order.
    private let numbers: [DeviceID: [UInt32]]
    private let redaction: Redaction?
    private var names: [UInt32: UInt32] = [:]
    private(set) var result: EntityRowBatch

    init(_ source: EntityRowBatch, _ numbers: [DeviceID: [UInt32]], _ redaction: Redaction?) throws
    {
        self.source = source
        self.numbers = numbers
        self.redaction = redaction
        result = EntityRowBatch(device: try redaction?.device(source.device) ?? source.device)
    }

    mutating func add(_ row: EntityRowBatch.Row) throws {
        var copy = row
        copy.id = UInt32(result.rows.count) + 1
        copy.entity = name(row.entity)
        copy.key = name(row.key)
        copy.tag = name(row.tag)
        switch row.operation {
        case .creation, .deletion: break
        case .removal:
            copy.payload = UInt64(result.covers.count)
            result.covers.append(try cover(source.covers[Int(row.payload)]))
        case .entry: addValue(of: row, to: &copy)
        }
        result.rows.append(copy)
    }

    private mutating func name(_ number: UInt32) -> UInt32 {
        if number == 0 { return 0 }
        if let known = names[number] { return known }
        let text = source.name(number)
        result.names.append(redaction?.text(text) ?? text)
        let new = UInt32(result.names.count)
        names[number] = new
        return new
    }

    /// Returns a cover with the new numbers of the rows. Rows that aren't copied are left out.
    private func cover(_ cover: EntityRowBatch.Cover) throws -> EntityRowBatch.Cover {
        var copy = EntityRowBatch.Cover()
        for (device, last) in cover.upTo {
            let rows = numbers[device] ?? []
            let count = rows.indices.firstPosition { rows[$0] > last }
            if count > 0 { copy.upTo[try renamed(device)] = UInt32(count) }
        }
        for (device, rows) in cover.rows {
            let new = rows.compactMap { number(of: $0, device) }
            if !new.isEmpty { copy.rows[try renamed(device)] = new }
        }
        if let restated = cover.restated, let row = UInt32(exactly: restated.row),
            let new = number(of: row, restated.device)
        {
            copy.restated = PropertyEntry.ID(
                device: try renamed(restated.device), row: Int64(new))
        }
        return copy
    }

    private func number(of row: UInt32, _ device: DeviceID) -> UInt32? {
        guard let rows = numbers[device] else { return nil }
        let place = rows.indices.firstPosition { rows[$0] >= row }
        return place < rows.count && rows[place] == row ? UInt32(place) + 1 : nil
    }

    private func renamed(_ device: DeviceID) throws -> DeviceID {
        try redaction?.device(device) ?? device
    }

    private mutating func addValue(of row: EntityRowBatch.Row, to copy: inout EntityRowBatch.Row) {
        let payload = Int64(bitPattern: row.payload)
        switch row.kind {
        case .relationship: copy.payload = UInt64(name(UInt32(row.payload)))
        case .boolean: break
        case .integer:
            if let redaction { copy.payload = UInt64(bitPattern: redaction.integer(payload)) }
        case .double:
            if let redaction {
                copy.payload = redaction.real(Double(bitPattern: row.payload)).bitPattern
            }
        case .date:
            if let redaction {
                let date = redaction.date(Timestamp(microseconds: payload))
                copy.payload = UInt64(bitPattern: date.microseconds)
            }
        case .string, .data, .array, .dictionary:
            let bytes = source.value(of: row)
            let new = redaction.map { $0.value(bytes, of: row.kind) } ?? Array(bytes)
            copy.payload = UInt64(result.bytes.count)
            copy.length = UInt32(new.count)
            result.bytes.append(contentsOf: new)
        }
    }
}

extension Redaction {
    /// Returns a redacted form of the stored bytes of a value.
    fileprivate func value(_ bytes: ArraySlice<UInt8>, of kind: EntityValueKind) -> [UInt8] {
        if kind == .data { return Array(data(Data(bytes))) }
        let string = String(decoding: bytes, as: UTF8.self)
        if kind != .string, let json = try? JSONParser.parse(Array(bytes)),
            let value = try? EntityValue(json: json)
        {
            var writer = JSONWriter()
            if (try? self.value(value).writeJSON(to: &writer)) != nil { return writer.bytes }
        }
        return Array(text(string).utf8)
    }
}
