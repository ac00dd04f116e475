/// A kind of database in the devices' folders, by its file name. A store declares its own:
///
/// ```swift
/// extension DatabaseKind {
///     static let set = DatabaseKind(named: "Set")
/// }
/// ```
///
/// Every file with a name of this form counts as a database. So a program also watches databases of
/// unknown kinds of stores, and checks them for copies.
public struct DatabaseKind: Hashable, Sendable {
    /// The file's name in a package.
    public let fileName: String

    /// Creates the kind for files whose name is `name` followed by `.db`.
    ///
    /// - Precondition: `name` consists of ASCII letters and starts with a capital letter.
    public init(named name: String) {
        precondition(Self.isStem(name[...]), "\(name.quoted) is not the name of a database")
        fileName = "\(name).db"
    }

    /// Creates the kind of database that has this file name.
    public init?(fileName: String) {
        guard let stem = Self.stem(of: fileName), fileName.utf8.count == stem.utf8.count + 3,
            fileName.hasSuffix(".db")
        else { return nil }
        self.fileName = fileName == "logs.db" ? "Logs.db" : fileName
    }

    /// The spelling that PARStore used before November 2016, which is also accepted; `nil` for
    /// newer kinds.
    public var legacyFileName: String? { fileName == "Logs.db" ? "logs.db" : nil }

    /// Returns the letters at the start of a file's name, or `nil` if they can't name a database.
    static func stem(of fileName: String) -> Substring? {
        let stem = fileName.prefix { $0.isASCII && $0.isLetter }
        return isStem(stem) ? stem : nil
    }

    private static func isStem(_ name: Substring) -> Bool {
        guard let first = name.utf8.first else { return false }
        return name == "logs"
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
                && name.utf8.allSatisfy { Character(Unicode.Scalar($0)).isLetter && $0 < 0x80 }
    }
}
