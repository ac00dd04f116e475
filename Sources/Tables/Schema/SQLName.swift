/// Names of tables and columns as SQL spells them.
public enum SQLName {
    /// `name` in quotation marks, whatever it holds.
    public static func quoted(_ name: String) -> String {
        var result = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" { result.unicodeScalars.append(scalar) }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }

    /// `text` as an SQL literal.
    public static func literal(_ text: String) -> String {
        var result = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" { result.unicodeScalars.append(scalar) }
            result.unicodeScalars.append(scalar)
        }
        return result + "'"
    }

    /// Whether SQLite takes both for one name: the case of ASCII letters does not count.
    public static func areSame(_ lhs: String, _ rhs: String) -> Bool { folded(lhs) == folded(rhs) }

    /// A name with its ASCII letters in lower case, to look things up by.
    static func folded(_ name: String) -> [UInt8] {
        name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
    }
}
