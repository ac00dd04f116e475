import Replication
import Yams

/// Reads a file of settings, and knows where in it what is wrong.
struct ConfigurationReader {
    private static let names = ["theme", "device", "ascii", "keys", "columns", "layout"]

    /// What errors call the file.
    let source: String
    let themes: ThemeLibrary
    var configuration = Configuration()

    init(source: String, themes: ThemeLibrary) {
        self.source = source
        self.themes = themes
    }

    mutating func read(_ yaml: String) {
        let root: Node?
        do {
            // All is read as text: other resolvers compile regular expressions to guess types.
            root = try Yams.compose(yaml: yaml, .basic)
        } catch {
            tell(error)
            return configuration.deviceProblem = configuration.problems.last
        }
        // A file of comments alone says nothing.
        guard let root, root.scalar?.string.isEmpty != true else { return }
        guard case .mapping(let mapping) = root else {
            tell(root, "the file is not a list of settings, each a name, a colon and a value")
            return configuration.deviceProblem = configuration.problems.last
        }
        for (key, value) in mapping {
            switch key.scalar?.string {
            case "theme": readTheme(value)
            case "device": readDevice(value)
            case "ascii": readASCII(value)
            case "keys": readKeys(value)
            case "columns": readColumns(value)
            case "layout": readLayout(value)
            default:
                tell(
                    key,
                    "there is no setting \(name(key)); there are "
                        + Self.names.joined(separator: ", "))
            }
        }
    }

    // MARK: Complaints

    private func place(_ node: Node) -> String {
        source + (node.mark.map { ":\($0.line)" } ?? "")
    }

    private mutating func tell(_ node: Node, _ problem: String) {
        configuration.problems.append("\(place(node)): \(problem)")
    }

    private mutating func tell(_ error: any Error) {
        var line = ""
        var problem = String(describing: error).split(separator: "\n").joined(separator: " ")
        switch error as? YamlError {
        case .scanner(_, let text, let mark, _), .parser(_, let text, let mark, _),
            .composer(_, let text, let mark, _):
            (line, problem) = (":\(mark.line)", text)
        default: break
        }
        configuration.problems.append("\(source)\(line): not YAML: \(problem)")
    }

    private func name(_ node: Node) -> String {
        node.scalar.map { "“\($0.string.prefix(40))”" } ?? "with a collection for a name"
    }

    private mutating func mapping(_ node: Node, _ what: String) -> [(key: Node, value: Node)] {
        if case .mapping(let mapping) = node { return mapping.map { ($0.key, $0.value) } }
        // A heading under which nothing stands yet.
        if node.scalar?.string.isEmpty != true { tell(node, what) }
        return []
    }

    // MARK: Settings

    private mutating func readTheme(_ node: Node) {
        guard let name = node.scalar?.string, !name.isEmpty else {
            return tell(node, "theme is a name, or the path of a file")
        }
        do {
            _ = try themes.file(named: name)
            configuration.theme = name
        } catch {
            tell(node, "theme: \(error)")
        }
    }

    private mutating func readDevice(_ node: Node) {
        guard let name = node.scalar?.string, (try? DeviceID(name)) != nil else {
            tell(node, "device: \(name(node)) cannot be the name of a device's folder")
            return configuration.deviceProblem = configuration.problems.last
        }
        configuration.device = name
    }

    private mutating func readASCII(_ node: Node) {
        switch node.scalar?.string {
        case "true", "yes": configuration.isASCII = true
        case "false", "no": configuration.isASCII = false
        default: tell(node, "ascii must be true or false")
        }
    }

    private mutating func readKeys(_ node: Node) {
        for (key, value) in mapping(node, "keys are lines of an action, a colon and its keys") {
            guard let name = key.scalar?.string, Action.named(name) != nil else {
                tell(key, "keys: there is no action \(self.name(key))")
                continue
            }
            var notations: [String] = []
            switch value {
            case .scalar(let scalar): notations = scalar.string.isEmpty ? [] : [scalar.string]
            case .sequence(let keys):
                for key in keys {
                    guard let text = key.scalar?.string else {
                        tell(key, "keys: \(name): a key is a word")
                        continue
                    }
                    notations.append(text)
                }
            default:
                tell(value, "keys: \(name): its keys are a list")
                continue
            }
            let (keymap, problems) = configuration.keymap.overridden(by: [name: notations])
            configuration.keymap = keymap
            for problem in problems { tell(value, "keys: \(problem)") }
        }
    }

    private mutating func readColumns(_ node: Node) {
        for (key, value) in mapping(node, "columns are lines of a pane, a colon and its columns") {
            guard let pane = key.scalar?.string, case .sequence(let items) = value else {
                tell(value, "columns: \(name(key)): its columns are a list")
                continue
            }
            let names = items.compactMap { $0.scalar?.string }
            guard !names.isEmpty, names.count == items.count else {
                tell(value, "columns: \(pane): a column is a word, and there must be one")
                continue
            }
            configuration.columns[pane] = .init(names: names, place: place(value))
        }
    }

    private mutating func readLayout(_ node: Node) {
        let known = Region.sharing.map(\.name).joined(separator: ", ")
        for (key, value) in mapping(node, "layout is lines of a region, a colon and its share") {
            guard
                let region = Region.sharing.first(where: { $0.name == key.scalar?.string })?.region
            else {
                tell(key, "layout: there is no region \(name(key)); there are \(known)")
                continue
            }
            let text = value.scalar?.string ?? ""
            if text == "none" {
                configuration.shares[region] = 0
            } else if let share = Int(text), Region.shareRange.contains(share) {
                configuration.shares[region] = share
            } else {
                tell(
                    value,
                    "layout: \(key.scalar?.string ?? ""): \(name(value)) is neither none nor 10 "
                        + "to 80")
            }
        }
    }
}
