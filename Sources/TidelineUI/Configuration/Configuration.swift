/// The settings of one person, as their file has them: what it does not say is as the program comes.
public struct Configuration: Sendable, Hashable {
    /// The columns of a pane's list, in their order, and where the file says so.
    struct Columns: Sendable, Hashable {
        var names: [String]
        var place: String
    }

    /// The theme, by name or by the path of its file.
    public internal(set) var theme: String?
    /// The device to write as, where neither the command line nor the environment names one.
    public internal(set) var device: String?
    /// Why the file's device is not known, where it may name one: it is wrong, or nothing of the
    /// file could be read. One of ``problems``.
    public internal(set) var deviceProblem: String?
    /// Whether only ASCII is drawn.
    public internal(set) var isASCII: Bool?
    /// The keys.
    public internal(set) var keymap = Keymap.standard
    /// By the names of panes.
    var columns: [String: Columns] = [:]
    /// How many hundredths regions have of what they share with the list; `0`: they have no place.
    var shares: [Region: Int] = [:]
    /// What of the file could not be used, each thing with the file and the line; the rest is used.
    public internal(set) var problems: [String] = []

    /// The settings of somebody who has no file.
    public init() {}

    /// Says why nothing of the file could be used.
    mutating func fail(_ problem: String) {
        problems = [problem]
        deviceProblem = problem
    }
}

extension Region {
    /// The regions that share the screen with the list, by the names that people call them.
    static let sharing: [(name: String, region: Region)] = [
        ("inspector", .inspector), ("events", .events),
    ]

    /// The hundredths that a region can have.
    static let shareRange = 10...80
}
