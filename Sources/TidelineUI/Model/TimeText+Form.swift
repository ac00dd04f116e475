import Replication
import TidelineCore

extension TimeText {
    /// The precision of timestamps in a list column.
    enum Form: Hashable, Sendable {
        /// `2m`: less than 12 columns.
        case age
        /// `16:54:01` today, `11-20 16:54:01` this year, `2025-11-20` in earlier years. Shortened
        /// to whole parts.
        case short(columns: Int)
        /// `2026-11-21 09:15:00`: 19 columns and more.
        case full

        init(columns: Int) {
            self =
                switch columns {
                case ..<12: .age
                case ..<19: .short(columns: columns)
                default: .full
                }
        }
    }

    /// Formats an instant, never cutting within a number. Ages are relative to `reference`, whose
    /// day counts as today.
    static func text(
        _ instant: Timestamp, _ form: Form, at reference: Timestamp, offset: UTCOffset
    ) -> String {
        switch form {
        case .age: return age(of: instant, at: reference)
        case .full: return String(instant.text(in: offset).prefix(19))
        case .short(let columns):
            let whole = instant.text(in: offset)
            let today = reference.text(in: offset)
            // An instant that is out of range has a shorter text.
            guard whole.count >= 19 else { return whole }
            if whole.prefix(10) == today.prefix(10) {
                return String(whole.dropFirst(11).prefix(8))
            }
            if whole.prefix(4) == today.prefix(4) {
                return String(whole.dropFirst(5).prefix(columns >= 14 ? 14 : 11))
            }
            return String(whole.prefix(10))
        }
    }

    /// Returns a text whose timestamps fit a width, so that no line is broken within a number. If
    /// necessary, drops fractions, and then puts a space between date and time.
    static func fitting(_ text: String, columns: Int) -> String {
        func fits(_ text: String) -> Bool {
            let joined = text.replacing(/([0-9]-[0-9]{2}) ([0-9:]{8})/) {
                "\($0.output.1)T\($0.output.2)"
            }
            return joined.split(separator: " ").allSatisfy { $0.count <= columns }
        }
        if fits(text) { return text }
        let seconds = text.replacing(/([T ][0-9:]{8})\.[0-9]+/) { $0.output.1 }
        if fits(seconds) { return seconds }
        return seconds.replacing(/([0-9]-[0-9]{2})T([0-9:]{8})/) {
            "\($0.output.1) \($0.output.2)"
        }
    }
}
