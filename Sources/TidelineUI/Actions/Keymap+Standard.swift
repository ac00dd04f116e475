extension Keymap {
    /// Actions and their keys, the one that help shows first.
    static let standardTable: [(String, [String])] = [
        ("down", ["j", "Down", "^n"]), ("up", ["k", "Up"]),
        ("left", ["h", "Left"]), ("right", ["l", "Right"]),
        ("first", ["gg", "Home"]), ("last", ["G", "End"]),
        ("half-down", ["^d"]), ("half-up", ["^u"]),
        ("page-down", ["PgDn", "^f"]), ("page-up", ["PgUp", "^b"]),
        ("scroll-left", ["H", "S-Left"]), ("scroll-right", ["L", "S-Right"]),

        ("pane-1", ["1"]), ("pane-2", ["2"]), ("pane-3", ["3"]), ("pane-4", ["4"]),
        ("pane-5", ["5"]), ("pane-6", ["6"]), ("pane-7", ["7"]), ("pane-8", ["8"]),
        ("pane-9", ["9"]), ("inspector", ["0"]), ("events", ["E"]),
        ("next-region", ["Tab"]), ("previous-region", ["BackTab"]),
        ("next-pane", ["]"]), ("previous-pane", ["["]),
        ("enter", ["Enter"]), ("back", ["Esc", "Backspace"]), ("zoom", ["_", "+"]),

        ("search", ["/"]), ("search-next", ["n"]), ("search-previous", ["N"]),
        ("filter", ["f"]), ("sort", ["o"]), ("palette", [":", "^p"]), ("help", ["?", "F1"]),

        ("choose", ["Space"]), ("range", ["v"]), ("copy", ["y"]), ("row-menu", ["x"]),

        ("unlock", ["w"]), ("edit", ["i", "F2"]), ("edit-external", ["e"]), ("add", ["a"]),
        ("rename", ["r"]), ("delete", ["d", "Del"]), ("undo", ["z"]), ("redo", ["Z"]),
        ("journal", ["@"]), ("withdraw", ["W"]),

        ("next-conflict", ["c"]), ("previous-conflict", ["C"]),

        ("time", ["t"]), ("step-back", ["Left"]), ("step-forward", ["Right"]),
        ("device-back", ["S-Left"]), ("device-forward", ["S-Right"]),
        ("oldest", ["Home"]), ("newest", ["End"]), ("now", ["0"]),
        ("previous-device", ["<"]), ("next-device", [">"]),
        ("mark-a", ["A"]), ("mark-b", ["B"]), ("compare", ["D"]),

        ("follow", ["F"]), ("pause", ["P"]), ("reload", ["R", "F5"]),

        ("mouse", ["%"]), ("redraw", ["^l"]), ("suspend", ["^z"]), ("quit", ["q", "^c"]),
    ]
}
