package import Foundation

/// Stand-ins for the contents of a store, so that the store can be shared without its contents.
///
/// Equal contents get equal stand-ins, and different contents get different ones. A stand-in is
/// chosen at random and has the same type, length and script. In a text, words are replaced one by
/// one. Spaces, punctuation and control characters stay. So differences and merges of texts are the
/// same as before. Words of one or two characters have few possible stand-ins.
///
/// Stand-ins for devices are numbered in the order of the devices, because that order decides
/// between equal timestamps.
package final class Redaction {
    /// Whether numbers and dates are also replaced.
    package let includesNumbers: Bool

    private var random: AnyGenerator
    private let devices: [DeviceID: DeviceID]
    private var otherDevices: [DeviceID: DeviceID] = [:]
    private var words = StandIns<[Unicode.Scalar]>()
    private var bytes = StandIns<[UInt8]>()
    private var identifiers = StandIns<UUID>()
    private var integers = StandIns<Int64>()
    private var largeIntegers = StandIns<UInt64>()
    private var reals = StandIns<UInt64>()
    private var classes: [CharacterClass: [Unicode.Scalar]] = [:]
    /// The difference between dates and their stand-ins, in seconds.
    private let dateOffset: Int64

    /// Creates a redaction without stand-ins.
    ///
    /// - Parameters:
    ///   - devices: The devices whose stand-ins have to be in the same order.
    ///   - random: The source of the stand-ins.
    package init(
        devices: some Sequence<DeviceID>, includesNumbers: Bool = false,
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) throws(ReplicationError) {
        let sorted = Set(devices).sorted()
        var numbered: [DeviceID: DeviceID] = [:]
        let digits = String(sorted.count).count
        for (place, device) in sorted.enumerated() {
            let number = String(place + 1)
            numbered[device] = try DeviceID(
                "device-" + String(repeating: "0", count: digits - number.count) + number)
        }
        var random = AnyGenerator(base: random)
        let year: Int64 = 31_557_600
        dateOffset = .random(in: year...10 * year, using: &random)
        self.devices = numbered
        self.includesNumbers = includesNumbers
        self.random = random
    }

    /// Returns the stand-in for a device. Devices that were not given at creation follow the
    /// others.
    package func device(_ device: DeviceID) throws(ReplicationError) -> DeviceID {
        if let known = devices[device] ?? otherDevices[device] { return known }
        let new = try DeviceID("other-device-\(otherDevices.count + 1)")
        otherDevices[device] = new
        return new
    }

    /// Returns the stand-in for a text. A text that is a UUID gets another UUID.
    package func text(_ text: String) -> String {
        if text.utf8.count == 36, let id = UUID(uuidString: text) {
            let other = identifier(id).uuidString
            if text == id.uuidString { return other }
            if text == id.uuidString.lowercased() { return other.lowercased() }
        }
        var result = String.UnicodeScalarView()
        var word: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars {
            if Self.isInWord(scalar) {
                word.append(scalar)
                continue
            }
            result.append(contentsOf: self.word(word))
            word.removeAll()
            result.append(scalar)
        }
        result.append(contentsOf: self.word(word))
        return String(result)
    }

    /// Returns a random character of the same script and kind. Equal characters can get different
    /// ones.
    package func character(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        Self.isInWord(scalar) ? others(scalar).randomElement(using: &random) ?? scalar : scalar
    }

    /// Returns the stand-ins for byte strings, of the same lengths and in the same order.
    ///
    /// - Parameter strings: Different byte strings in ascending order. An empty one stays.
    /// - Returns: The stand-ins; `nil` if there are not enough strings of these lengths.
    package func ordered(_ strings: [Data]) -> [Data]? {
        if let first = strings.first, first.isEmpty {
            return ordered(Array(strings.dropFirst())).map { [first] + $0 }
        }
        // The order is determined by random bytes at the start. Their number is at most the length
        // of the shortest string.
        let length = min(strings.map(\.count).min() ?? 0, 8)
        let last = length == 8 ? UInt64.max : 1 << (8 * UInt64(length)) - 1
        guard last >= UInt64(strings.count) else { return nil }
        var starts: Set<UInt64> = []
        while starts.count < strings.count { starts.insert(.random(in: 0...last, using: &random)) }
        return zip(strings, starts.sorted()).map { string, start in
            let rest = string.dropFirst(length).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            return withUnsafeBytes(of: start.bigEndian) { Data($0.suffix(length)) } + rest
        }
    }

    /// Returns the same number of other bytes.
    package func data(_ data: Data) -> Data {
        Data(
            bytes.standIn(for: Array(data)) {
                data.map { _ in UInt8.random(in: .min ... .max, using: &random) }
            } next: { bytes in
                Self.advance(&bytes) {
                    $0 &+ 1
                } isFirst: {
                    $0 == 0
                }
            })
    }

    /// Returns the stand-in for an identifier.
    package func identifier(_ id: UUID) -> UUID {
        identifiers.standIn(for: id) {
            let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            var uuid = UUID().uuid
            withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
            return UUID(uuid: uuid)
        } next: { _ in
        }
    }

    /// Returns the stand-in for a value. Booleans stay.
    package func value<Value: TreeValue>(_ value: Value) -> Value {
        let content: TreeContent<Value>
        switch value.treeContent {
        case .null, .boolean, .ownKind: return value
        case .integer(let number): content = .integer(integer(number))
        case .unsigned(let number): content = .unsigned(integer(number))
        case .double(let number): content = .double(real(number))
        case .string(let text): content = .string(self.text(text))
        case .data(let data): content = .data(self.data(data))
        case .date(let date): content = .date(self.date(date))
        case .instant(let instant): content = .instant(date(instant))
        case .array(let elements): content = .array(elements.map(self.value))
        case .dictionary(let members):
            content = .dictionary(
                Dictionary(
                    keepingFirst: members.map { (Name(text($0.key.text)), self.value($0.value)) }))
        }
        // A type that can represent a value's content can also represent other content of the same
        // kind.
        return Value(tree: content) ?? value
    }

    // MARK: Numbers

    /// Returns a number of the same sign and with the same number of digits.
    package func integer(_ number: Int64) -> Int64 {
        guard includesNumbers else { return number }
        let range = Self.range(of: number.magnitude, isNegative: number < 0)
        let limit = number < 0 ? Int64.min.magnitude : Int64.max.magnitude
        let bounds = range.lowerBound...min(range.upperBound, limit)
        func signed(_ magnitude: UInt64) -> Int64 {
            number < 0 ? Int64(truncatingIfNeeded: 0 &- magnitude) : Int64(clamping: magnitude)
        }
        return integers.standIn(for: number) {
            signed(.random(in: bounds, using: &random))
        } next: {
            let next = $0.magnitude == bounds.upperBound ? bounds.lowerBound : $0.magnitude + 1
            $0 = signed(next)
        }
    }

    /// Returns a different number that is also above `Int64.max`.
    package func integer(_ number: UInt64) -> UInt64 {
        guard includesNumbers else { return number }
        guard number > Int64.max.magnitude else {
            return integer(Int64(number)).magnitude
        }
        let bounds = Int64.max.magnitude + 1...UInt64.max
        return largeIntegers.standIn(for: number) {
            .random(in: bounds, using: &random)
        } next: {
            $0 = $0 == bounds.upperBound ? bounds.lowerBound : $0 + 1
        }
    }

    /// Returns a number of the same sign and magnitude. The result for a whole number is also
    /// whole.
    package func real(_ number: Double) -> Double {
        guard includesNumbers, number.isFinite, number != 0 else { return number }
        if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 {
            return Double(integer(whole))
        }
        let fraction: UInt64 = 1 << 52 - 1
        let rest = number.bitPattern & ~fraction
        return Double(
            bitPattern: reals.standIn(for: number.bitPattern) {
                rest | .random(in: 0...fraction, using: &random)
            } next: {
                $0 = rest | ($0 &+ 1) & fraction
            })
    }

    /// Returns the stand-in for a date. All dates are moved by the same amount.
    package func date(_ date: Date) -> Date {
        includesNumbers ? date.addingTimeInterval(TimeInterval(dateOffset)) : date
    }

    /// Returns the stand-in for an instant. All dates are moved by the same amount. Instants near
    /// the limits of the calendar stay.
    package func date(_ instant: Timestamp) -> Timestamp {
        guard includesNumbers else { return instant }
        let (moved, overflow) = instant.microseconds.addingReportingOverflow(dateOffset * 1_000_000)
        return overflow || !Timestamp.isRecordable(moved)
            ? instant : Timestamp(microseconds: moved)
    }

    /// Returns the magnitudes with the same number of digits.
    private static func range(of magnitude: UInt64, isNegative: Bool) -> ClosedRange<UInt64> {
        if magnitude < 10 { return (isNegative ? 1 : 0)...9 }
        var lower: UInt64 = 10
        while true {
            let (upper, overflow) = lower.multipliedReportingOverflow(by: 10)
            if overflow { return lower...UInt64.max }
            if magnitude < upper { return lower...upper - 1 }
            lower = upper
        }
    }

    // MARK: Words

    private func word(_ word: [Unicode.Scalar]) -> [Unicode.Scalar] {
        if word.isEmpty { return [] }
        return words.standIn(for: word) {
            word.map { scalar in
                let others = self.others(scalar)
                return others.randomElement(using: &random) ?? scalar
            }
        } next: { word in
            Self.advance(&word) { scalar in
                let others = self.others(scalar)
                let place = others.firstIndex(of: scalar).map { ($0 + 1) % others.count } ?? 0
                return others[place]
            } isFirst: {
                $0 == self.others($0).first
            }
        }
    }

    /// Returns the characters of the same category in the same block of 128 characters. They have
    /// the same script, kind and length in UTF-8.
    private func others(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        let category = scalar.properties.generalCategory
        if Self.staysInWord(category), !Self.canHideText(scalar) { return [scalar] }
        let block = scalar.value & ~0x7F
        let key = CharacterClass(block: block, category: category)
        if let known = classes[key] { return known }
        let found = (block...block | 0x7F).compactMap(Unicode.Scalar.init).filter {
            $0.properties.generalCategory == category
        }
        classes[key] = found
        return found
    }

    /// Moves to the next value of a list whose elements count up separately, like the digits of a
    /// number.
    private static func advance<Element>(
        _ elements: inout [Element], _ next: (Element) -> Element, isFirst: (Element) -> Bool
    ) {
        for index in elements.indices.reversed() {
            elements[index] = next(elements[index])
            if !isFirst(elements[index]) { return }
        }
    }

    private static func isInWord(_ scalar: Unicode.Scalar) -> Bool {
        if canHideText(scalar) { return true }
        return switch scalar.properties.generalCategory {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation, .spaceSeparator,
            .lineSeparator, .paragraphSeparator, .control, .format, .mathSymbol, .currencySymbol,
            .modifierSymbol:
            false
        default: true
        }
    }

    /// Returns whether a character is a tag or a supplementary variation selector. Such characters
    /// are invisible, and a sequence of them can encode any text.
    private static func canHideText(_ scalar: Unicode.Scalar) -> Bool {
        (0xE0000...0xE01EF).contains(scalar.value)
    }

    /// Returns whether a category contains marks, which stay because they belong to the previous
    /// character.
    private static func staysInWord(_ category: Unicode.GeneralCategory) -> Bool {
        switch category {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}

/// A wrapper that passes a generator of any type to generic functions.
private struct AnyGenerator: RandomNumberGenerator {
    var base: any RandomNumberGenerator

    mutating func next() -> UInt64 { base.next() }
}

/// Characters that stand in for each other.
private struct CharacterClass: Hashable {
    let block: UInt32
    let category: Unicode.GeneralCategory
}

/// The stand-ins for the values of one type.
private struct StandIns<Value: Hashable> {
    private var known: [Value: Value] = [:]
    private var used: Set<Value> = []

    /// Returns the stand-in for a value, and chooses one if there is none yet.
    ///
    /// - Parameters:
    ///   - draw: Returns a random value of the same class.
    ///   - next: Moves to another value of the class. Repeated calls reach all values.
    mutating func standIn(
        for value: Value, draw: () -> Value, next: (inout Value) -> Void
    ) -> Value {
        if let known = known[value] { return known }
        var candidate = draw()
        for _ in 0..<16 where used.contains(candidate) || candidate == value { candidate = draw() }
        if used.contains(candidate) || candidate == value {
            // The class is small, so search all of it. If no other value is unused, keep the value
            // itself.
            let first = candidate
            repeat {
                next(&candidate)
            } while candidate != first && (used.contains(candidate) || candidate == value)
            if used.contains(candidate) { candidate = value }
        }
        known[value] = candidate
        used.insert(candidate)
        return candidate
    }
}
