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
    /// The service; `nil` if several services, or only users, use names of this form.
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

    static func transfer(_ name: String) -> SyncServiceFile? {
        func file(_ role: Role, _ original: Substring?, _ service: Service) -> SyncServiceFile {
            SyncServiceFile(
                name: name, role: role, original: original.map(String.init), service: service)
        }
        for prefix in [".syncthing.", "~syncthing~"] {
            if let original = name.between(prefix, ".tmp") {
                return file(.temporary, original, .syncthing)
            }
        }
        if UnfinishedBlob.isName(name) {
            return SyncServiceFile(name: name, role: .temporary, original: nil, service: nil)
        }
        if let original = name.between(".", ".icloud") {
            return file(.placeholder, original, .iCloud)
        }
        // The placeholders of Nextcloud and ownCloud on disks without native placeholders.
        for suffix in [".nextcloud", ".owncloud"] {
            if let original = name.between("", suffix), original.dropFirst().contains(".") {
                return file(.placeholder, original, .nextcloud)
            }
        }
        if name.between(".unison.", ".unison.tmp") != nil {
            return file(.temporary, nil, .unison)
        }
        if let original = name.between("", ".!sync") {
            return file(.temporary, original, .resilio)
        }
        if let original = name.between("", ".partial"), let dot = original.lastIndex(of: "."),
            original[original.index(after: dot)...].utf8.count == 8,
            original[original.index(after: dot)...].allSatisfy({ $0.isASCII && $0.isAlphanumeric })
        {
            return file(.temporary, original[..<dot], .rclone)
        }
        guard let hidden = name.between(".", ""), let dot = hidden.lastIndex(of: ".") else {
            return nil
        }
        let original = hidden[..<dot]
        let tail = hidden[hidden.index(after: dot)...]
        guard !original.isEmpty else { return nil }
        if tail.utf8.first == UInt8(ascii: "~"), tail.dropFirst().allSatisfy(\.isHexDigit) {
            return file(.temporary, original, .nextcloud)
        }
        if tail.utf8.count == 6, tail.allSatisfy({ $0.isASCII && $0.isAlphanumeric }) {
            return file(.temporary, original, .rsync)
        }
        return nil
    }

    private static func conflictCopy(_ name: String) -> SyncServiceFile? {
        guard let stem = DatabaseKind.stem(of: name) else { return nil }
        for suffix in [".db", ".db-journal", ".db-wal"] {
            guard let middle = name.between(String(stem), suffix), let service = mark(middle)
            else { continue }
            return SyncServiceFile(
                name: name, role: .conflictCopy, original: stem + suffix, service: service)
        }
        return nil
    }

    /// Returns the names that a folder can be a copy of, according to suffixes in its name. Each
    /// name comes with the service that uses the suffix. The longest name is first.
    static func copyMarks(in name: String) -> [(original: String, service: Service?)] {
        var found: [(String, Service?)] = []
        let beginnings: Set<UInt8> = [0x20, 0x2D, 0x2E, 0x5F, 0x7E]  // space - . _ ~
        for index in name.utf8.indices.dropFirst().reversed()
        where beginnings.contains(name.utf8[index]) {
            guard let service = mark(Substring(name.utf8[index...])) else { continue }
            found.append((String(Substring(name.utf8[..<index])), service))
        }
        return found
    }

    /// Returns the service for a suffix between a file's name and its extension, or after a
    /// folder's name.
    private static func mark(_ text: Substring) -> Service?? {
        if text.hasPrefix(".sync-conflict-") { return .some(.syncthing) }
        if text.hasPrefix("_conflict-") { return .some(.nextcloud) }
        if text == ".Conflict" { return .some(.resilio) }
        for beginning in bisyncMarks {
            if let number = String(text).between(beginning, ""), number.allSatisfy(\.isNumber) {
                return .some(.rclone)
            }
        }
        // Synology: `_DESKTOP_Jan-01-120000-2026_Conflict`.
        if text.hasPrefix("_") && text.hasSuffix("_Conflict") { return .some(nil) }
        // File managers: `phone copy`, `phone copy 2`, `phone - Copy`, `phone - Copy (2)`,
        // `phone~`.
        let plain = text.lowercased()
        if ["~", " copy", " - copy"].contains(plain) { return .some(nil) }
        for beginning in [" copy ", " - copy ("] {
            let rest = plain.between(beginning, beginning.hasSuffix("(") ? ")" : "")
            if let rest, rest.allSatisfy(\.isNumber) { return .some(nil) }
        }
        if text.hasPrefix(" [") && text.hasSuffix("]") { return .some(.googleDrive) }
        if let number = String(text).between(" ", ""), number.allSatisfy(\.isNumber) {
            return .some(.iCloud)
        }
        if let inner = String(text).between(" (", ")") {
            if inner.contains("SFConflict") { return .some(.seafile) }
            if let service = service(ofWords: inner) { return .some(service) }
            if inner.allSatisfy(\.isNumber) { return .some(.googleDrive) }
            return .some(nil)
        }
        // OneDrive appends the name of the computer.
        if text.hasPrefix("-") && text.count > 1 { return .some(.oneDrive) }
        return nil
    }
}

extension Character {
    var isAlphanumeric: Bool { isLetter || isNumber }
}

extension String {
    /// Returns the text between `prefix` and `suffix`, if this starts and ends with them and the
    /// text is not empty.
    func between(_ prefix: String, _ suffix: String) -> Substring? {
        guard hasPrefix(prefix), hasSuffix(suffix),
            utf8.count > prefix.utf8.count + suffix.utf8.count
        else { return nil }
        return dropFirst(prefix.count).dropLast(suffix.count)
    }
}
