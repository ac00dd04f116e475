import Replication

extension StoreInfo.Section {
    /// Reads the blobs of a package and the names that can't be read.
    static func package(_ package: StorePackage) throws -> Self {
        var section = Self()
        do {
            section.problems = try package.undecodableNames().map {
                "\($0): its name is not valid UTF-8, so it is not read; rename it"
            }
            section.counts["blobs"] = try package.blobs.entries().count
            section.problems += try package.blobs.conflictCopies().map { copy in
                "blobs: \(copy.name.quoted) is \(copy.explanation); it is not read as a "
                    + "blob: inspect it with tideline blobs get, then delete it with tideline blobs delete"
            }
        } catch {
            section.problems.append("blobs: \(error)")
        }
        return section
    }

    /// A file that a sync service left in a device's folder.
    struct Finding {
        /// The device.
        let subject: String
        let name: String
        let text: String
    }

    /// Returns the files that sync services left next to the databases.
    static func findings(_ package: StorePackage) throws -> [Finding] {
        try package.devices().flatMap { folder in
            folder.findings.map { finding in
                Finding(
                    subject: folder.id.name, name: finding.name,
                    text: "\(folder.id): \(finding.name.quoted) is \(finding.explanation)"
                )
            }
        }
    }
}
