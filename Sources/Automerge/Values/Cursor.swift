/// A position in a list or text that moves with the surrounding content.
///
/// A cursor refers to the element that follows its position. If that element is deleted, the cursor
/// marks the position that the element had. Use ``Document/cursor(obj:position:)`` to create a
/// cursor and ``Document/position(obj:cursor:)`` to find its current position.
public struct Cursor: Hashable, Sendable {
    enum Place: Hashable, Sendable {
        /// The position before all content, including content inserted later.
        case start
        /// The position after all content, including content appended later.
        case end
        /// The position of the element that the operation `counter`@`actor` inserted. If the
        /// element is deleted, this is the position of the next visible element, or of the previous
        /// visible element if `movesBack` is true.
        case element(counter: UInt64, actor: ActorId, movesBack: Bool)
    }

    let place: Place

    init(_ place: Place) { self.place = place }

    /// The encoded form of cursors.
    ///
    ///     version 1 | kind: 1 start, 2 end, 3 element
    ///     element:    actor length (LEB128) | actor | counter (LEB128) | 1 moves back, 2 forward
    var bytes: [UInt8] {
        switch place {
        case .start: return [1, 1]
        case .end: return [1, 2]
        case .element(let counter, let actor, let movesBack):
            var out = ByteWriter()
            out.bytes([1, 3])
            out.prefixed(actor.bytes)
            out.unsigned(counter)
            out.byte(movesBack ? 1 : 2)
            return out.array()
        }
    }
}

extension Cursor: CustomStringConvertible {
    /// The bytes of the cursor as uppercase hexadecimal digits.
    public var description: String { Hexadecimal.string(bytes, uppercase: true) }
}

/// A position in a list or text: a cursor or a fixed index.
public enum Position: Hashable, Sendable {
    /// The current position of the cursor.
    case cursor(Cursor)
    /// A fixed index. For texts, it is in units of the document's ``TextEncoding``.
    case index(UInt64)
}
