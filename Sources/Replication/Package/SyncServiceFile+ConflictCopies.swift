/// The names of conflict copies, by service.
extension SyncServiceFile {
    /// The suffixes that bisync appends to a name, followed by a number. Older versions, such as
    /// 1.60, use the second suffix.
    static let bisyncMarks = [".conflict", "..path"]

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

    /// Recognizes `NAME.sync-conflict-20260101-120000-ABCDEFG.EXTENSION`: date, time, and the start
    /// of the identifier of the device that changed the file. Versions before 0.14.44 leave out the
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

    /// Recognizes `NAME.Conflict.EXTENSION` of Resilio Sync.
    static func resilioCopy(_ name: String) -> SyncServiceFile? {
        guard let place = name.ranges(of: ".Conflict").last else { return nil }
        let (start, rest) = (name[..<place.lowerBound], name[place.upperBound...])
        guard !start.isEmpty, rest.isEmpty || rest.utf8.first == UInt8(ascii: ".") else {
            return nil
        }
        return SyncServiceFile(
            name: name, role: .conflictCopy, original: String(start + rest), service: .resilio)
    }

    /// Recognizes `NAME-DESKTOP-1A2B3C4.EXTENSION`: OneDrive appends the name of the computer.
    /// Recognizes only the default names of computers.
    static func computerCopy(_ name: String) -> SyncServiceFile? {
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

    static func conflictCopy(_ name: String) -> SyncServiceFile? {
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
