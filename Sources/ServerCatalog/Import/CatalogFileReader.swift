import LosslessJSON

/// A reader of the records of a logicals or loads file, one at a time.
public struct CatalogFileReader<Value> {
    /// A decoded record, or the reason why it couldn't be decoded.
    public enum Record {
        case good(Value)
        /// A record that can't be decoded, with its identifier if the identifier could be
        /// decoded.
        case bad(ImportReport.BadRecord, id: String?)
    }

    private var records: RecordReader
    private var index = 0
    private let decode: (RecordDecoder) throws(RecordDecoder.Failure) -> Value

    init(
        _ stream: ByteStream,
        decode: @escaping (RecordDecoder) throws(RecordDecoder.Failure) -> Value
    ) {
        records = RecordReader(stream)
        self.decode = decode
    }

    /// Returns the next record; `nil` at the end of the file.
    ///
    /// - Throws: ``ServerCatalogError`` with code `.badFile`.
    /// - Complexity: O(*n*) in the size of the record. At most 1 MiB of it is kept.
    public mutating func next() throws -> Record? {
        guard let record = try records.next() else { return nil }
        defer { index += 1 }
        guard case .bytes(let bytes) = record else {
            return bad("it has more than \(RecordReader.largestByteCount) bytes")
        }
        let json: JSON
        do throws(JSONSyntaxError) {
            json = try RecordDecoder.parse(bytes)
        } catch {
            return bad("\(error.message), at byte \(error.offset) of the record")
        }
        let decoder = RecordDecoder(json)
        do throws(RecordDecoder.Failure) {
            return .good(try decode(decoder))
        } catch {
            let id = try? decoder.string("ID")
            return bad(error.reason, id: id, name: id ?? (try? decoder.string("Name")))
        }
    }

    private func bad(_ reason: String, id: String? = nil, name: String? = nil) -> Record {
        .bad(.init(index: index, name: name, reason: reason), id: id)
    }
}

extension CatalogFileReader where Value == VPNServer {
    /// Creates a reader of the servers in a logicals file.
    public static func logicals(_ stream: ByteStream) -> Self {
        Self(stream) { record throws(RecordDecoder.Failure) in try VPNServer(record) }
    }
}

extension CatalogFileReader where Value == ServerLoad {
    /// Creates a reader of the loads in a loads file.
    public static func loads(_ stream: ByteStream) -> Self {
        Self(stream) { record throws(RecordDecoder.Failure) in try ServerLoad(record) }
    }
}

extension CatalogFileReader where Value == String {
    /// Creates a reader of the identifiers in a logicals file. Ignores errors in other members of
    /// the records.
    public static func identifiers(_ stream: ByteStream) -> Self {
        Self(stream) { record throws(RecordDecoder.Failure) in try record.string("ID") }
    }
}
