import Foundation
import GRDB

/// A writer of values as SQL literals, which SQLite reads back exactly.
public final class SQLLiterals {
    /// An empty database, which is used to find out how SQLite reads a decimal number.
    private lazy var reader = try? DatabaseQueue()

    /// Creates a writer.
    public init() {}

    /// Returns one literal per value. An infinite number is written as a number that is too large.
    /// Text that contains NUL characters or isn't UTF-8 is cast from its bytes. Carriage returns
    /// are inserted by a function if possible, because the sqlite3 program reads CR LF as LF.
    public func literals(_ values: [TableValue]) -> [String] {
        let decimals = decimals(values)
        return zip(values, decimals).map { value, decimal in
            switch value {
            case .real(let number): decimal ?? Self.quotient(number)
            case .text(let text): Self.literal(text)
            case .null, .integer, .malformedText, .blob, .unread: value.sql()
            }
        }
    }

    /// Returns the decimal form of each real. The form is `nil` if SQLite would read it as another
    /// number, because SQLite rounds more than once.
    private func decimals(_ values: [TableValue]) -> [String?] {
        var decimals: [String?] = values.map { value in
            if case .real = value { value.sql() } else { nil }
        }
        let doubtful = values.indices.filter { index in
            guard case .real(let number) = values[index], number.isFinite else { return false }
            return number.magnitude >= 1e15 || number != number.rounded()
        }
        guard !doubtful.isEmpty else { return decimals }
        let read = try? reader?.read { db in
            let statement = try db.cachedStatement(sql: "SELECT CAST(? AS REAL)")
            return try doubtful.map { try Double.fetchOne(statement, arguments: [decimals[$0]]) }
        }
        for (offset, index) in doubtful.enumerated() {
            if read.map({ TableValue.real($0[offset] ?? .nan) }) != values[index] {
                decimals[index] = nil
            }
        }
        return decimals
    }

    /// Returns a finite number as an integer that is multiplied or divided by powers of two. No
    /// step of the calculation is rounded.
    private static func quotient(_ number: Double) -> String {
        guard number != 0 else { return "\(number)" }
        let significand = number.significand * 0x1p52
        var exponent = Int(number.exponent) - 52
        var text = "\(number.sign == .minus ? "-" : "")\(Int64(significand)).0"
        while exponent != 0 {
            let step = min(abs(exponent), 50)
            text += "\(exponent < 0 ? "/" : "*")\(1 << step).0"
            exponent += exponent < 0 ? step : -step
        }
        return text
    }

    /// The texts that can stand for carriage returns.
    private static let marks = ["\\r", "(\\r1)", "(\\r2)"]

    private static func literal(_ text: String) -> String {
        if text.utf8.contains(0) { return cast(text) }
        guard text.utf8.contains(UInt8(ascii: "\r")) else { return SQLName.literal(text) }
        // A text can contain every mark, however many there are, so only a few are tried.
        guard let mark = marks.first(where: { !text.utf8.contains($0.utf8) }) else {
            return cast(text)
        }
        let bytes = Array(text.utf8).replacing([UInt8(ascii: "\r")], with: Array(mark.utf8))
        let marked = SQLName.literal(String(decoding: bytes, as: UTF8.self))
        return "replace(\(marked), '\(mark)', char(13))"
    }

    private static func cast(_ text: String) -> String {
        TableValue.malformedText(Data(text.utf8)).sql()
    }
}
