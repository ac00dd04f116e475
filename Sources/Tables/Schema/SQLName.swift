import GRDBSQLite

/// Quoting and comparison of SQL names.
public enum SQLName {
    /// Returns `name` as a quoted SQL identifier.
    public static func quoted(_ name: String) -> String { enclosed(name, in: "\"") }

    /// Returns `name` as an SQL identifier, quoted only if SQL requires it.
    public static func identifier(_ name: String) -> String {
        let isPlain = name.unicodeScalars.enumerated().allSatisfy { index, scalar in
            scalar == "_" || scalar.properties.isAlphabetic
                || index > 0 && (0x30...0x39).contains(scalar.value)
        }
        let isKeyword = sqlite3_keyword_check(name, CInt(clamping: name.utf8.count)) != 0
        return isPlain && !isKeyword && !name.isEmpty ? name : quoted(name)
    }

    /// Returns `text` as an SQL string literal.
    public static func literal(_ text: String) -> String { enclosed(text, in: "'") }

    private static func enclosed(_ text: String, in mark: Unicode.Scalar) -> String {
        var result = String.UnicodeScalarView([mark])
        for scalar in text.unicodeScalars {
            if scalar == mark { result.append(scalar) }
            result.append(scalar)
        }
        result.append(mark)
        return String(result)
    }

    /// Returns whether SQLite treats both as the same name. The case of ASCII letters doesn't
    /// matter.
    public static func areSame(_ lhs: String, _ rhs: String) -> Bool {
        // Databases can have thousands of tables, so compare without copying the names.
        lhs.utf8.count == rhs.utf8.count
            && zip(lhs.utf8, rhs.utf8).allSatisfy { lowercased($0) == lowercased($1) }
    }

    /// Returns the name with its ASCII letters in lower case, for lookups.
    static func folded(_ name: String) -> [UInt8] { name.utf8.map(lowercased) }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (65...90).contains(byte) ? byte + 32 : byte
    }
}
