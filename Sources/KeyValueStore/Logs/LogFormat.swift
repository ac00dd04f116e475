public import Replication

/// The format of a device's log.
public enum LogFormat: String, Sendable, CaseIterable {
    /// This library's own format.
    case tideline2 = "tideline-2"
    /// Core Data's format, as written by PARStore 1.
    case parstore1 = "parstore-1"

    /// The number of bytes from which ``init(header:)`` reads the format.
    package static let headerCount = 72

    /// Reads the format from the beginning of a log's file, without opening the database or
    /// checking its tables; `nil` for a file that isn't an SQLite database.
    package init?(header: [UInt8]) {
        guard header.count >= Self.headerCount,
            header.starts(with: Array("SQLite format 3\0".utf8))
        else { return nil }
        // SQLite's application_id, in big-endian order.
        let application = header[68..<72].reduce(0) { $0 << 8 | Int($1) }
        self = application == LogForm.applicationID ? .tideline2 : .parstore1
    }
}

extension DeviceStatus {
    /// The format of the device's log; `nil` until it was read once.
    public var format: LogFormat? { form.flatMap(LogFormat.init) }
}
