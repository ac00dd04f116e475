import Replication
import TidelineCore
import Yams

/// Parses a configuration file and records the line of each problem.
struct ConfigurationReader {
    private static let names = [
        "theme", "device", "ascii", "keys", "columns", "layout", "merge-tool", "alerts", "resolve",
        "commands",
    ]

    /// The name of the file in messages.
    let source: String
    let themes: ThemeLibrary
    var configuration = Configuration()
    /// The line of each problem; 0 for a problem without a line.
    private(set) var lines: [Int] = []

    mutating func read(_ yaml: String) {
        let root: Node?
        do {
            // All values are text. Other resolvers compile regular expressions to guess types.
            root = try Yams.compose(yaml: yaml, .basic)
        } catch {
            report(error)
            return configuration.deviceProblem = configuration.problems.last
        }
        // A file that contains only comments has no settings.
        guard let root, root.scalar?.string.isEmpty != true else { return }
        guard case .mapping(let mapping) = root else {
            report(root, "expected settings, each as name: value")
            return configuration.deviceProblem = configuration.problems.last
        }
        var commands: Node?
        for (key, value) in mapping {
            switch key.scalar?.string {
            case "theme": readTheme(value)
            case "device": readDevice(value)
            case "ascii": readASCII(value)
            case "merge-tool": readMergeTool(value)
            case "alerts": readAlertSignal(value)
            case "resolve": readResolutionRules(value)
            case "keys": readKeys(value)
            case "columns": readColumns(value)
            case "layout": readLayout(value)
            // The keys of commands depend on the keys of actions, which may come later.
            case "commands": commands = value
            default:
                report(
                    key,
                    "unknown setting \(name(key)); the settings are "
                        + Self.names.joined(separator: ", "))
            }
        }
        if let commands { readCommands(commands) }
        sortProblems()
    }

    // MARK: Problems

    /// Sorts the problems by line, because some settings are checked after later ones.
    private mutating func sortProblems() {
        let problems = configuration.problems
        let order = problems.indices.sorted { (lines[$0], $0) < (lines[$1], $1) }
        configuration.problems = order.map { problems[$0] }
    }

    mutating func report(_ node: Node, _ problem: String) {
        lines.append(node.mark?.line ?? 0)
        let line = node.mark.map { ":\($0.line)" } ?? ""
        configuration.problems.append("\(source)\(line): \(problem)")
    }

    private mutating func report(_ error: any Error) {
        lines.append(0)
        var line = ""
        var problem = String(describing: error).split(separator: "\n").joined(separator: " ")
        switch error as? YamlError {
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.sorted().map { "“\($0.prefix(40))”" }.joined(separator: ", ")
            (line, problem) = (":\(context.mark.line)", "\(names) occurs more than once")
        case .scanner(_, let text, let mark, _), .parser(_, let text, let mark, _),
            .composer(_, let text, let mark, _):
            (line, problem) = (":\(mark.line)", text)
        default: break
        }
        configuration.problems.append("\(source)\(line): invalid YAML: \(problem)")
    }

    func name(_ node: Node) -> String {
        node.scalar.map { "“\($0.string.prefix(40))”" } ?? "(a list or map)"
    }

    mutating func mapping(_ node: Node, _ what: String) -> [(key: Node, value: Node)] {
        if case .mapping(let mapping) = node { return mapping.map { ($0.key, $0.value) } }
        // An empty value is a section without content.
        if node.scalar?.string.isEmpty != true { report(node, what) }
        return []
    }

    /// Returns a Boolean setting; `nil` for other texts.
    func flag(_ node: Node) -> Bool? {
        switch node.scalar?.string {
        case "true", "yes": true
        case "false", "no": false
        default: nil
        }
    }

    /// Returns the words of a setting whose value is a word or a list of words. Reports any other
    /// value.
    ///
    /// - Parameters:
    ///   - place: The setting, for messages.
    ///   - what: The kind of word, in the singular.
    mutating func words(_ node: Node, _ place: String, _ what: String) -> [String]? {
        switch node {
        case .scalar(let scalar): return scalar.string.isEmpty ? [] : [scalar.string]
        case .sequence(let items):
            var words: [String] = []
            for item in items {
                guard let text = item.scalar?.string else {
                    report(item, "\(place): each \(what) must be a word")
                    continue
                }
                words.append(text)
            }
            return words
        default:
            report(node, "\(place): expected a \(what) or a list of \(what)s")
            return nil
        }
    }

    // MARK: Settings

    private mutating func readTheme(_ node: Node) {
        guard let name = node.scalar?.string, !name.isEmpty else {
            return report(node, "theme must be a name or the path of a file")
        }
        do {
            _ = try themes.file(named: name)
            configuration.theme = name
        } catch {
            report(node, "theme: \(error)")
        }
    }

    private mutating func readDevice(_ node: Node) {
        guard let name = node.scalar?.string, (try? DeviceID(name)) != nil else {
            report(node, "device: \(name(node)) is not a device identifier")
            return configuration.deviceProblem = configuration.problems.last
        }
        configuration.device = name
    }

    private mutating func readResolutionRules(_ node: Node) {
        for (pattern, way) in mapping(node, "resolve: expected rules such as note/*: newest") {
            guard let names = pattern.scalar?.string, let text = way.scalar?.string,
                let rule = ResolutionRule(names, text)
            else {
                report(
                    way,
                    "resolve: \(name(pattern)): expected newest, merge or as DEVICE, for "
                        + "example: as desk")
                continue
            }
            configuration.resolutionRules.append(rule)
        }
    }

    private mutating func readASCII(_ node: Node) {
        guard let isOn = flag(node) else { return report(node, "ascii must be true or false") }
        configuration.isASCII = isOn
    }

    private mutating func readMergeTool(_ node: Node) {
        guard let setting = node.scalar?.string, !setting.isEmpty else {
            return report(node, "merge-tool must be the name of a tool, or a command with $MERGED")
        }
        configuration.mergeTool = MergeTool(setting)
    }

    private mutating func readAlertSignal(_ node: Node) {
        guard let signal = node.scalar.flatMap({ AlertSignal(rawValue: $0.string) }) else {
            let known = AlertSignal.allCases.map(\.rawValue).joined(separator: ", ")
            return report(node, "alerts must be one of \(known)")
        }
        configuration.alertSignal = signal
    }

    private mutating func readKeys(_ node: Node) {
        var nodes: [String: Node] = [:]
        for (key, value) in mapping(node, "keys must be lines of the form action: keys") {
            guard let name = key.scalar?.string, let action = Action.named(name) else {
                report(
                    key,
                    "keys: unknown action \(self.name(key)); the palette (:) lists the actions")
                continue
            }
            guard let notations = words(value, "keys: \(name)", "key") else { continue }
            for notation in notations {
                guard let keys = KeyNotation.keys(in: notation) else { continue }
                let other = nodes.keys.sorted().first { other in
                    configuration.keymap.keys(for: other).contains(keys)
                        && Action.named(other)?.scope == action.scope
                }
                if let other, other != action.name {
                    report(value, "keys: \(name): \(notation) is set for \(other), too")
                }
            }
            nodes[action.name] = value
            let (keymap, problems) = configuration.keymap.overridden(by: [name: notations])
            configuration.keymap = keymap
            for problem in problems { report(value, "keys: \(problem)") }
        }
        for (action, problem) in configuration.keymap.problems(ofRebound: Set(nodes.keys)) {
            if let node = nodes[action] { report(node, "keys: \(action): \(problem)") }
        }
    }

    private mutating func readColumns(_ node: Node) {
        for (key, value) in mapping(node, "columns must be lines of the form pane: [columns]") {
            guard let pane = key.scalar?.string, case .sequence(let items) = value else {
                report(value, "columns: \(name(key)): expected a list of columns")
                continue
            }
            checkPanes([pane], "columns", key)
            let names = items.compactMap { $0.scalar?.string }
            guard !names.isEmpty, names.count == items.count else {
                report(value, "columns: \(pane): expected a list of column names, at least one")
                continue
            }
            checkColumns(items, of: pane)
            configuration.columns[pane] = names
        }
    }

    /// Reports the names that aren't columns of a pane.
    private mutating func checkColumns(_ items: Node.Sequence, of pane: String) {
        let panes = PaneID.standardColumns.filter { $0.pane.text == pane || $0.pane.name == pane }
        let known = panes.flatMap { $0.columns.flatMap(\.names) }.uniqued()
        guard !known.isEmpty else { return }
        for item in items where item.scalar.map({ known.contains($0.string) }) != true {
            report(
                item,
                "columns: \(pane): unknown column \(name(item)); the columns are "
                    + known.joined(separator: ", "))
        }
    }

    private mutating func readLayout(_ node: Node) {
        let known = Panel.sharing.map(\.name).joined(separator: ", ")
        for (key, value) in mapping(node, "layout must be lines of the form panel: size") {
            guard
                let panel = Panel.sharing.first(where: { $0.name == key.scalar?.string })?.panel
            else {
                report(key, "layout: unknown panel \(name(key)); the panels are \(known)")
                continue
            }
            let text = value.scalar?.string ?? ""
            if text == "none" {
                configuration.shares[panel] = 0
            } else if let share = Int(text), Panel.shareRange.contains(share) {
                configuration.shares[panel] = share
            } else {
                report(
                    value,
                    "layout: \(key.scalar?.string ?? ""): \(name(value)) is neither none nor a number "
                        + "from 10 to 80")
            }
        }
    }
}
