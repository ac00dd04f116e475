package import Automerge
public import Foundation
import Glibc

/// The bytes of one Automerge file, read at one moment.
public struct AutomergeFile: Sendable {
    /// Longer files are refused: a document of that size would not fit the memory of most machines.
    public static let longest = 1 << 30

    public let path: String
    public let bytes: Data

    /// Reads the file at `path`. Anything that is no regular file is refused without waiting for it.
    ///
    /// - Throws: ``CoreError``: `.notFound`, `.noPermission`, `.badData` for a folder or the like,
    ///   for a file longer than ``longest``, and for one that changes while it is read.
    public init(_ path: String) throws(CoreError) {
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Self.error(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.error(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CoreError(.badData, "no regular file")
        }
        guard status.st_size <= Self.longest else {
            throw CoreError(
                .badData, "\(status.st_size) bytes are more than the \(Self.longest) that are read")
        }
        bytes = try Self.contents(of: descriptor, count: Int(status.st_size))
        var later = stat()
        guard fstat(descriptor, &later) == 0 else { throw Self.error(errno) }
        guard later.st_size == status.st_size, bytes.count == Int(status.st_size),
            later.st_mtim.tv_sec == status.st_mtim.tv_sec,
            later.st_mtim.tv_nsec == status.st_mtim.tv_nsec
        else { throw CoreError(.badData, "the file was written while it was read") }
    }

    private static func contents(of descriptor: Int32, count: Int) throws(CoreError) -> Data {
        var data = Data(count: count)
        var failure: Int32 = 0
        let filled = data.withUnsafeMutableBytes { buffer -> Int in
            var filled = 0
            while filled < count, let base = buffer.baseAddress {
                let got = read(descriptor, base + filled, count - filled)
                if got > 0 {
                    filled += got
                } else if got == 0 {
                    break
                } else if errno != EINTR {
                    failure = errno
                    break
                }
            }
            return filled
        }
        guard failure == 0 else { throw error(failure) }
        return data.prefix(filled)
    }

    private static func error(_ code: Int32) -> CoreError {
        switch code {
        case ENOENT, ENOTDIR: CoreError(.notFound, "no such file or folder")
        case EACCES, EPERM: CoreError(.noPermission, "permission denied")
        default: CoreError(.badData, String(cString: strerror(code)))
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
    public func view() throws(CoreError) -> DocumentView { DocumentView(try document()) }

    /// All changes of several files as one document's bytes.
    ///
    /// - Throws: ``CoreError`` with code `.badData` for a file that cannot be read, or that holds
    ///   another change than an earlier one under the same actor and number.
    public static func merged(_ files: [AutomergeFile]) throws(CoreError) -> Data {
        let whole = Document()
        for file in files {
            guard !file.bytes.isEmpty else {
                throw CoreError(.badData, "\(file.path): the file is empty")
            }
            do {
                // As bytes, so that changes in one file can wait for those in the next.
                try whole.applyEncodedChanges(encoded: file.bytes)
            } catch let error as DocError {
                throw CoreError(
                    .badData, "\(file.path): \(error.message)",
                    wayOut: "Where it is damaged: tideline docs check \(file.path)")
            } catch {
                throw CoreError(.badData, "\(file.path): \(error)")
            }
        }
        return whole.save()
    }
}

extension AutomergeFile {
    /// A chunk of the file, with what is wrong with it.
    public struct Chunk: Sendable {
        /// `document`, `change`, `compressed change`, `bundle`, `unknown`, or `none` for bytes that
        /// are no chunk.
        public let type: String
        public let offset: Int
        public let byteCount: Int
        public let hash: String?
        /// How many changes the document gained by it.
        public let changeCount: Int
        public let problem: String?
        /// The byte of the file at which the problem was found.
        public let problemOffset: Int?
    }

    /// What a check of every checksum and hash found.
    public struct Check: Sendable {
        public let chunks: [Chunk]
        public let changeCount: Int
        /// What is amiss without any byte being wrong: changes that wait for others.
        public let warnings: [String]

        public var damagedCount: Int { chunks.count { $0.problem != nil } }
        /// How many chunks hold a whole document.
        public var snapshotCount: Int { chunks.count { $0.type == "document" } }
    }

    /// Verifies every chunk, those behind a damaged one included.
    public func check() -> Check {
        let survey = ChunkSurvey(bytes)
        var warnings: [String] = []
        if let first = survey.missing.first {
            warnings.append(
                "\(survey.waitingCount) change(s) wait for one that the file does not have: "
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
    public var json: JSONValue {
        [
            "type": .string(type), "offset": .count(offset), "bytes": .count(byteCount),
            "hash": .optional(hash), "changes": .count(changeCount),
            "problem": .optional(problem),
            "problemOffset": .optional(problemOffset.map(Int64.init)),
        ]
    }
}
