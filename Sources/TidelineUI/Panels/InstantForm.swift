import Replication
import TidelineCore

/// The precision with which the timeline shows the current instant and the marks.
struct InstantForm {
    /// The number of characters of a full timestamp to show.
    let length: Int
    /// Whether marks omit the year or day that they share with the instant.
    let isShort: Bool
    let showsAge: Bool

    /// All forms, longest first.
    static let all = [
        (26, false, true), (19, false, true), (26, true, true), (23, true, true),
        (19, true, true), (26, true, false), (23, true, false), (19, true, false),
        (16, true, true), (16, true, false),
    ].map(Self.init)

    func text(_ instant: Timestamp, offset: UTCOffset) -> String {
        String(TimeText.text(instant, offset: offset).prefix(length))
    }

    /// Returns the text of a mark shown after the instant.
    func text(_ mark: Timestamp, beside instant: Timestamp, offset: UTCOffset) -> String {
        let (text, other) = (text(mark, offset: offset), text(instant, offset: offset))
        // The common prefix: `2026-11-21 ` or `2026-`. Out-of-range instants have neither.
        let common = [11, 5].first {
            text.count > 11 && other.count > 11 && text.prefix($0) == other.prefix($0)
        }
        return isShort ? String(text.dropFirst(common ?? 0)) : text
    }

    /// Whether the form shows different instants differently.
    func distinguishes(_ shown: [Timestamp?], offset: UTCOffset) -> Bool {
        let instants = Set(shown.compactMap(\.self))
        return Set(instants.map { text($0, offset: offset) }).count == instants.count
    }
}
