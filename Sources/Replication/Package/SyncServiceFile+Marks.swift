extension SyncServiceFile {
    /// What bisync writes behind a name, before a number: the second is that of older ones, as 1.60.
    static let bisyncMarks = [".conflict", "..path"]

    /// A conflict copy of any file, by a mark that nobody gives to a file by hand.
    static func markedCopy(_ name: String) -> SyncServiceFile? {
        guard let (original, service) = syncthingCopy(name) ?? bisyncCopy(name) ?? wordedCopy(name),
            !original.isEmpty
        else { return nil }
        return SyncServiceFile(
            name: name, role: .conflictCopy, original: original, service: service)
    }

    /// `NAME.sync-conflict-20260101-120000-ABCDEFG.EXTENSION`: date, time, and the beginning of the
    /// identifier of who changed it.
    private static func syncthingCopy(_ name: String) -> (String, Service)? {
        guard let place = name.ranges(of: ".sync-conflict-").last else { return nil }
        let mark = name[place.upperBound...].prefix { $0 != "." }
        let parts = mark.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isDigits(8), parts[1].isDigits(6),
            parts[2].utf8.count == 7, parts[2].allSatisfy({ $0.isASCII && $0.isAlphanumeric })
        else { return nil }
        return (String(name[..<place.lowerBound] + name[mark.endIndex...]), .syncthing)
    }

    private static func bisyncCopy(_ name: String) -> (String, Service)? {
        for beginning in bisyncMarks {
            guard let place = name.ranges(of: beginning).last else { continue }
            let number = name[place.upperBound...]
            guard number.isDigits(number.utf8.count), !number.isEmpty else { continue }
            return (String(name[..<place.lowerBound]), .rclone)
        }
        return nil
    }

    /// `NAME (Ada's conflicted copy 2026-01-01).EXTENSION`, as Dropbox, Nextcloud and Seafile write
    /// it in English.
    private static func wordedCopy(_ name: String) -> (String, Service)? {
        guard let start = name.ranges(of: " (").last, let end = name.ranges(of: ")").last,
            start.upperBound <= end.lowerBound
        else { return nil }
        let words = name[start.upperBound..<end.lowerBound]
        let rest = name[end.upperBound...]
        guard rest.isEmpty || rest.utf8.first == UInt8(ascii: ".") else { return nil }
        let service: Service
        if words.hasPrefix("SFConflict ") {
            service = .seafile
        } else if words.hasPrefix("conflicted copy ") {
            service = .nextcloud
        } else if words.contains("conflicted copy ") {
            service = .dropbox
        } else {
            return nil
        }
        return (String(name[..<start.lowerBound] + rest), service)
    }

    /// An older state of a file: `Logs~20260101-120000.db` of Syncthing, `Logs.db~` of rsync and of
    /// many more, `.bak.0.NAME` of Unison.
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
        for kind in DatabaseKind.allCases {
            for database in [kind.fileName, kind.legacyFileName] {
                guard let stem = database?.dropLast(".db".count) else { continue }
                for suffix in [".db", ".db-journal", ".db-wal"] {
                    if name == "\(stem)\(suffix)~" { return file(stem + suffix, nil) }
                    let mark = name.between("\(stem)~", suffix)?
                        .split(separator: "-", omittingEmptySubsequences: false)
                    if let mark, mark.count == 2, mark[0].isDigits(8), mark[1].isDigits(6) {
                        return file(stem + suffix, .syncthing)
                    }
                }
            }
        }
        return nil
    }
}

extension SyncServiceFile {
    /// What it is, to follow its name and "is".
    public var explanation: String {
        let original = original.map(\.quoted) ?? "a file"
        let keeper = service?.title ?? "a sync service"
        return switch role {
        case .conflictCopy:
            "another version of \(original), which \(keeper) kept because it was changed in two places"
        case .temporary: "an unfinished transfer of \(original) by \(keeper)"
        case .placeholder: "in the place of \(original), which \(keeper) has not downloaded"
        case .version: "an older state of \(original), which \(keeper) keeps"
        }
    }
}

extension SyncServiceFile.Service {
    /// As its makers write it.
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
        }
    }
}

extension Substring {
    /// Whether this is so many ASCII digits.
    fileprivate func isDigits(_ count: Int) -> Bool {
        utf8.count == count && utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
