import Glibc

/// A text that may hold `*`, compared in smart case: in any case, unless it holds an upper-case
/// letter itself. Bytes are compared, which for valid UTF-8 finds the same as characters would,
/// at the speed of `memmem`.
struct Pattern: Hashable, Sendable {
    private let pieces: [[UInt8]]
    private let isCaseSensitive: Bool

    init(_ text: String) {
        isCaseSensitive = text.contains { $0.isUppercase }
        let folded = isCaseSensitive ? text : text.lowercased()
        pieces = folded.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
            .map(Array.init)
    }

    /// Whether `text` as a whole is of this form.
    func matches(_ text: String) -> Bool {
        withFolded(text) { text in
            guard let first = pieces.first, let last = pieces.last, pieces.count > 1 else {
                return text.elementsEqual(pieces.first ?? [])
            }
            guard text.count >= first.count + last.count, text.starts(with: first),
                text.suffix(last.count).elementsEqual(last)
            else { return false }
            let middle = UnsafeRawBufferPointer(
                rebasing: text[first.count..<text.count - last.count])
            return Self.holds(pieces.dropFirst().dropLast(), in: middle)
        }
    }

    /// Whether this stands somewhere in `text`.
    func isFound(in text: String) -> Bool {
        withFolded(text) { Self.holds(pieces[...], in: $0) }
    }

    private func withFolded(_ text: String, _ body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        var folded = isCaseSensitive ? text : text.lowercased()
        return folded.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// Whether the pieces stand in `text` one after the other.
    private static func holds(_ pieces: ArraySlice<[UInt8]>, in text: UnsafeRawBufferPointer) -> Bool {
        var rest = text
        for piece in pieces where !piece.isEmpty {
            guard let base = rest.baseAddress, let found = memmem(base, rest.count, piece, piece.count)
            else { return false }
            let end = found - UnsafeMutableRawPointer(mutating: base) + piece.count
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        }
        return true
    }
}
