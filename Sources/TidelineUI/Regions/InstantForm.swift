import Replication

/// How exactly the timeline tells the shown instant and the marks.
struct InstantForm {
    /// How many characters of a whole instant are told.
    let length: Int
    /// Whether marks leave out the day, or the year, that they have in common with the instant.
    let isShort: Bool
    let tellsAge: Bool

    /// The longest first.
    static let all = [
        (26, false, true), (19, false, true), (26, true, true), (23, true, true),
        (19, true, true), (26, true, false), (23, true, false), (19, true, false),
        (16, true, true), (16, true, false),
    ].map(Self.init)

    func text(_ instant: Timestamp, offset: UTCOffset) -> String {
        String(TimeText.text(instant, offset: offset).prefix(length))
    }

    /// A mark, where the instant stands before it.
    func text(_ mark: Timestamp, beside instant: Timestamp, offset: UTCOffset) -> String {
        let (text, other) = (text(mark, offset: offset), text(instant, offset: offset))
        // `2026-11-21 `, or `2026-`; what no calendar shows has neither.
        let common = [11, 5].first {
            text.count > 11 && other.count > 11 && text.prefix($0) == other.prefix($0)
        }
        return isShort ? String(text.dropFirst(common ?? 0)) : text
    }

    /// Whether instants that differ are told differently.
    func tellsApart(_ time: TimeState?, offset: UTCOffset) -> Bool {
        let instants = Set([time?.instant, time?.markA, time?.markB].compactMap(\.self))
        return Set(instants.map { text($0, offset: offset) }).count == instants.count
    }
}
