import Automerge
import Replication

/// JSON Pointers, RFC 6901.
package enum JSONPointer {
    /// Escapes a key for use in a pointer.
    package static func step(_ key: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in key.unicodeScalars {
            switch scalar {
            case "~": result.append(contentsOf: "~0".unicodeScalars)
            case "/": result.append(contentsOf: "~1".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    static func step(_ prop: Prop) -> String {
        switch prop {
        case .Key(let key): step(key)
        case .Index(let index): String(index)
        }
    }

    static func pointer(_ path: some Sequence<Prop>) -> String {
        path.map { "/" + step($0) }.joined()
    }

    /// Returns the unescaped steps of a pointer.
    ///
    /// - Throws: ``CoreError`` with code `.usage` for an invalid pointer.
    static func steps(of pointer: String) throws(CoreError) -> [String] {
        if pointer.isEmpty { return [] }
        let scalars = pointer.unicodeScalars
        guard scalars.first == "/" else {
            throw CoreError(
                .usage, "\(pointer.quoted) is not a JSON Pointer: it must start with a slash"
            )
        }
        return try scalars.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map { (step) throws(CoreError) in try unescaped(step, in: pointer) }
    }

    private static func unescaped(
        _ step: Substring.UnicodeScalarView, in pointer: String
    ) throws(CoreError) -> String {
        var result = String.UnicodeScalarView()
        var isEscape = false
        for scalar in step {
            switch (isEscape, scalar) {
            case (true, "0"): result.append("~")
            case (true, "1"): result.append("/")
            case (true, _): throw badEscape(pointer)
            case (false, "~"): break
            case (false, _): result.append(scalar)
            }
            isEscape = !isEscape && scalar == "~"
        }
        if isEscape { throw badEscape(pointer) }
        return String(result)
    }

    private static func badEscape(_ pointer: String) -> CoreError {
        CoreError(
            .usage,
            "\(pointer.quoted) is not a JSON Pointer: ~ must be followed by 0 or 1")
    }
}
