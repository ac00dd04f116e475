import Foundation

/// The sqlite3 program reading a file, as the limit of what a query can cost.
struct PlainSQLite {
    private let file: URL

    init(_ file: URL) { self.file = file }

    /// The time of `statements`, run `times` times by one process; its start is taken off.
    ///
    /// The rows are made into text, and thrown away.
    func time(of statements: [String], times: Int, runs: Int) throws -> Duration {
        let once = statements.map { Self.withoutBitAggregates($0) + ";\n" }.joined()
        let empty = try time(of: "", runs: runs)
        let full = try time(of: String(repeating: once, count: times), runs: runs)
        return max(.zero, full - empty) / times
    }

    private func time(of sql: String, runs: Int) throws -> Duration {
        let script = file.appendingPathExtension("sql")
        try Data((".output /dev/null\nSELECT 1 FROM sqlite_master;\n" + sql).utf8).write(to: script)
        return try Stopwatch.median(runs: runs) {
            _ = try Program(named: "sqlite3").run(["-readonly", file.path], input: script)
        }.time
    }

    /// The program has no BIT_OR and BIT_AND: the six bits that occur are taken one by one.
    static func withoutBitAggregates(_ sql: String) -> String {
        var result = ""
        var rest = Substring(sql)
        while let call = rest.firstRange(of: /BIT_(?:OR|AND)\(/) {
            result += rest[..<call.lowerBound]
            let aggregate = rest[call].contains("OR") ? "MAX" : "MIN"
            var depth = 1
            var end = call.upperBound
            while depth > 0, end < rest.endIndex {
                if rest[end] == "(" { depth += 1 }
                if rest[end] == ")" { depth -= 1 }
                end = rest.index(after: end)
            }
            let value = rest[call.upperBound..<rest.index(before: end)]
            let bits = (0..<6).map { "\(aggregate)(\(value) & \(1 << $0))" }
            result += "(\(bits.joined(separator: " | ")))"
            rest = rest[end...]
        }
        return result + rest
    }
}
