public import TidelineCore

/// What a part of the screen means. Views ask a ``Theme`` for roles, never for colours.
///
/// The raw values are the names in a theme file. The first of them are the meanings of texts,
/// `TextRole`, by the same names.
public enum Role: String, Hashable, Sendable, CaseIterable {
    case plain, title, label, key, string, number, boolean, date, data, collection, deletion
    case device, timestamp, winner, loser, conflict, problem, badge, dim, link, added, removed

    /// The row under the cursor, in the region that has the keyboard and in the others.
    case selection, inactiveSelection
    /// Rows marked for an action on all of them.
    case marked
    /// The top line, the line of column titles, the bottom line.
    case header, columnHeader, footer
    /// A key's name, and what it does, in the bottom line and in help.
    case keyName, keyAction
    /// Frames of regions, without and with the keyboard, and titles in them.
    case border, focusedBorder, regionTitle, focusedRegionTitle
    case tab, activeTab
    case badgeWrite, badgeReadOnly, badgePast, badgeLive, badgePaused
    case error, warning, notice
    /// A row that has just changed, and the marks that stay in the gutter after it.
    case flash, gutterNew, gutterChanged, gutterConflict, gutterGone
    /// What a search or a filter found in a text; the part of a filter that does not parse.
    case matchHighlight, filterError
    /// Lines that are typed into.
    case prompt, input, placeholder
    /// What cannot be done now.
    case disabled
    /// Lists that open over the rest, their selected line.
    case menu, menuSelection
    case scrollbar, progress, timeline
    /// Devices told apart by colour, in the order of their identifiers.
    case device1, device2, device3, device4, device5, device6

    /// The role of a text by its meaning.
    public init(_ role: TextRole) {
        self = Role(rawValue: role.rawValue) ?? .plain
    }

    /// The roles of devices, in the order in which they are given.
    static let devices: [Role] = [.device1, .device2, .device3, .device4, .device5, .device6]

    /// The colour of a device by its place in the order of identifiers; the seventh repeats the
    /// first.
    public static func device(at index: Int) -> Role {
        devices[((index % devices.count) + devices.count) % devices.count]
    }
}
