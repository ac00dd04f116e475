import Replication

extension StoreInfo.Section {
    /// Reads the blobs of a package and the problems of its names.
    static func package(_ package: StorePackage) throws -> Self {
        var section = Self()
        do {
            section.problems = try package.undecodableNames().map {
                "\($0): its name is not valid UTF-8, so it is not read; rename it"
            }
            for root in ["Devices", "devices"] {
                let items = (try? RootedFolder(package.path).items([root])) ?? []
                section.problems += items.compactMap { item in
                    item.unsafeKind.map { "\(root)/\(item.name): \($0)" }
                }
            }
            let blobs = try package.blobs.survey()
            section.counts["blobs"] = blobs.entries.count
            section.problems += blobs.unreadFolders.map { "blobs: \($0.reason)" }
            section.problems += blobs.syncServiceFiles.map { file in
                "blobs: \(file.name.quoted) is \(file.explanation); it is not listed as a blob"
                    + (file.adviceForBlob.map { ": \($0)" } ?? "")
            }
            section.problems += (try package.deviceNameProblems() + blobs.nameProblems).map {
                "\($0.path.quoted) \($0.explanation)"
            }
        } catch {
            section.problems.append("blobs: \(error)")
        }
        return section
    }
}

extension SyncServiceFile {
    /// The suggestion for a file that a sync service left among the blobs; `nil` if nothing needs
    /// to be done.
    var adviceForBlob: String? {
        switch role {
        case .conflictCopy:
            "to compare the versions: tideline blobs conflicts; to keep one version: "
                + "tideline blobs resolve"
        case .placeholder: "let the service download it"
        case .temporary, .version: nil
        case .lock: "close the document, or delete the lock if no editor has it open"
        }
    }
}
