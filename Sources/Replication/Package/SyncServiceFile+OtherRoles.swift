/// The names of transfers, placeholders, locks and older versions.
extension SyncServiceFile {
    static func transfer(_ name: String) -> SyncServiceFile? {
        func file(_ role: Role, _ original: Substring?, _ service: Service?) -> SyncServiceFile {
            SyncServiceFile(
                name: name, role: role, original: original.map(String.init), service: service)
        }
        for prefix in [".syncthing.", "~syncthing~"] {
            if let original = name.between(prefix, ".tmp") {
                return file(.temporary, original, .syncthing)
            }
        }
        if UnfinishedFile.isName(name) {
            return file(.temporary, nil, nil)
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

    /// Recognizes an editor's lock file next to an open document: `~$NAME` of Microsoft Office,
    /// which may replace the first two letters, or `.~lock.NAME#` of LibreOffice.
    static func lock(_ name: String) -> SyncServiceFile? {
        let original: Substring?
        if let document = name.between(".~lock.", "#") {
            original = document
        } else if name.between("~$", "") != nil {
            original = nil
        } else {
            return nil
        }
        return SyncServiceFile(
            name: name, role: .lock, original: original.map(String.init), service: nil)
    }

    /// Recognizes an older version of a file: `Logs~20260101-120000.db` of Syncthing, `Logs.db~` of
    /// rsync and many others, `.bak.0.NAME` of Unison.
    static func version(_ name: String) -> SyncServiceFile? {
        func file(_ original: some StringProtocol, _ service: Service?) -> SyncServiceFile {
            SyncServiceFile(
                name: name, role: .version, original: String(original), service: service)
        }
        if let rest = name.between(".bak.", ""), let dot = rest.firstIndex(of: "."),
            rest[..<dot].isDigits(rest[..<dot].utf8.count)
        {
            let original = rest[rest.index(after: dot)...]
            return original.isEmpty ? nil : file(original, .unison)
        }
        guard let stem = DatabaseKind.stem(of: name) else { return nil }
        for suffix in [".db", ".db-journal", ".db-wal"] {
            if name == "\(stem)\(suffix)~" { return file(stem + suffix, nil) }
            let mark = name.between("\(stem)~", suffix)?
                .split(separator: "-", omittingEmptySubsequences: false)
            if let mark, mark.count == 2, mark[0].isDigits(8), mark[1].isDigits(6) {
                return file(stem + suffix, .syncthing)
            }
        }
        return nil
    }
}
