extension Keymap {
    /// Actions and their keys. Help shows the first key of each.
    static let standardTable: [(String, [String])] =
        globalTable + overlayTable + Overlay.modules.flatMap { $0.keyTable }

    private static let globalTable: [(String, [String])] = [
        ("down", ["j", "Down", "^n"]), ("up", ["k", "Up"]),
        ("left", ["h", "Left"]), ("right", ["l", "Right"]),
        ("first", ["gg", "Home"]), ("last", ["G", "End"]),
        ("half-down", ["^d"]), ("half-up", ["^u"]),
        ("page-down", ["PgDn", "^f"]), ("page-up", ["PgUp", "^b"]),
        ("scroll-left", ["H", "S-Left"]), ("scroll-right", ["L", "S-Right"]),
        ("next-section", ["gj"]), ("previous-section", ["gk"]),

        ("pane-1", ["1"]), ("pane-2", ["2"]), ("pane-3", ["3"]), ("pane-4", ["4"]),
        ("pane-5", ["5"]), ("pane-6", ["6"]), ("pane-7", ["7"]), ("pane-8", ["8"]),
        ("pane-9", ["9"]), ("inspector", ["0"]), ("events", ["E"]),
        ("next-region", ["Tab"]), ("previous-region", ["BackTab"]),
        ("next-pane", ["]"]), ("previous-pane", ["["]),
        ("enter", ["Enter"]), ("back", ["Esc", "Backspace"]), ("zoom", ["_"]),
        ("grow", ["M-Up", "="]), ("shrink", ["M-Down"]),

        ("search", ["/"]), ("search-next", ["n"]), ("search-previous", ["N"]),
        ("filter", ["f"]), ("sort", ["o"]), ("palette", [":", "^p"]), ("help", ["?", "F1"]),

        ("choose", ["Space"]), ("range", ["v"]), ("copy", ["y"]), ("row-menu", ["x"]),
        ("columns", ["K"]), ("folders", ["gf"]), ("authors", ["gb"]), ("keep-query", ["s"]),

        ("unlock", ["w"]), ("edit", ["i", "F2"]), ("edit-external", ["e"]), ("add", ["a"]),
        ("duplicate", ["gd"]),
        ("rename", ["r"]), ("count-up", ["+"]), ("count-down", ["-"]), ("delete", ["d", "Del"]),
        ("take-over", ["O"]), ("undo", ["z"]), ("redo", ["Z"]),
        ("journal", ["@"]), ("withdraw", ["W"]),

        ("next-conflict", ["c"]), ("previous-conflict", ["C"]), ("resolve-many", ["M"]),
        ("ignore", ["I"]),

        ("time", ["t"]), ("step-back", ["Left"]), ("step-forward", ["Right"]),
        ("device-back", ["S-Left"]), ("device-forward", ["S-Right"]),
        ("key-back", [","]), ("key-forward", ["."]), ("go-to-write", ["J"]),
        ("restore-prefix", ["gr"]),
        ("oldest", ["Home"]), ("newest", ["End"]), ("now", ["t"]),
        ("day-back", ["("]), ("day-forward", [")"]), ("week-back", ["{"]), ("week-forward", ["}"]),
        ("play", ["p"]),
        ("previous-device", ["<"]), ("next-device", [">"]),
        ("mark-a", ["A"]), ("mark-b", ["B"]), ("compare-marks", ["D"]), ("restore", ["T"]),

        ("follow", ["F"]), ("pause", ["P"]), ("alert", ["b"]), ("alerts", ["^g"]),
        ("reload", ["R", "F5"]),

        ("next-store", ["gt"]), ("previous-store", ["gT"]), ("close-store", ["gx"]),
        ("mouse", ["%"]), ("redraw", ["^l"]), ("suspend", ["^z"]), ("quit", ["q", "^c"]),
    ]

    /// Keys that work in all overlays, or in their text fields.
    private static let overlayTable: [(String, [String])] = [
        ("leave", ["^c"]), ("overlay-help", ["?", "F1"]), ("overlay-palette", [":", "^p"]),

        ("text-left", ["Left", "^b"]), ("text-right", ["Right", "^f"]),
        ("text-word-left", ["^Left", "M-b"]), ("text-word-right", ["^Right", "M-f"]),
        ("text-start", ["^a", "Home"]), ("text-end", ["^e", "End"]),
        ("text-erase", ["Backspace"]), ("text-erase-next", ["^d", "Del"]),
        ("text-erase-word", ["^w"]), ("text-erase-to-start", ["^u"]),
        ("text-erase-to-end", ["^k"]),
    ]
}

extension OverlayModule {
    fileprivate static var keyTable: [(String, [String])] { actions.map { ($0.name, $0.keys) } }
}
