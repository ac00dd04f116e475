extension DatabaseKind {
    /// Returns a suggestion, with its command, for a database in another copy of a store that
    /// contains data missing from this one, as a clause.
    package static func wayOut(
        ofRestIn path: String, of kind: DatabaseKind, in package: StorePackage
    ) -> (advice: String, command: String?) {
        switch kind {
        case .logs, .entities:
            ("merge its rows", wayOut(ofCopy: path, of: kind, in: package).command)
        case .documents:
            ("copy its documents with tideline docs export and tideline docs import", nil)
        case .catalog:
            ("import its servers again with tideline servers import", nil)
        }
    }

    /// Returns a suggestion, with its first command, for a version of a device's file that a sync
    /// service kept, as a clause.
    ///
    /// - Parameters:
    ///   - path: The path of the copy.
    ///   - kind: The kind of database that was copied; `nil` if it is not a database.
    package static func wayOut(
        ofCopy path: String, of kind: DatabaseKind?, in package: StorePackage
    ) -> (advice: String, command: String?) {
        switch kind {
        case .logs:
            (
                "merge its rows, then delete it",
                ShellCommand.line("tideline", "merge", package.path, path)
            )
        case .entities:
            (
                "import its entities, then delete it",
                ShellCommand.line("tideline", "entities", "export", path) + " | "
                    + ShellCommand.line("tideline", "entities", "import", package.path, "-")
            )
        case .documents:
            (
                "replace the original with it until its changes are merged, "
                    + "or delete it", nil
            )
        case .catalog, nil:
            ("delete it", ShellCommand.line("rm", path))
        }
    }
}
