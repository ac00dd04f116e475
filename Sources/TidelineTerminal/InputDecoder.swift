import TidelineUI

/// A decoder of the bytes that a terminal sends: keys, pastes, mouse events and answers.
/// The decoder supports the sequences of xterm and compatible terminals in both cursor modes, of
/// rxvt and of the Linux console. It reads further sequences from the terminal's description
/// (terminfo). Unknown sequences are dropped as a whole: no part of a sequence or answer is ever
/// mistaken for typing.
struct InputDecoder {
    /// The result of decoding.
    enum Event: Hashable {
        case input(Input)
        /// The terminal reported its background color.
        case background(isDark: Bool)
        /// The terminal reported its type. Normally, it has answered all earlier queries by then.
        case deviceAttributes
    }

    /// The time to wait for the rest of a sequence before calling ``finish(at:)``.
    enum Patience: Hashable {
        /// No time limit: no sequence has started, or its end is certain to arrive.
        case none
        /// An Escape was received, which may be the key itself.
        case short
        /// A sequence has started that can't be typed by hand.
        case long

        var duration: Duration? {
            switch self {
            case .none: nil
            case .short: .milliseconds(25)
            case .long: .milliseconds(500)
            }
        }
    }

    /// The sequences of this terminal, in addition to the common sequences.
    var extraKeys: [[UInt8]: Key] = [:]
    /// The time until which an answer of the terminal may arrive; `nil` if none was requested.
    /// Before that time, bytes that may be the start of an answer are kept until the rest arrives.
    var answerEnd: ContinuousClock.Instant?
    /// The byte that the erase key sends, according to the terminal's modes.
    var eraseByte: UInt8 = 0x7F

    /// The maximum length of a key's sequence. Answers may be longer.
    private static let sequenceLimit = 256
    private static let answerLimit = 4096
    private static let pasteLimit = 64 << 20

    var pending: [UInt8] = []
    /// The time of the last input.
    private var lastFeed: ContinuousClock.Instant?
    private var paste: [UInt8]?
    var lastClick: (column: Int, row: Int, instant: ContinuousClock.Instant)?

    private(set) var patience = Patience.none

    /// Decodes input and returns complete events.
    mutating func feed(
        _ bytes: some Sequence<UInt8>, at now: ContinuousClock.Instant = .now
    ) -> [Event] {
        let bytes = Array(bytes)
        var events: [Event] = []
        if isLateKey(bytes, at: now) { events = finish(at: now) }
        lastFeed = now
        pending += bytes
        decode(now: now, isFinal: false, into: &events)
        return events
    }

    /// Treats pending input as complete, because nothing followed within ``patience``.
    mutating func finish(at now: ContinuousClock.Instant = .now) -> [Event] {
        var events: [Event] = []
        decode(now: now, isFinal: true, into: &events)
        return events
    }

    /// Returns whether input that follows an Escape is a separate key. This is the case if an
    /// answer is expected, the input arrived too late to belong to the Escape, and the input isn't
    /// the start of an answer.
    private func isLateKey(_ bytes: [UInt8], at now: ContinuousClock.Instant) -> Bool {
        guard answerEnd != nil, pending == [0x1B], let lastFeed, let first = bytes.first,
            let patience = Patience.short.duration, now - lastFeed > patience
        else { return false }
        return !"[]O".utf8.contains(first)
    }

    func awaitsAnswer(at now: ContinuousClock.Instant) -> Bool {
        answerEnd.map { now < $0 } ?? false
    }

    private mutating func decode(
        now: ContinuousClock.Instant, isFinal: Bool, into events: inout [Event]
    ) {
        patience = .none
        var offset = 0
        while offset < pending.count {
            if paste != nil {
                offset = continuePaste(offset, &events)
                if paste == nil { continue }
                break
            }
            let byte = pending[offset]
            if byte == 0x1B {
                switch sequence(pending[offset...], isFinal: isFinal, now: now) {
                case .complete(let count, let event):
                    offset += count
                    switch event {
                    case .event(let event): events.append(event)
                    case .pasteBegins: paste = []
                    case .nothing: break
                    }
                    continue
                case .incomplete(let patience):
                    self.patience = patience
                }
                break
            }
            if byte < 0x20 || byte == 0x7F {
                events.append(.input(.key(control(byte))))
                offset += 1
                continue
            }
            let (count, isCut) = text(offset, isFinal: isFinal, &events)
            offset += count
            if isCut {
                patience = .short
                break
            }
        }
        pending.removeFirst(offset)
    }

    // MARK: Text

    /// Decodes the text at an offset. A grapheme cluster is one key if it arrives at once.
    private func text(
        _ offset: Int, isFinal: Bool, _ events: inout [Event]
    ) -> (count: Int, isCut: Bool) {
        var end = offset
        while end < pending.count, pending[end] >= 0x20, pending[end] != 0x7F { end += 1 }
        var isCut = false
        if end == pending.count, !isFinal {
            let missing = Self.incompleteTail(pending[offset..<end])
            isCut = missing > 0
            end -= missing
        }
        for character in String(decoding: pending[offset..<end], as: UTF8.self) {
            // Drop C1 controls, which no key sends.
            if let scalar = character.unicodeScalars.first, scalar.value < 0xA0,
                scalar.value >= 0x80
            {
                continue
            }
            events.append(.input(.key(.character(character))))
        }
        return (end - offset, isCut)
    }

    /// Returns the number of bytes at the end that form an incomplete character.
    private static func incompleteTail(_ bytes: ArraySlice<UInt8>) -> Int {
        for back in 1...3 where back <= bytes.count {
            let byte = bytes[bytes.endIndex - back]
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > back ? back : 0
        }
        return 0
    }

    func control(_ byte: UInt8) -> Key {
        if byte == eraseByte || byte == 0x7F { return Key(.backspace) }
        switch byte {
        case 0x00: return .character(" ", .control)
        case 0x09: return Key(.tab)
        case 0x0D: return Key(.enter)
        case 0x1B: return Key(.escape)
        default:
            let typed = Unicode.Scalar(byte < 0x1B ? byte + 0x60 : byte + 0x40)
            return .character(Character(typed), .control)
        }
    }

    // MARK: Paste

    /// Collects the next part of a paste and returns the offset after it.
    private mutating func continuePaste(_ offset: Int, _ events: inout [Event]) -> Int {
        let mark: [UInt8] = [0x1B, 0x5B, 0x32, 0x30, 0x31, 0x7E]
        var rest = pending[offset...]
        while let escape = rest.firstIndex(of: 0x1B) {
            appendPaste(rest[..<escape])
            rest = rest[escape...]
            if rest.starts(with: mark) {
                let text = String(decoding: paste ?? [], as: UTF8.self)
                paste = nil
                let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
                events.append(.input(.paste(lines)))
                return escape + mark.count
            }
            // The end marker may have arrived only in part.
            if rest.count < mark.count, mark.starts(with: rest) { return escape }
            appendPaste(rest[escape...escape])
            rest = rest.dropFirst()
        }
        appendPaste(rest)
        return pending.count
    }

    private mutating func appendPaste(_ bytes: ArraySlice<UInt8>) {
        if let count = paste?.count, count + bytes.count <= Self.pasteLimit { paste? += bytes }
    }

    // MARK: Sequences

    enum Outcome {
        case event(Event)
        case pasteBegins
        /// A sequence without meaning to the program.
        case nothing

        static func key(_ key: Key) -> Outcome { .event(.input(.key(key))) }
    }

    enum Scan {
        case complete(Int, Outcome)
        case incomplete(Patience)
    }

    /// Decodes the sequence at the start of `bytes`, which start with an Escape.
    private mutating func sequence(
        _ bytes: ArraySlice<UInt8>, isFinal: Bool, now: ContinuousClock.Instant
    ) -> Scan {
        let start = bytes.startIndex
        guard bytes.count > 1 else {
            if isFinal { return .complete(1, .key(Key(.escape))) }
            return .incomplete(awaitsAnswer(at: now) ? .long : .short)
        }
        for length in 2...min(8, bytes.count) {
            let known = extraKeys[Array(bytes[start..<(start + length)])]
            if let known { return .complete(length, .key(known)) }
        }
        switch bytes[start + 1] {
        case UInt8(ascii: "["): return controlSequence(bytes, isFinal: isFinal, now: now)
        case UInt8(ascii: "O"): return singleShift(bytes, isFinal: isFinal)
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            return string(bytes, isFinal: isFinal, now: now)
        case 0x1B:
            // The sequence is Alt with a key that sends a sequence, or the Escape key was pressed
            // twice or held down.
            if bytes.count > 2, bytes[start + 2] == 0x1B {
                return .complete(1, .key(Key(.escape)))
            }
            switch sequence(bytes.dropFirst(), isFinal: isFinal, now: now) {
            case .complete(let count, .event(.input(.key(var key)))) where count > 1:
                key.modifiers.insert(.alt)
                return .complete(count + 1, .key(key))
            case .complete(1, _): return .complete(1, .key(Key(.escape)))
            case .complete(let count, let outcome): return .complete(count + 1, outcome)
            case .incomplete(let patience): return .incomplete(patience)
            }
        case let byte where byte < 0x20 || byte == 0x7F:
            var key = control(byte)
            key.modifiers.insert(.alt)
            return .complete(2, .key(key))
        default: return altText(bytes, isFinal: isFinal)
        }
    }

    /// Decodes Alt with a character: an Escape and the character.
    private func altText(_ bytes: ArraySlice<UInt8>, isFinal: Bool) -> Scan {
        let first = bytes[bytes.startIndex + 1]
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
        guard bytes.count > length || isFinal else { return .incomplete(.short) }
        let typed = bytes.dropFirst().prefix(length)
        let text = String(decoding: typed, as: UTF8.self)
        guard let character = text.first else { return .complete(1, .nothing) }
        return .complete(
            1 + typed.count, .key(.character(character, .alt)))
    }

    /// Decodes an answer of the terminal: `ESC ] … BEL`, `ESC P … ESC \`.
    private func string(
        _ bytes: ArraySlice<UInt8>, isFinal: Bool, now: ContinuousClock.Instant
    ) -> Scan {
        let start = bytes.startIndex
        let isAwaited = awaitsAnswer(at: now) && bytes.count <= Self.answerLimit
        if bytes.count == 2, !isAwaited {
            if !isFinal { return .incomplete(.short) }
            let typed = Character(Unicode.Scalar(bytes[start + 1]))
            return .complete(2, .key(.character(typed, .alt)))
        }
        var index = start + 2
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == 0x07 {
                return .complete(index + 1 - start, answer(bytes[(start + 1)..<index]))
            }
            if byte == 0x1B {
                guard index + 1 < bytes.endIndex else { break }
                // An Escape without a backslash starts another sequence.
                let ends = bytes[index + 1] == UInt8(ascii: "\\")
                return .complete(
                    index - start + (ends ? 2 : 0), answer(bytes[(start + 1)..<index]))
            }
            index += 1
        }
        if isAwaited { return .incomplete(.none) }
        if isFinal || bytes.count > Self.answerLimit { return .complete(bytes.count, .nothing) }
        return .incomplete(.long)
    }

    /// Decodes `ESC [`, parameters, and a final byte.
    private mutating func controlSequence(
        _ bytes: ArraySlice<UInt8>, isFinal: Bool, now: ContinuousClock.Instant
    ) -> Scan {
        let start = bytes.startIndex
        let isAwaited = awaitsAnswer(at: now)
        guard bytes.count > 2 else {
            if isAwaited { return .incomplete(.none) }
            if !isFinal { return .incomplete(.long) }
            return .complete(2, .key(.character("[", .alt)))
        }
        // Function keys of the Linux console: `ESC [ [ A`.
        if bytes[start + 2] == UInt8(ascii: "[") {
            guard bytes.count > 3 else {
                return isFinal ? .complete(3, .nothing) : .incomplete(.long)
            }
            let number = Int(bytes[start + 3]) - 0x40
            guard (1...5).contains(number) else { return .complete(4, .nothing) }
            return .complete(4, .key(Key(.function(number))))
        }
        var index = start + 2
        while index < bytes.endIndex, index - start < Self.sequenceLimit {
            let byte = bytes[index]
            let parameters = bytes[(start + 2)..<index]
            // The old form of mouse events: three bytes follow.
            if byte == UInt8(ascii: "M"), parameters.isEmpty {
                guard bytes.endIndex - index > 3 else {
                    return isFinal ? .complete(bytes.count, .nothing) : .incomplete(.long)
                }
                return .complete(index - start + 4, .nothing)
            }
            let isDollar =
                byte == UInt8(ascii: "$")
                && parameters.allSatisfy { (0x30...0x39).contains($0) } && !parameters.isEmpty
            if (0x40...0x7E).contains(byte) || isDollar {
                let outcome = meaning(of: byte, parameters: parameters, now: now)
                return .complete(index + 1 - start, outcome)
            }
            // Any other byte isn't part of a sequence, so the earlier bytes are dropped.
            if byte < 0x20 || byte > 0x3F { return .complete(index - start, .nothing) }
            index += 1
        }
        if index - start >= Self.sequenceLimit { return .complete(index - start, .nothing) }
        if isAwaited { return .incomplete(.none) }
        return isFinal ? .complete(index - start, .nothing) : .incomplete(.long)
    }

    /// Decodes `ESC O`, an optional number for the modifiers, and a letter.
    private func singleShift(_ bytes: ArraySlice<UInt8>, isFinal: Bool) -> Scan {
        let start = bytes.startIndex
        guard bytes.count > 2 else {
            if !isFinal { return .incomplete(.short) }
            return .complete(2, .key(.character("O", .alt)))
        }
        var index = start + 2
        var modifiers = 0
        while index < bytes.endIndex, (0x30...0x3B).contains(bytes[index]), index - start < 8 {
            modifiers = bytes[index] == 0x3B ? 0 : modifiers * 10 + Int(bytes[index]) - 0x30
            index += 1
        }
        guard index < bytes.endIndex else {
            return isFinal ? .complete(index - start, .nothing) : .incomplete(.long)
        }
        let final = bytes[index]
        guard (0x40...0x7E).contains(final) else { return .complete(index - start, .nothing) }
        guard let code = Self.keypadCode(final) ?? Self.letterCode(final) else {
            return .complete(index + 1 - start, .nothing)
        }
        let key = Self.key(code, Self.modifiers(modifiers))
        return .complete(index + 1 - start, .key(key))
    }
}
