package import Automerge
public import Foundation
import Replication

/// The bytes of an Automerge file, read at one moment.
public struct AutomergeFile: Sendable {
    /// The maximum file size. A larger document would not fit into the memory of most machines.
    public static let longest: Int64 = 1 << 30

    /// The path of the file.
    public let path: String
    /// The content of the file.
    public let bytes: Data

    /// Reads the file at `path`. Anything but a regular file is rejected without blocking.
    ///
    /// - Throws: ``CoreError``: `.notFound`, `.noPermission`, `.badData` for folders and other
    ///   non-files, for files larger than ``longest``, and for files that change while being read.
    public init(_ path: String) throws(CoreError) {
        self.path = path
        do throws(ReplicationError) {
            bytes = try WholeFile.read(path, limit: Self.longest)
        } catch {
            throw Self.error(error)
        }
    }

    private static func error(_ error: ReplicationError) -> CoreError {
        switch error.code {
        case .notFound: CoreError(.notFound, "no such file or folder")
        case .noPermission: CoreError(.noPermission, "permission denied")
        case .unreadable: CoreError(.badData, "not a regular file")
        case .tooLarge:
            CoreError(.badData, "larger than the limit of \(Counted.text(longest, "byte"))")
        default: CoreError(.badData, error.message)
        }
    }

    /// Decodes the document.
    ///
    /// - Throws: ``CoreError`` with code `.badData`.
    package func document() throws(CoreError) -> Document {
        guard !bytes.isEmpty else { throw CoreError(.badData, "the file is empty") }
        do {
            return try Document(bytes)
        } catch let error as LoadError {
            throw CoreError(
                .badData, error.message,
                suggestion: "to locate the damage: tideline docs check \(path)")
        } catch {
            throw CoreError(.badData, String(describing: error))
        }
    }

    /// Decodes the document for reading.
    ///
    /// - Throws: ``CoreError`` with code `.badData`.
    /// - Complexity: O(*n*) in the number of operations.
    public func view() throws(CoreError) -> DocumentView { DocumentView(try document()) }

    /// Merges the changes of several files into the bytes of one document.
    ///
    /// - Parameter files: The files, in any order.
    /// - Throws: ``CoreError`` with code `.badData` for an unreadable file, or for a change that
    ///   differs from an earlier change with the same actor and sequence number.
    /// - Complexity: O(*n*) in the number of operations of all files.
    public static func merged(_ files: [AutomergeFile]) throws(CoreError) -> Data {
        let whole = Document()
        for file in files {
            guard !file.bytes.isEmpty else {
                throw CoreError(.badData, at: file.path, "the file is empty")
            }
            do {
                // Apply the bytes of all files before decoding, so that changes in one file can
                // depend on changes in the next.
                try whole.applyEncodedChanges(encoded: file.bytes)
            } catch let error as DocError {
                throw CoreError(
                    .badData, at: file.path, error.message,
                    suggestion: file.check().damage == nil
                        ? "the file is sound, but does not fit the files before it"
                        : "to locate the damage: tideline docs check \(file.path)")
            } catch {
                throw CoreError(.badData, at: file.path, "\(error)")
            }
        }
        return whole.save()
    }
}

extension AutomergeFile {
    /// The result of checking every checksum and hash.
    public struct Check: Sendable {
        /// The chunks, in file order.
        package let chunks: [SurveyedChunk]
        /// The number of changes in valid chunks.
        public let changeCount: Int
        /// Warnings about undamaged chunks whose changes depend on missing changes.
        public let warnings: [String]

        /// The number of damaged chunks.
        public var damagedCount: Int { chunks.count { $0.problem != nil } }
        /// A description of the damage; `nil` if the file isn't empty and all chunks are valid.
        public var damage: String? {
            guard !chunks.isEmpty else { return "the file is empty" }
            guard let first = chunks.lazy.compactMap(\.finding).first else { return nil }
            let count = Counted.text(chunks.count, "chunk")
            return "\(Counted.grouped(damagedCount)) of \(count) damaged; \(first)"
        }
        /// The number of chunks that contain a whole document.
        public var snapshotCount: Int { chunks.count { $0.kind == .document } }
    }

    /// Checks every chunk, including the chunks after a damaged chunk.
    ///
    /// - Complexity: O(*n*) in the size of the file after decompression.
    public func check() -> Check {
        let survey = ChunkSurvey(bytes)
        var warnings: [String] = []
        if let first = survey.missing.first {
            warnings.append(
                Counted.text(survey.waitingCount, "change is", "changes are")
                    + " waiting for a change that is not in the file: "
                    + first.debugDescription)
        }
        return Check(chunks: survey.chunks, changeCount: survey.changeCount, warnings: warnings)
    }
}

extension SurveyedChunk {
    /// The problem and its place; `nil` if the chunk is valid.
    package var finding: String? { problem.map { "byte \($0.offset): \($0.message)" } }

    /// The chunk in the output of `tideline docs check --json`.
    package var json: JSONValue {
        [
            "type": .string(kind.rawValue), "offset": .count(offset), "bytes": .count(byteCount),
            "hash": .optional(hash?.debugDescription), "changes": .count(changeCount),
            "problem": .optional(problem?.message),
            "problemOffset": .optional(problem.map { Int64($0.offset) }),
        ]
    }
}
