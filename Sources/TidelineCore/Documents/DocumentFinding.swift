public import DocumentStore
public import Foundation

/// Something wrong with a document of a store.
public struct DocumentFinding: Sendable {
    public enum Kind: Sendable {
        /// A chunk, or all of them, cannot be read.
        case damaged
        /// Something that the document builds on has not arrived.
        case waiting
    }

    /// The document's identifier.
    public let document: UUID
    /// The identifier of the chunk; `nil` if it is about the whole document.
    public let chunk: String?
    public let kind: Kind
    /// What is wrong, without naming the document or the chunk.
    public let problem: String

    /// What is wrong, with the document and the chunk.
    public func line(in store: AutomergeStore) -> String {
        let name = "document \(store.text(of: document))"
        return chunk.map { "\(name): chunk \($0): \(problem)" } ?? "\(name): \(problem)"
    }
}

extension AutomergeStore {
    /// Opens documents and returns what is wrong with each.
    ///
    /// - Parameter ids: All documents if `nil`.
    /// - Complexity: O(*n*) in the number of their operations; one document is in memory at a time.
    public func findings(in ids: [UUID]? = nil) -> [DocumentFinding] {
        var findings: [DocumentFinding] = []
        withDocuments(ids ?? documents().map(\.id)) { id, opened in
            do {
                // What is wrong with it is known while it is held.
                guard let document = try opened.get() else { return }
                let problems = withExtendedLifetime(document) { self.problems(of: id) }
                guard let problems else { return }
                findings += problems.damagedChunks.sorted { $0.key < $1.key }.map {
                    DocumentFinding(
                        document: id, chunk: $0.key, kind: .damaged, problem: $0.value)
                }
                if !problems.missing.isEmpty, let line = problems.lines.last {
                    findings.append(
                        DocumentFinding(document: id, chunk: nil, kind: .waiting, problem: line))
                }
            } catch let error as DocumentStoreError where error.code == .notArrived {
                findings.append(
                    DocumentFinding(
                        document: id, chunk: nil, kind: .waiting,
                        problem: "only later changes have arrived, no snapshot"))
            } catch {
                findings.append(
                    DocumentFinding(
                        document: id, chunk: nil, kind: .damaged,
                        problem: (error as? DocumentStoreError)?.message ?? "\(error)"))
            }
        }
        return findings
    }
}
