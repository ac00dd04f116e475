import ArgumentParser

/// `tideline docs`: Automerge documents.
struct DocumentCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docs",
        abstract: "Automerge documents: content, edits, history, conflicts, differences, chunks.",
        discussion: """
            Example: tideline docs show Notes.automerge --json
            PATH is a package, a storage folder of automerge-repo, a file of AutomergeStore (which \
            is read only), or one .automerge file (read only; DOC is left out then).
            """,
        subcommands: [
            ListDocuments.self, ShowDocument.self, DocumentHistory.self, DocumentConflicts.self,
            DocumentDifferences.self, CheckDocument.self, ListChunks.self, NewWorkspace.self,
            AddDocument.self, DeleteWorkspace.self, SetInDocument.self, DeleteInDocument.self,
            IncrementInDocument.self, SpliceInDocument.self, CompactDocuments.self,
            ImportDocument.self, ExportDocument.self, MergeDocuments.self,
            SyncDocuments.self, ServeDocuments.self,
        ])
}
