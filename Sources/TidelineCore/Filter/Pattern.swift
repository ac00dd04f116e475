import Glibc
import ServerCatalog

/// A text that may hold `*`, compared in smart case: in any case, unless it holds an upper-case
/// letter itself. Accents do not count, as nowhere that texts are searched. Bytes are compared, which
/// for valid UTF-8 finds the same as characters would, a vector at a time.
package struct Pattern: Hashable, Sendable {
    /// What stands between stars, folded: in lower case where the case of letters does not count.
    let pieces: [[UInt8]]
    let isCaseSensitive: Bool

    package init(_ text: String) {
        isCaseSensitive = text.contains { $0.isUppercase }
        let folded = TextFolding.fold(text, keepingCase: isCaseSensitive)
        pieces = folded.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
            .map(Array.init)
    }

    /// Whether `text` as a whole is of this form.
    package func matches(_ text: String) -> Bool {
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
        var folded = TextFolding.fold(text, keepingCase: isCaseSensitive)
        return folded.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// Whether the pieces stand in `text` one after the other.
    private static func holds(
        _ pieces: ArraySlice<[UInt8]>, in text: UnsafeRawBufferPointer
    ) -> Bool {
        var rest = text
        for piece in pieces {
            guard let end = self.end(of: piece, in: rest) else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        }
        return true
    }

    /// Where the first `piece` in `text` ends.
    private static func end(of piece: [UInt8], in text: UnsafeRawBufferPointer) -> Int? {
        guard let first = piece.first else { return 0 }
        guard let base = text.baseAddress else { return nil }
        var start = 0
        while text.count - start >= piece.count {
            let span = text.count - start - piece.count + 1
            guard let hit = memchr(base + start, Int32(first), span) else { return nil }
            if memcmp(hit, piece, piece.count) == 0 {
                return UnsafeRawPointer(hit) - base + piece.count
            }
            start = UnsafeRawPointer(hit) - base + 1
        }
        return nil
    }
}
