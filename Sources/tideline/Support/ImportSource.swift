import ArgumentParser
import CommandSupport
import Foundation
import Tables

/// The file that rows are imported from, with its format.
struct ImportSource: ParsableArguments {
    @Argument(
        help: "The file; - for standard input.", completion: .file(), transform: PathWord.path)
    var file: String
    @Option(
        help: "The format: csv, tsv, json or jsonl (default: by the file's extension).",
        completion: .list(ImportFormat.allCases.map(\.rawValue)), transform: Self.format)
    var format: ImportFormat?
    @Option(
        parsing: .unconditional,
        help: "The unquoted field that means NULL in CSV and TSV (default: an empty one).")
    var null: String?

    private static func format(_ name: String) throws -> ImportFormat {
        guard let format = ImportFormat(rawValue: name) else {
            throw ValidationError("choose csv, tsv, json or jsonl")
        }
        return format
    }

    /// The name of the file in messages.
    var name: String { file == "-" ? "standard input" : file }

    /// The format, if the command line or the file's extension determines it.
    var knownFormat: ImportFormat? { format ?? ImportFormat(fileName: file) }

    func validate() throws {
        if null != nil, knownFormat == .json || knownFormat == .jsonLines {
            throw ValidationError("--null is for CSV and TSV; JSON has its own null")
        }
    }

    /// Returns the rows of the file. It is read lazily, as the caller iterates over the rows.
    ///
    /// - Parameter piecewise: Called before each piece of the file; it can stop the import.
    func rows(_ format: ImportFormat, piecewise: @escaping () throws -> Void = {}) -> TableImport {
        let file = file
        return TableImport(format, null: null ?? "") { body in
            try InputFile.forEachPiece(file) { piece in
                try piecewise()
                try body(piece)
            }
        }
    }

    /// Reads a JSON file that holds either rows or one object of another form.
    ///
    /// - Parameters:
    ///   - rows: Reads an array of rows, JSON Lines, CSV or TSV.
    ///   - object: Reads the whole text of any other JSON file, or of a file of unknown format.
    func read<Content>(
        rows: (TableImport) throws -> Content, object: (Data) throws -> Content
    ) throws -> Content {
        let format = knownFormat ?? .json
        return try Failure.of(name) {
            guard format == .json else { return try rows(self.rows(format)) }
            var data = try InputFile.data(file)
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            if data.starts(with: mark) { data = Data(data.dropFirst(mark.count)) }
            let first = data.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard first == UInt8(ascii: "[") else { return try object(data) }
            return try rows(TableImport(.json) { body in try data.withUnsafeBytes(body) })
        }
    }
}
