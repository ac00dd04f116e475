public import TidelineCore

/// The user's settings. Settings that the file doesn't set have their defaults.
public struct Configuration: Sendable, Hashable {
    /// The theme, as a name or the path of a theme file.
    public internal(set) var theme: String?
    /// The device that writes, if neither the command line nor the environment names one.
    public internal(set) var device: String?
    /// The reason why the device in the file is unknown: the setting is invalid, or the file
    /// couldn't be read. ``problems`` also contains this reason.
    public internal(set) var deviceProblem: String?
    /// Whether to draw with ASCII characters only.
    public internal(set) var isASCII: Bool?
    /// The program with which conflicts are merged; `nil` for the editor.
    public internal(set) var mergeTool: MergeTool?
    /// The signal of alerts.
    public internal(set) var alertSignal = AlertSignal.bell
    /// The rules for resolving many conflicts. The first rule that applies to a conflict decides.
    public internal(set) var resolutionRules: [ResolutionRule] = []
    /// The key bindings.
    public internal(set) var keymap = Keymap.standard
    /// The columns of a pane's list, in order, by pane name.
    var columns: [String: [String]] = [:]
    /// The sizes of panels, in percent of the space shared with the list. `0` hides the panel.
    var shares: [Panel: Int] = [:]
    /// One message per setting that couldn't be used, with file and line. The other settings are
    /// still used.
    public internal(set) var problems: [String] = []

    /// ``problems`` with the name of the file instead of its path, to fit a line of the screen.
    public var shortProblems: [String] {
        problems.map { problem in
            let path = problem.prefix { $0 != ":" }
            guard path.first == "/", let slash = path.lastIndex(of: "/") else { return problem }
            return String(problem[problem.index(after: slash)...])
        }
    }

    /// Creates the default settings.
    public init() {}

    /// Records that the whole file couldn't be used.
    mutating func fail(_ problem: String) {
        problems = [problem]
        deviceProblem = problem
    }
}

extension Panel {
    /// The panels that share the screen with the list, with their names in the configuration.
    static let sharing: [(name: String, panel: Panel)] = [
        ("inspector", .inspector), ("events", .events),
    ]

    /// The valid panel sizes, in percent.
    static let shareRange = 10...80
}
