/// A file that a sync service left in a package, recognized by its name. Such files are reported,
/// never merged.
public struct SyncServiceFile: Hashable, Sendable {
    /// The relation of the file to its original.
    public enum Role: String, Sendable {
        /// Another version of the file, kept because two machines changed it. Its rows are not in
        /// the store until the user resolves the conflict.
        case conflictCopy
        /// A file of a transfer that is in progress or was interrupted.
        case temporary
        /// A file that the service hasn't downloaded.
        case placeholder
        /// A file that an editor keeps next to a document while it is open.
        case lock
        /// An older version that the service keeps for a while. No data is missing.
        case version
    }

    /// A sync service, recognized by its naming scheme.
    public enum Service: String, Sendable {
        case syncthing, dropbox, iCloud, rsync, oneDrive, nextcloud, googleDrive, seafile, resilio
        case unison, rclone, obsidian, maestral
    }

    /// The file's name.
    public let name: String
    /// The role of the file, according to its name.
    public let role: Role
    /// The name of the original file; `nil` if this file's name doesn't contain it.
    public let original: String?
    /// The service; `nil` if several services use names of this form, or if no service does and
    /// users choose them.
    public let service: Service?
}

extension SyncServiceFile {
    /// Recognizes a file by its name. Returns `nil` if it doesn't belong to a sync service.
    ///
    /// For the database files of a package, every mark of a copy counts. For other files, only
    /// marks that users don't choose themselves are recognized. For example, a user may have named
    /// a file `A 2.txt`.
    public init?(name: String) {
        let found =
            Self.transfer(name) ?? Self.lock(name) ?? Self.version(name) ?? Self.markedCopy(name)
            ?? Self.conflictCopy(name)
        guard let found else { return nil }
        self = found
    }

    /// Returns whether the name belongs to a transfer in progress, or to a file that is not
    /// downloaded.
    public static func isTransfer(_ name: String) -> Bool { transfer(name) != nil }
}

extension SyncServiceFile {
    /// A description to print after the name and "is".
    public var explanation: String {
        let original = original.map(\.quoted) ?? "a file"
        let keeper = service?.title ?? "a sync service"
        return switch role {
        case .conflictCopy:
            // Merging two stores leaves such copies, too.
            "another version of \(original), kept \(service.map { "by \($0.title) " } ?? "")"
                + "because it was changed in two places"
        case .temporary: "an unfinished transfer of \(original) by \(keeper)"
        case .placeholder: "a placeholder for \(original), which \(keeper) has not downloaded"
        case .lock: "a lock of an editor that has \(self.original?.quoted ?? "a document") open"
        case .version: "an older state of \(original), which \(keeper) keeps"
        }
    }
}

extension SyncServiceFile.Service {
    /// The service's name in its official spelling.
    public var title: String {
        switch self {
        case .syncthing: "Syncthing"
        case .dropbox: "Dropbox"
        case .iCloud: "iCloud Drive"
        case .rsync, .rclone: rawValue
        case .oneDrive: "OneDrive"
        case .nextcloud: "Nextcloud"
        case .googleDrive: "Google Drive"
        case .seafile: "Seafile"
        case .resilio: "Resilio Sync"
        case .unison: "Unison"
        case .obsidian: "Obsidian Sync"
        case .maestral: "Maestral"
        }
    }
}

extension Substring {
    /// Returns whether this consists of that many ASCII digits.
    func isDigits(_ count: Int) -> Bool {
        utf8.count == count && utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}

extension Character {
    var isAlphanumeric: Bool { isLetter || isNumber }
}

extension String {
    /// Returns the text between `prefix` and `suffix`, if this string starts and ends with them,
    /// and the text is not empty.
    func between(_ prefix: String, _ suffix: String) -> Substring? {
        guard hasPrefix(prefix), hasSuffix(suffix),
            utf8.count > prefix.utf8.count + suffix.utf8.count
        else { return nil }
        return dropFirst(prefix.count).dropLast(suffix.count)
    }
}
