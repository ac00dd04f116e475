import ArgumentParser

struct DocumentCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docs",
        abstract: "Read and edit Automerge documents.",
        discussion: """
            PATH is a package, a storage folder of automerge-repo, a file of AutomergeStore \
            (read-only), or an .automerge file (read-only, without DOC).

            Example: tideline docs show Notes.automerge --json
            """,
        subcommands: [
            ListDocuments.self, ShowDocument.self, DocumentHistory.self, ListDocumentConflicts.self,
            DocumentDifferences.self, CheckDocument.self, ListChunks.self, NewWorkspace.self,
            AddDocument.self, DeleteWorkspace.self, SetInDocument.self, DeleteInDocument.self,
            IncrementInDocument.self, SpliceInDocument.self, CompactDocuments.self,
            ImportDocument.self, ExportDocument.self, MergeDocuments.self,
            SyncDocuments.self, ServeDocuments.self,
        ])
}
