import TidelineCore
import Yams

extension ThemeFile {
    /// Parses a theme.
    ///
    /// - Parameters:
    ///   - yaml: The content of the file, at most 1 MiB.
    ///   - source: The name of the file in messages.
    /// - Throws: ``ThemeError`` with code `.invalid`, including the line and the role.
    public init(yaml: String, source: String) throws {
        guard yaml.utf8.count <= 1 << 20 else {
            throw ThemeError(.invalid, "\(source) is too large for a theme")
        }
        let root: Node?
        do {
            // All values are text. Other resolvers compile regular expressions to guess types.
            root = try Yams.compose(yaml: yaml, .basic)
        } catch {
            let problem = String(describing: error).split(separator: "\n").joined(separator: " ")
            throw ThemeError(
                .invalid, Sanitizer.visible("\(source) is not valid YAML: \(problem)"))
        }
        let reader = Reader(source: source)
        guard let root, case .mapping(let mapping) = root else {
            throw ThemeError(
                .invalid,
                "\(source) is not a theme: expected settings, each as name: value")
        }
        name = ""
        appearance = .dark
        foreground = ThemeColor()
        background = ThemeColor()
        roles = [:]
        for (key, value) in mapping {
            switch key.scalar?.string {
            case "name": name = try reader.text(value, "name")
            case "base": base = try reader.text(value, "base")
            case "appearance":
                guard let known = Appearance(rawValue: try reader.text(value, "appearance")) else {
                    throw reader.error(value, "appearance must be dark or light")
                }
                appearance = known
            case "foreground": foreground = try reader.color(value, "foreground")
            case "background": background = try reader.color(value, "background")
            case "roles": roles = try reader.roles(value)
            default: throw reader.error(key, "unknown setting \(reader.name(key))")
            }
        }
        if name.isEmpty { throw ThemeError(.invalid, "\(source) has no name") }
    }

    /// Parses parts of a file and records the lines of errors.
    private struct Reader {
        let source: String

        func error(_ node: Node, _ problem: String) -> ThemeError {
            let line = node.mark.map { ":\($0.line)" } ?? ""
            return ThemeError(.invalid, Sanitizer.visible("\(source)\(line): \(problem)"))
        }

        func name(_ node: Node) -> String {
            node.scalar.map { "“\($0.string.prefix(40))”" } ?? "a collection"
        }

        func text(_ node: Node, _ subject: String) throws -> String {
            guard let scalar = node.scalar else { throw error(node, "\(subject) must be text") }
            return scalar.string
        }

        func roles(_ node: Node) throws -> [Role: Entry] {
            guard case .mapping(let mapping) = node else {
                throw error(node, "roles must be lines of the form role: style")
            }
            var roles: [Role: Entry] = [:]
            for (key, value) in mapping {
                guard let text = key.scalar?.string, let role = Role(rawValue: text) else {
                    throw error(key, "unknown role \(name(key))")
                }
                guard roles[role] == nil else { throw error(key, "role \(text) is given twice") }
                roles[role] = try entry(value, of: text)
            }
            return roles
        }

        func entry(_ node: Node, of role: String) throws -> Entry {
            guard case .mapping(let mapping) = node else {
                throw error(node, "role \(role) must be a mapping")
            }
            var entry = Entry()
            for (key, value) in mapping {
                switch key.scalar?.string {
                case "background":
                    entry.background = try color(value, "role \(role), background")
                case "attributes": entry.attributes = try attributes(value, role)
                case "monochrome": entry.monochrome = try attributes(value, role)
                case "mark": entry.mark = try mark(value, role, isASCII: false)
                case "ascii": entry.ascii = try mark(value, role, isASCII: true)
                default:
                    guard try tier(key, value, of: "role \(role)", into: &entry.foreground) else {
                        throw error(key, "role \(role): unknown setting \(name(key))")
                    }
                }
            }
            return entry
        }

        /// Parses a color: `terminal`, or a mapping of tiers.
        func color(_ node: Node, _ subject: String) throws -> ThemeColor {
            if node.scalar?.string == "terminal" { return ThemeColor() }
            guard case .mapping(let mapping) = node else {
                throw error(node, "\(subject) must be “terminal” or a mapping")
            }
            var color = ThemeColor()
            for (key, value) in mapping {
                guard try tier(key, value, of: subject, into: &color) else {
                    throw error(key, "\(subject): \(name(key)) is not rgb, c256 or c16")
                }
            }
            return color
        }

        /// Parses the color of a tier; returns `false` if the key isn't a tier.
        func tier(
            _ key: Node, _ value: Node, of subject: String, into color: inout ThemeColor
        ) throws -> Bool {
            let text = value.scalar?.string ?? ""
            switch key.scalar?.string {
            case "rgb":
                guard let rgb = Palette.RGB(text) else {
                    throw error(
                        value, "\(subject): rgb \(name(value)) must have the form “#d7005f”")
                }
                color.rgb = rgb
            case "c256":
                guard let index = UInt8(text) else {
                    throw error(
                        value, "\(subject): c256 \(name(value)) must be a number from 0 to 255")
                }
                color.c256 = index
            case "c16":
                guard let index = Palette.names.firstIndex(of: text) else {
                    throw error(
                        value,
                        "\(subject): c16 \(name(value)) must be one of "
                            + Palette.names.joined(separator: ", "))
                }
                color.c16 = UInt8(index)
            default: return false
            }
            return true
        }

        func attributes(_ node: Node, _ role: String) throws -> Style.Attributes {
            guard case .sequence(let sequence) = node else {
                throw error(node, "role \(role): attributes must be a list")
            }
            var attributes: Style.Attributes = []
            for item in sequence {
                switch item.scalar?.string {
                case "bold": attributes.insert(.bold)
                case "dim": attributes.insert(.dim)
                case "italic": attributes.insert(.italic)
                case "underline": attributes.insert(.underline)
                case "reverse": attributes.insert(.reverse)
                default:
                    throw error(
                        item,
                        "role \(role): \(name(item)) is not bold, dim, italic, underline or "
                            + "reverse")
                }
            }
            return attributes
        }

        func mark(_ node: Node, _ role: String, isASCII: Bool) throws -> String {
            let text = node.scalar?.string ?? ""
            guard text.count <= 1, CharacterWidth.width(of: text) == text.count,
                Sanitizer.visible(text) == text, !isASCII || text.utf8.count == text.count
            else {
                throw error(
                    node,
                    "role \(role): a mark must be one \(isASCII ? "ASCII " : "")character, one column "
                        + "wide")
            }
            return text
        }
    }
}
