extension Keymap {
    /// Actions and their keys. Help shows the first key of each.
    static let standardTable = globalTable + overlayTable + numberTable

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

    /// Keys that work in overlays.
    private static let overlayTable: [(String, [String])] = [
        ("leave", ["^c"]), ("overlay-help", ["?", "F1"]), ("overlay-palette", [":", "^p"]),

        ("text-left", ["Left", "^b"]), ("text-right", ["Right", "^f"]),
        ("text-word-left", ["^Left", "M-b"]), ("text-word-right", ["^Right", "M-f"]),
        ("text-start", ["^a", "Home"]), ("text-end", ["^e", "End"]),
        ("text-erase", ["Backspace"]), ("text-erase-next", ["^d", "Del"]),
        ("text-erase-word", ["^w"]), ("text-erase-to-start", ["^u"]),
        ("text-erase-to-end", ["^k"]),

        ("prompt-accept", ["Enter"]), ("prompt-leave", ["Esc", "^c"]),
        ("prompt-complete", ["Tab"]), ("prompt-complete-back", ["BackTab"]),
        ("prompt-earlier", ["Up", "^p"]), ("prompt-later", ["Down", "^n"]),

        ("palette-accept", ["Enter"]), ("palette-close", ["Esc", "^c"]),
        ("palette-next", ["Down", "^n"]), ("palette-previous", ["Up", "^p"]),
        ("palette-page-down", ["PgDn"]), ("palette-page-up", ["PgUp"]),
        ("palette-complete", ["Tab"]), ("palette-erase", ["Backspace"]),

        ("menu-choose", ["Enter"]), ("menu-close", ["Esc", "q", "^g"]),
        ("menu-next", ["j", "Down", "Tab"]), ("menu-previous", ["k", "Up", "BackTab"]),
        ("menu-first", ["Home"]), ("menu-last", ["End"]), ("menu-toggle", ["Space"]),

        ("field-accept", ["Enter"]), ("field-preview", ["^s"]), ("field-drop", ["Esc"]),
        ("field-line", ["M-Enter", "^j"]), ("field-up", ["Up"]), ("field-down", ["Down"]),
        ("field-page-up", ["PgUp"]), ("field-page-down", ["PgDn"]),
        ("field-first", ["^Home"]), ("field-last", ["^End"]),
        ("field-next", ["Tab"]), ("field-previous", ["BackTab"]), ("field-type", ["^t"]),
        ("field-null", ["^n"]), ("field-choose", ["^o"]),

        ("preview-yes", ["y"]), ("preview-count", ["Enter"]), ("preview-no", ["Esc", "n", "q"]),
        ("preview-more", ["+"]), ("preview-less", ["-"]), ("preview-name", ["r"]),
        ("preview-down", ["Down", "j"]), ("preview-up", ["Up", "k"]),
        ("preview-page-down", ["PgDn"]), ("preview-page-up", ["PgUp"]),
        ("preview-first", ["Home", "g"]), ("preview-last", ["End", "G"]),

        ("moved-preview", ["p", "Enter"]), ("moved-keep", ["Esc", "n", "q"]),
        ("moved-down", ["Down"]), ("moved-up", ["Up"]),

        ("conflict-take", ["Enter"]), ("conflict-propose", ["p"]), ("conflict-merge", ["m"]),
        ("conflict-edit", ["i"]),
        ("conflict-edit-external", ["e"]), ("conflict-next", ["j", "Down"]),
        ("conflict-previous", ["k", "Up"]), ("conflict-pick-next", ["l", "Right"]),
        ("conflict-pick-previous", ["h", "Left"]), ("conflict-page-down", ["Space", "PgDn"]),
        ("conflict-page-up", ["PgUp"]), ("conflict-first", ["g", "Home"]),
        ("conflict-last", ["G", "End"]), ("conflict-now", ["t"]), ("conflict-close", ["Esc", "q"]),
        ("conflict-parts", ["Tab"]),

        ("many-choose", ["Enter"]), ("many-close", ["Esc", "q"]),
        ("many-next", ["j", "Down"]), ("many-previous", ["k", "Up"]),

        ("reopen-edit", ["Enter", "e"]), ("reopen-drop", ["Esc", "q"]),

        ("journal-undo", ["z", "Enter"]), ("journal-close", ["Esc", "q", "@"]),
        ("journal-next", ["j", "Down"]), ("journal-previous", ["k", "Up"]),
        ("journal-first", ["g", "Home"]), ("journal-last", ["G", "End"]),
        ("journal-page-down", ["PgDn"]), ("journal-page-up", ["PgUp"]),

        ("output-close", ["Esc", "q", "Enter"]), ("output-copy", ["y"]),
        ("output-down", ["j", "Down"]), ("output-up", ["k", "Up"]),
        ("output-page-down", ["Space", "PgDn", "^f", "^d"]),
        ("output-page-up", ["PgUp", "^b", "^u"]),
        ("output-first", ["g", "Home"]), ("output-last", ["G", "End"]),

        ("help-find", ["/"]), ("help-found", ["Enter"]), ("help-close", ["Esc", "q", "?"]),
        ("help-down", ["j", "Down"]), ("help-up", ["k", "Up"]),
        ("help-page-down", ["Space", "PgDn", "^f", "^d"]), ("help-page-up", ["PgUp", "^b", "^u"]),
        ("help-first", ["g", "Home"]), ("help-last", ["G", "End"]),

        ("leave-anyway", ["y"]), ("stay", ["Esc", "n", "^c"]),
    ]

    private static let numberTable: [(String, [String])] =
        ["menu-choose", "conflict-take", "many-choose"].flatMap { action in
            (1...9).map { ("\(action)-\($0)", ["\($0)"]) }
        }
}
