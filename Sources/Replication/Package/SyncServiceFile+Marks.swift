extension SyncServiceFile {
    /// The suffixes that bisync appends to a name, followed by a number. Older versions, such as
    /// 1.60, use the second suffix.
    static let bisyncMarks = [".conflict", "..path"]

    /// Describes a file that isn't a database. Returns `nil` if the file doesn't come from a sync
    /// service or an editor.
    ///
    /// Only names that users don't choose themselves are recognized. For example, `Copy (2) of
    /// notes.txt` is a blob. A copy of a conflict copy is another version of the same blob.
    ///
    /// - Parameter exists: Whether a name exists in the same folder. Copies of OneDrive and Resilio
    ///   Sync are recognized only next to their original.
    package static func amongBlobs(_ name: String, exists: (String) -> Bool) -> SyncServiceFile? {
        if let file = transfer(name) ?? lock(name) { return file }
        guard let copy = blobCopy(name, exists: exists) else { return nil }
        var original = copy.original
        // The loop ends, because each original name is shorter than the name of its copy.
        while let name = original, let outer = blobCopy(name, exists: exists) {
            original = outer.original
        }
        return SyncServiceFile(
            name: name, role: copy.role, original: original, service: copy.service)
    }

    /// Returns the possible originals of a conflict copy, as names of blobs. These blobs need not
    /// exist.
    package static func possibleOriginals(ofBlob name: String) -> [String] {
        var originals: [String] = []
        var name = name
        while let original = blobCopy(name, exists: { _ in true })?.original {
            originals.append(original)
            name = original
        }
        return originals
    }

    private static func blobCopy(_ name: String, exists: (String) -> Bool) -> SyncServiceFile? {
        if let copy = markedCopy(name) { return copy }
        guard let copy = computerCopy(name) ?? resilioCopy(name),
            copy.original.map(exists) == true
        else { return nil }
        return copy
    }

    /// Returns the description of a conflict copy, if its name has a suffix that users don't choose
    /// themselves.
    static func markedCopy(_ name: String) -> SyncServiceFile? {
        let found =
            syncthingCopy(name) ?? bisyncCopy(name) ?? datedCopy(name) ?? safeBackup(name)
            ?? synologyCopy(name) ?? wordedCopy(name)
        guard let (original, service) = found, !original.isEmpty else { return nil }
        return SyncServiceFile(
            name: name, role: .conflictCopy, original: original, service: service)
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

    /// Recognizes `NAME.sync-conflict-20260101-120000-ABCDEFG.EXTENSION`: date, time, and the start
    /// of the identifier of the device that changed it. Versions before 0.14.44 leave out the
    /// identifier.
    private static func syncthingCopy(_ name: String) -> (String, Service?)? {
        guard let place = name.ranges(of: ".sync-conflict-").last else { return nil }
        let mark = name[place.upperBound...].prefix { $0 != "." }
        let parts = mark.split(separator: "-", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts[0].isDigits(8), parts[1].isDigits(6) else {
            return nil
        }
        if parts.count == 3 {
            guard parts[2].utf8.count == 7,
                parts[2].allSatisfy({ $0.isASCII && $0.isAlphanumeric })
            else { return nil }
        }
        return (String(name[..<place.lowerBound] + name[mark.endIndex...]), .syncthing)
    }

    private static func bisyncCopy(_ name: String) -> (String, Service?)? {
        for beginning in bisyncMarks {
            guard let place = name.ranges(of: beginning).last else { continue }
            let number = name[place.upperBound...]
            guard number.isDigits(number.utf8.count), !number.isEmpty else { continue }
            return (String(name[..<place.lowerBound]), .rclone)
        }
        return nil
    }

    /// Recognizes `NAME_conflict-20260101-120000.EXTENSION` of ownCloud, and of Nextcloud before
    /// 2.5.
    private static func datedCopy(_ name: String) -> (String, Service?)? {
        guard let place = name.ranges(of: "_conflict-").last else { return nil }
        let mark = name[place.upperBound...].prefix { $0 != "." }
        let parts = mark.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].isDigits(8), parts[1].isDigits(6) else { return nil }
        return (String(name[..<place.lowerBound] + name[mark.endIndex...]), .nextcloud)
    }

    /// Recognizes `NAME-HOST-safeBackup-0001.EXTENSION` of the OneDrive client for Linux.
    private static func safeBackup(_ name: String) -> (String, Service?)? {
        guard let place = name.ranges(of: "-safeBackup-").last,
            let dash = name[..<place.lowerBound].lastIndex(of: "-")
        else { return nil }
        let number = name[place.upperBound...].prefix { $0 != "." }
        guard number.isDigits(4) else { return nil }
        return (String(name[..<dash] + name[number.endIndex...]), .oneDrive)
    }

    /// Recognizes `NAME_HOST_Jan-01-120000-2026_Conflict.EXTENSION` of Synology Drive.
    private static func synologyCopy(_ name: String) -> (String, Service?)? {
        guard let place = name.ranges(of: "_Conflict").last else { return nil }
        let rest = name[place.upperBound...]
        let parts = name[..<place.lowerBound]
            .split(separator: "_", omittingEmptySubsequences: false)
        guard rest.isEmpty || rest.utf8.first == UInt8(ascii: "."), parts.count >= 3 else {
            return nil
        }
        let date = parts[parts.count - 1].split(separator: "-", omittingEmptySubsequences: false)
        guard date.count == 4, date[0].utf8.count == 3, date[0].allSatisfy(\.isLetter),
            date[1].isDigits(2), date[2].isDigits(4) || date[2].isDigits(6), date[3].isDigits(4)
        else { return nil }
        return (String(name[..<parts[parts.count - 3].endIndex] + rest), nil)
    }

    /// Recognizes `NAME (Ada's conflicted copy 2026-01-01).EXTENSION`, in the wording of several
    /// services. A number may follow: `NAME (conflicted copy) (1).EXTENSION`.
    private static func wordedCopy(_ name: String) -> (String, Service?)? {
        guard var end = name.lastIndex(of: ")") else { return nil }
        let rest = name[name.index(after: end)...]
        guard rest.isEmpty || rest.utf8.first == UInt8(ascii: ".") else { return nil }
        while let start = name[..<end].ranges(of: " (").last {
            let words = name[start.upperBound..<end]
            if let service = service(ofWords: words) {
                return (String(name[..<start.lowerBound] + rest), service)
            }
            guard words.isDigits(words.utf8.count), !words.isEmpty,
                name[..<start.lowerBound].hasSuffix(")")
            else { return nil }
            end = name.index(before: start.lowerBound)
        }
        return nil
    }

    /// Recognizes `NAME-DESKTOP-1A2B3C4.EXTENSION`: OneDrive appends the name of the computer.
    /// Recognizes only the default names of computers.
    private static func computerCopy(_ name: String) -> SyncServiceFile? {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        let stem = name[..<dot]
        for beginning in ["-DESKTOP-", "-LAPTOP-", "-WIN-"] {
            guard let place = stem.ranges(of: beginning).last else { continue }
            let code = stem[place.upperBound...]
            guard (7...11).contains(code.utf8.count), !stem[..<place.lowerBound].isEmpty,
                code.allSatisfy({ $0.isASCII && ($0.isUppercase || $0.isNumber) })
            else { continue }
            return SyncServiceFile(
                name: name, role: .conflictCopy,
                original: String(stem[..<place.lowerBound] + name[dot...]), service: .oneDrive)
        }
        return nil
    }

    /// Recognizes `NAME.Conflict.EXTENSION` of Resilio Sync.
    private static func resilioCopy(_ name: String) -> SyncServiceFile? {
        guard let place = name.ranges(of: ".Conflict").last else { return nil }
        let (start, rest) = (name[..<place.lowerBound], name[place.upperBound...])
        guard !start.isEmpty, rest.isEmpty || rest.utf8.first == UInt8(ascii: ".") else {
            return nil
        }
        return SyncServiceFile(
            name: name, role: .conflictCopy, original: String(start + rest), service: .resilio)
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

    /// A description to print after the name and "is".
    public var explanation: String {
        let original = original.map(\.quoted) ?? "a file"
        let keeper = service?.title ?? "a sync service"
        return switch role {
        case .conflictCopy:
            "another version of \(original), which \(keeper) kept because it was changed in two places"
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
