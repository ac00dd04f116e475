package import Automerge
public import Foundation
import Replication

/// The bytes of one Automerge file, read at one moment.
public struct AutomergeFile: Sendable {
    /// Longer files are refused: a document of that size would not fit the memory of most machines.
    public static let longest: Int64 = 1 << 30

    /// Where the file was when it was read.
    public let path: String
    /// All of the file.
    public let bytes: Data

    /// Reads the file at `path`. Anything that is not a regular file is refused without waiting for
    /// it.
    ///
    /// - Throws: ``CoreError``: `.notFound`, `.noPermission`, `.badData` for a folder or the like,
    ///   for a file longer than ``longest``, and for one that changes while it is read.
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
        case .incomplete: CoreError(.badData, error.message)
        case .tooLarge: CoreError(.badData, "it has more than the \(longest) bytes that are read")
        default: CoreError(.badData, error.message)
        }
    }

    /// The document that the bytes hold.
    ///
    /// - Throws: ``CoreError`` with code `.badData`.
    package func document() throws(CoreError) -> Document {
        guard !bytes.isEmpty else { throw CoreError(.badData, "the file is empty") }
        do {
            return try Document(bytes)
        } catch let error as LoadError {
            throw CoreError(
                .badData, error.message,
                wayOut: "Where it is damaged: tideline docs check \(path)")
        } catch {
            throw CoreError(.badData, String(describing: error))
        }
    }

    /// The document, to be read.
    ///
    /// - Throws: ``CoreError`` with code `.badData`.
    /// - Complexity: O(*n*) in the number of operations.
    public func view() throws(CoreError) -> DocumentView { DocumentView(try document()) }

    /// All changes of several files as one document's bytes.
    ///
    /// - Throws: ``CoreError`` with code `.badData` for a file that cannot be read, or that holds
    ///   another change than an earlier one under the same actor and number.
    /// - Complexity: O(*n*) in the number of operations of all files.
    public static func merged(_ files: [AutomergeFile]) throws(CoreError) -> Data {
        let whole = Document()
        for file in files {
            guard !file.bytes.isEmpty else {
                throw CoreError(.badData, at: file.path, "the file is empty")
            }
            do {
                // As bytes, so that changes in one file can wait for those in the next.
                try whole.applyEncodedChanges(encoded: file.bytes)
            } catch let error as DocError {
                throw CoreError(
                    .badData, at: file.path, error.message,
                    wayOut: "Where it is damaged: tideline docs check \(file.path)")
            } catch {
                throw CoreError(.badData, at: file.path, "\(error)")
            }
        }
        return whole.save()
    }
}

extension AutomergeFile {
    /// A chunk of the file, with what is wrong with it.
    public struct Chunk: Sendable {
        /// `document`, `change`, `compressed change`, `bundle`, `unknown`, or `none` for bytes that
        /// are not a chunk.
        public let type: String
        /// The chunk's first byte, counted from the start of the file.
        public let offset: Int
        /// How many bytes of the file it takes.
        public let byteCount: Int
        /// The hash that the chunk has, in hexadecimal digits; `nil` where it has none, or is
        /// damaged.
        public let hash: String?
        /// How many changes the document gained by it.
        public let changeCount: Int
        /// What is wrong with it; `nil` for a sound one.
        public let problem: String?
        /// The byte of the file at which the problem was found.
        public let problemOffset: Int?
    }

    /// What a check of every checksum and hash found.
    public struct Check: Sendable {
        /// The chunks in the order of the file.
        public let chunks: [Chunk]
        /// How many changes the sound chunks hold.
        public let changeCount: Int
        /// What is amiss without any byte being wrong: changes that wait for others.
        public let warnings: [String]

        /// How many chunks have a problem.
        public var damagedCount: Int { chunks.count { $0.problem != nil } }
        /// How many chunks hold a whole document.
        public var snapshotCount: Int { chunks.count { $0.type == "document" } }
    }

    /// Verifies every chunk, those behind a damaged one included.
    ///
    /// - Complexity: O(*n*) in the size of the file, of all that its chunks inflate to.
    public func check() -> Check {
        let survey = ChunkSurvey(bytes)
        var warnings: [String] = []
        if let first = survey.missing.first {
            warnings.append(
                (survey.waitingCount == 1
                    ? "1 change waits" : "\(survey.waitingCount) changes wait")
                    + " for one that the file does not have: "
                    + first.debugDescription)
        }
        return Check(
            chunks: survey.chunks.map { chunk in
                Chunk(
                    type: chunk.kind == .compressedChange
                        ? "compressed change" : chunk.kind.rawValue,
                    offset: chunk.offset, byteCount: chunk.byteCount,
                    hash: chunk.hash?.debugDescription, changeCount: chunk.changeCount,
                    problem: chunk.problem?.message, problemOffset: chunk.problem?.offset)
            }, changeCount: survey.changeCount, warnings: warnings)
    }
}

extension AutomergeFile.Chunk {
    /// The chunk as `tideline docs check --json` writes it.
    public var json: JSONValue {
        [
            "type": .string(type), "offset": .count(offset), "bytes": .count(byteCount),
            "hash": .optional(hash), "changes": .count(changeCount),
            "problem": .optional(problem),
            "problemOffset": .optional(problemOffset.map(Int64.init)),
        ]
    }
}
