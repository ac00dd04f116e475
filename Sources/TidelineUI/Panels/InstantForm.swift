import Replication
import TidelineCore

/// The precision with which the timeline shows the current instant and the marks.
struct InstantForm {
    /// The number of characters of a full timestamp to show.
    let length: Int
    /// Whether marks omit a year or day that the instant already shows.
    let isShort: Bool
    let showsAge: Bool

    /// The forms without fractions of a second, longest first.
    private static let whole = [
        (19, false, true), (19, true, true), (19, true, false), (16, true, true),
        (16, true, false),
    ].map(Self.init)
    /// The forms with a fraction of a second, longest first.
    private static let fine = [
        (26, false, true), (26, true, true), (23, true, true), (26, true, false),
        (23, true, false),
    ].map(Self.init)

    /// Returns the forms that show different instants differently, longest first. Fractions are
    /// shown only if whole seconds don't distinguish the instants.
    static func forms(for instants: [Timestamp?], offset: UTCOffset) -> [InstantForm] {
        let forms = [whole, fine].lazy.map { forms in
            forms.filter { $0.distinguishes(instants, offset: offset) }
        }
        // After a clock was set back, the texts of different instants may look the same.
        return forms.first { !$0.isEmpty } ?? whole
    }

    func text(_ instant: Timestamp, offset: UTCOffset) -> String {
        String(instant.text(in: offset).prefix(length))
    }

    /// Returns the zone to show after the instant; empty if the text isn't a time of day.
    func zone(of instant: Timestamp, offset: UTCOffset) -> String {
        text(instant, offset: offset).contains(":") ? offset.label(at: instant) : ""
    }

    /// Returns the texts of marks shown after the instant.
    func texts(
        of marks: [Timestamp], after instant: Timestamp, offset: UTCOffset
    ) -> [String] {
        let texts = marks.map { text($0, offset: offset) }
        guard isShort else { return texts }
        let other = text(instant, offset: offset)
        // The common prefix: `2026-11-21 ` or `2026-`. Instants that are out of range have neither.
        let common = [11, 5].first { count in
            (texts + [other]).allSatisfy {
                $0.count > 11 && $0.prefix(count) == other.prefix(count)
            }
        }
        return texts.map { String($0.dropFirst(common ?? 0)) }
    }

    /// Whether the form shows different instants differently.
    private func distinguishes(_ shown: [Timestamp?], offset: UTCOffset) -> Bool {
        let instants = Set(shown.compactMap(\.self))
        return Set(instants.map { text($0, offset: offset) }).count == instants.count
    }
}
