extension DatabaseKind {
    /// Returns a suggestion, with its command, for a database in another copy of a store that
    /// contains data missing from this one, as a clause.
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
