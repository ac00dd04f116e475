import Glibc
import ServerCatalog

/// A text with the wildcard `*`, compared in smart case: ignoring case unless it contains an
/// upper-case letter. Accents are ignored, as in all searches.
///
/// Bytes are compared. For valid UTF-8, the result is the same as for characters, and comparing
/// bytes can be vectorized.
package struct Pattern: Hashable, Sendable {
    /// The parts between wildcards, in lower case if case is ignored.
    let pieces: [[UInt8]]
    let isCaseSensitive: Bool

    package init(_ text: String) {
        isCaseSensitive = text.contains { $0.isUppercase }
        let folded = TextFolding.fold(text, keepingCase: isCaseSensitive)
        pieces = folded.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
            .map(Array.init)
    }

    /// Returns whether the whole `text` matches.
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

    /// Returns whether a part of `text` matches.
    func isFound(in text: String) -> Bool {
        withFolded(text) { Self.holds(pieces[...], in: $0) }
    }

    private func withFolded(_ text: String, _ body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        var folded = TextFolding.fold(text, keepingCase: isCaseSensitive)
        return folded.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// Returns whether `text` contains the pieces in order.
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

    /// Returns the end of the first `piece` in `text`.
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
