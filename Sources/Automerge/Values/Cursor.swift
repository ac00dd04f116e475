/// A place in a list or text that moves with what is around it.
///
/// A cursor belongs to the element that it was made before. Where that element is deleted, it stands
/// where the element stood. Make one with ``Document/cursor(obj:position:)`` and find it again with
/// ``Document/position(obj:cursor:)``.
public struct Cursor: Hashable, Sendable {
    enum Place: Hashable, Sendable {
        /// Before everything, whatever is inserted.
        case start
        /// After everything, whatever is appended.
        case end
        /// At the element that the operation `counter`@`actor` inserted. Where it is deleted, at the
        /// next visible one, or with `movesBack` the one before.
        case element(counter: UInt64, actor: ActorId, movesBack: Bool)
    }

    let place: Place

    init(_ place: Place) { self.place = place }

    /// The form in which cursors are kept and sent.
    ///
    ///     version 1 | kind: 1 start, 2 end, 3 element
    ///     element:    actor length (LEB128) | actor | counter (LEB128) | 1 moves back, 2 forward
    var bytes: [UInt8] {
        switch place {
        case .start: return [1, 1]
        case .end: return [1, 2]
        case .element(let counter, let actor, let movesBack):
            var bytes: [UInt8] = [1, 3]
            Self.appendUnsigned(UInt64(actor.bytes.count), to: &bytes)
            bytes += actor.bytes
            Self.appendUnsigned(counter, to: &bytes)
            bytes.append(movesBack ? 1 : 2)
            return bytes
        }
    }

    private static func appendUnsigned(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}

extension Cursor: CustomStringConvertible {
    /// The bytes of the cursor as uppercase hexadecimal digits.
    public var description: String { Hexadecimal.string(bytes, uppercase: true) }
}

/// A place in a list or text: one that moves, or a fixed one.
public enum Position: Hashable, Sendable {
    /// Where the cursor is.
    case cursor(Cursor)
    /// A fixed index; in a text in units of the document's ``TextEncoding``.
    case index(UInt64)
}
