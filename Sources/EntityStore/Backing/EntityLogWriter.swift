import GRDB
import Replication

/// Appends rows to this device's log.
enum EntityLogWriter {
    /// Writes a batch's names and rows. Their numbers continue those in the file.
    static func append(_ batch: EntityRowBatch, firstName: UInt32, to db: Database) throws {
        let names = try Stepper(db, "INSERT INTO names (id, name) VALUES (?, ?)")
        for (place, name) in batch.names.enumerated() {
            names.bind(1, Int64(firstName) + Int64(place))
            names.bind(2, copying: name)
            try names.run()
        }
        let insert = try Stepper(
            db,
            """
            INSERT INTO log (id, timestamp, operation, entity, key, tag, date, kind, value)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        try batch.bytes.withUnsafeBufferPointer { bytes in
            for row in batch.rows {
                bind(row, batch, bytes, insert)
                try insert.run()
            }
        }
    }

    private static func bind(
        _ row: EntityRowBatch.Row, _ batch: EntityRowBatch, _ bytes: UnsafeBufferPointer<UInt8>,
        _ insert: Stepper
    ) {
        insert.bind(1, Int64(row.id))
        insert.bind(2, row.timestamp)
        insert.bind(3, Int64(row.operation.rawValue))
        insert.bind(4, Int64(row.entity))
        insert.bind(5, row.key == 0 ? nil : Int64(row.key))
        insert.bind(6, row.tag == 0 ? nil : Int64(row.tag))
        insert.bind(7, row.date == row.timestamp ? nil : row.date)
        insert.bind(8, row.operation == .entry ? Int64(row.kind.rawValue) : nil)
        switch row.operation {
        case .entry: bindValue(row, bytes, insert)
        case .removal: insert.bind(9, copying: batch.covers[Int(row.payload)].text)
        case .creation, .deletion: insert.bind(9, nil)
        }
    }

    private static func bindValue(
        _ row: EntityRowBatch.Row, _ bytes: UnsafeBufferPointer<UInt8>, _ insert: Stepper
    ) {
        switch row.kind {
        case .data where row.length == 0: insert.bindEmptyBlob(9)
        case .string, .array, .dictionary, .data:
            let start = Int(row.length == 0 ? 0 : row.payload)
            let value = UnsafeBufferPointer(rebasing: bytes[start..<start + Int(row.length)])
            if row.kind == .data {
                insert.bind(9, blob: value)
            } else {
                insert.bind(9, text: value)
            }
        case .integer, .boolean, .date, .relationship:
            insert.bind(9, Int64(bitPattern: row.payload))
        case .double: insert.bind(9, double: Double(bitPattern: row.payload))
        }
    }
}
