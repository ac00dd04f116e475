extension DatabaseKind {
    /// What to do about a database in another copy of a store which holds what this one does not, as
    /// a clause, and the command that does it.
    package static func wayOut(
        ofRestIn path: String, of kind: DatabaseKind, in package: StorePackage
    ) -> (advice: String, command: String?) {
        switch kind {
        case .logs, .entities:
            ("take its rows over", wayOut(ofCopy: path, of: kind, in: package).command)
        case .documents:
            ("take its documents over with tideline docs export and tideline docs import", nil)
        case .catalog:
            ("import its servers anew with tideline servers import", nil)
        }
    }

    /// What to do about another version of a device's file that a sync service kept, as a clause, and
    /// the command that does the first of it.
    ///
    /// - Parameters:
    ///   - path: Where the copy is.
    ///   - kind: What it is a copy of; `nil`: of no database.
    package static func wayOut(
        ofCopy path: String, of kind: DatabaseKind?, in package: StorePackage
    ) -> (advice: String, command: String?) {
        switch kind {
        case .logs:
            (
                "take its rows over, then delete it",
                ShellCommand.line("tideline", "merge", package.path, path)
            )
        case .entities:
            (
                "take its entities over, then delete it",
                ShellCommand.line("tideline", "entities", "export", path) + " | "
                    + ShellCommand.line("tideline", "entities", "import", package.path, "-")
            )
        case .documents:
            (
                "put it in the place of the other for a while, so that its changes are taken in, "
                    + "or delete it", nil
            )
        case .catalog, nil:
            ("nothing is read of it: delete it", ShellCommand.line("rm", path))
        }
    }
}
