public import DocumentStore
public import Foundation

/// A problem of a document in a store.
public struct DocumentProblem: Sendable {
    /// The kind of problem.
    public enum Kind: Sendable {
        /// A chunk, or the whole document, can't be read.
        case damaged
        /// Changes of the document depend on changes that have not arrived.
        case waiting
    }

    /// The document's identifier.
    public let document: UUID
    /// The identifier of the chunk; `nil` if the problem concerns the whole document.
    public let chunk: String?
    /// The kind of problem.
    public let kind: Kind
    /// A description of the problem that doesn't name the document or the chunk.
    public let problem: String

    /// Returns a description of the problem, with the document and the chunk.
    public func line(in store: AutomergeStore) -> String {
        let name = "document \(store.text(of: document))"
        return chunk.map { "\(name): chunk \($0): \(problem)" } ?? "\(name): \(problem)"
    }
}

extension AutomergeStore {
    /// Opens documents and returns their problems.
    ///
    /// - Parameters:
    ///   - ids: The identifiers of the documents; `nil` for all documents.
    ///   - visit: Called with each document that could be opened, while it is open.
    /// - Complexity: O(*n*) in the number of operations. One document is in memory at a time.
    public func findings(
        in ids: [UUID]? = nil, visiting visit: (AutomergeStore.Document) -> Void = { _ in }
    ) -> [DocumentProblem] {
        var findings: [DocumentProblem] = []
        withDocuments(ids ?? documentSummaries().map(\.id)) { id, opened in
            func note(_ kind: DocumentProblem.Kind, _ problem: String, chunk: String? = nil) {
                findings.append(
                    DocumentProblem(document: id, chunk: chunk, kind: kind, problem: problem))
            }
            do {
                // The store knows the problems of a document while the document is open.
                guard let document = try opened.get() else { return }
                visit(document)
                let problems = withExtendedLifetime(document) { self.problems(of: id) }
                guard let problems else { return }
                for (chunk, problem) in problems.damagedChunks.sorted(by: { $0.key < $1.key }) {
                    note(.damaged, problem, chunk: chunk)
                }
                if !problems.missing.isEmpty, let line = problems.lines.last {
                    note(.waiting, line)
                }
            } catch let error as DocumentStoreError where error.code == .notArrived {
                note(.waiting, "only later changes have arrived, without a snapshot")
            } catch {
                note(.damaged, (error as? DocumentStoreError)?.message ?? "\(error)")
            }
        }
        return findings
    }
}
