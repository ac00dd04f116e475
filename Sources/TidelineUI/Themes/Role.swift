public import TidelineCore

/// The meaning of a part of the screen. Views request the style of a role from a ``Theme``, and
/// never use colors directly.
///
/// The raw values are the names in theme files. The first roles are the meanings of texts, with the
/// same names as in `TextRole`.
public enum Role: String, Hashable, Sendable, CaseIterable {
    case plain, title, label, key, string, number, boolean, date, data, collection, deletion
    case device, timestamp, winner, loser, conflict, problem, badge, dim, link, added, removed

    /// Words that were added or removed inside a value. Themes distinguish them from all values by
    /// more than a color.
    case addedWord, removedWord
    /// The selected row, in the focused panel and in other panels.
    case selection, inactiveSelection
    /// Marked rows.
    case marked
    /// The header, the line of column titles, and the footer.
    case header, columnHeader, footer
    /// A key and its action, in the footer and in help.
    case keyName, keyAction
    /// Frames of panels without and with the focus, and their titles.
    case border, focusedBorder, regionTitle, focusedRegionTitle
    case tab, activeTab
    case badgeWrite, badgeReadOnly, badgePast, badgeLive, badgePaused
    case error, warning, notice
    /// A row that has just changed, and the marks that remain in the gutter.
    case flash, gutterNew, gutterChanged, gutterConflict, gutterGone
    /// A match of a search or filter, and the invalid part of a filter.
    case matchHighlight, filterError
    /// Text fields.
    case prompt, input, placeholder
    /// Unavailable actions.
    case disabled
    /// Menus and their selected line.
    case menu, menuSelection
    case scrollbar, progress, timeline
    /// Devices, distinguished by color; see ``DeviceColors``.
    case device1, device2, device3, device4, device5, device6

    /// Creates the role that displays a text role of the core.
    public init(_ role: TextRole) {
        self = Role(rawValue: role.rawValue) ?? .plain
    }

    /// The roles of devices, in order.
    static let devices: [Role] = [.device1, .device2, .device3, .device4, .device5, .device6]
}
