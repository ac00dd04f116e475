public import Replication

/// The complete values of a list's rows, to copy and export.
public protocol CopyableRows: ListedRows {
    /// Returns the value of a row in the forms that can be copied.
    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm]
    /// Passes the complete value of a row to `write`, in pieces: the bytes of a file or of data;
    /// other values as text.
    ///
    /// - Returns: Whether the row has a value.
    /// - Throws: Errors from reading the store; errors of `write`.
    func writeValue(
        of row: RowID, at instant: Timestamp?, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> Bool
    /// Returns rows of a window as complete values for export, in the forms of the command line.
    func records(of rows: [Row], at instant: Timestamp?) async throws -> [RowRecord]
}

extension CopyableRows {
    /// Returns an empty array, because rows can't be copied.
    public func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] { [] }
    /// Writes the text that copying the row's value produces.
    ///
    /// - Throws: Errors from reading the store; errors of `write`.
    public func writeValue(
        of row: RowID, at instant: Timestamp?, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> Bool {
        guard
            var text = try await copyForms(of: row, at: instant).first(where: { $0.name == "value" }
            )?
            .text
        else { return false }
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
        return true
    }
}
