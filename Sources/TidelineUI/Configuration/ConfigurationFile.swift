import Foundation
import Replication
import TidelineCore
import Yams

/// The file of a person's own settings: `tideline/config.yaml` in XDG_CONFIG_HOME or `~/.config`. What
/// may stand in it is said by ``example``.
public struct ConfigurationFile: Sendable {
    /// A file of more bytes says more than there is to say.
    private static let sizeLimit: Int64 = 1 << 20

    /// Where the file is, or would be; `nil` without a home.
    public let path: String?
    private let themes: ThemeLibrary

    /// - Parameter environment: `XDG_CONFIG_HOME` and `HOME` are looked at.
    public init(environment: [String: String]) {
        themes = ThemeLibrary(environment: environment)
        if let config = environment["XDG_CONFIG_HOME"], config.hasPrefix("/") {
            path = config + "/tideline/config.yaml"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            path = home + "/.config/tideline/config.yaml"
        } else {
            path = nil
        }
    }

    /// Whether there is such a file.
    public var exists: Bool { path.map { FileManager.default.fileExists(atPath: $0) } ?? false }

    /// What the file says.
    public func configuration() -> Configuration {
        var configuration = Configuration()
        guard let path else { return configuration }
        let data: Data
        do {
            data = try WholeFile.read(path, limit: Self.sizeLimit)
        } catch {
            if error.code != .notFound { configuration.fail(error.message) }
            return configuration
        }
        guard let text = String(data: data, encoding: .utf8) else {
            configuration.fail("\(path): the file is not UTF-8 text")
            return configuration
        }
        var reader = ConfigurationReader(source: path, themes: themes)
        reader.read(text)
        reader.configuration.problems = reader.configuration.problems.map {
            Sanitizer.visible($0)
        }
        reader.configuration.deviceProblem = reader.configuration.deviceProblem.map {
            Sanitizer.visible($0)
        }
        return reader.configuration
    }

    /// A file that says what every setting is for.
    public static let example = """
        # Tideline's settings. Each may be left out.

        # A theme by name, or the path of a theme's file; :theme shows those that there are. Without
        # one it is tide-light or tide-dark, as the terminal's background is.
        # theme: tide-dark

        # Who writes, where neither --device nor TIDELINE_DEVICE says so.
        # device: desk

        # Draw with ASCII characters only.
        # ascii: false

        # Keys by action: the help (?) names the keys, the palette (:) the actions.
        # keys:
        #   down: [j, Down]
        #   filter: F7       # one key needs no list
        #   delete: []       # no key at all

        # The columns of a pane's list, in their order.
        # columns:
        #   keys: [key, value, age]

        # How many hundredths a region has of what it shares with the list: 10 to 80, or none.
        # layout:
        #   inspector: 40
        #   events: none

        """
}
