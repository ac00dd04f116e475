import Foundation
import Replication
import TidelineCore

/// The user's configuration file: `tideline/config.yaml` in `$XDG_CONFIG_HOME` or `~/.config`. For
/// its format, see ``example``.
public struct ConfigurationFile: Sendable {
    /// The maximum file size, in bytes.
    private static let sizeLimit: Int64 = 1 << 20

    /// The path of the file, whether or not it exists.
    public let path: String
    private let themes: ThemeLibrary

    /// Creates a reference to the configuration file.
    ///
    /// - Parameter environment: The environment; `XDG_CONFIG_HOME` and `HOME` locate the file.
    public init(environment: [String: String]) {
        themes = ThemeLibrary(environment: environment)
        path = Self.folder(environment) + "/config.yaml"
    }

    /// Returns the folder of the user's configuration. Without `HOME`, it is in the home folder of
    /// the user's account, like the state folder.
    static func folder(_ environment: [String: String]) -> String {
        if let config = environment["XDG_CONFIG_HOME"], config.hasPrefix("/") {
            return config + "/tideline"
        }
        return UserPath.home(environment) + "/.config/tideline"
    }

    /// Whether the file exists.
    public var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// The symbolic link in ``path`` whose target is missing, for example because a disk is not
    /// mounted. The settings then exist, but can't be read.
    private var brokenLink: String? {
        let files = FileManager.default
        var place = path
        while place.count > 1, !files.fileExists(atPath: place) {
            if (try? files.destinationOfSymbolicLink(atPath: place)) != nil { return place }
            place = URL(filePath: place).deletingLastPathComponent().path
        }
        return nil
    }

    /// Reads the settings. Problems are part of the result.
    public func configuration() -> Configuration {
        var configuration = Configuration()
        let data: Data
        do {
            data = try WholeFile.read(path, limit: Self.sizeLimit)
        } catch {
            if error.code != .notFound {
                configuration.fail(error.message)
            } else if let link = brokenLink {
                configuration.fail("\(link): a symbolic link to a missing file or folder")
            }
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

    /// An example file that explains every setting.
    public static let example = """
        # Tideline's settings. All are optional.

        # A theme name, or the path of a theme file. To see the themes, type :theme. The default is
        # tide-light or tide-dark, depending on the terminal's background.
        # theme: tide-dark

        # The device that writes, if neither --device nor TIDELINE_DEVICE is set.
        # device: desk

        # Draw with ASCII characters only.
        # ascii: false

        # Keys by action. Help (?) lists the keys, and the palette (:) lists the names of the actions.
        # keys:
        #   down: [j, Down]
        #   filter: F7       # a single key doesn't need a list
        #   delete: []       # no key

        # The columns of a pane's list, in order.
        # columns:
        #   keys: [key, value, age]

        # Panel sizes (10 to 80), in percent of the space that the panel and the list share, or none
        # to hide a panel.
        # layout:
        #   inspector: 40
        #   events: none

        # The tool that merges conflicts instead of $EDITOR. A name that 'git mergetool' knows, the
        # path of a program, or a shell command that uses $BASE, $LOCAL, $REMOTE and $MERGED.
        # merge-tool: meld

        # How alerts draw attention: bell, or a desktop notification. For osc9 and osc777, the
        # terminal must support these sequences. notify-send runs the program with this name.
        # alerts: bell

        # Rules for resolving many conflicts (M): names with *, and the side to keep. The first rule
        # that applies to a conflict decides. Names that start with * need quotes.
        # resolve:
        #   settings/*: newest
        #   note/*/title: as desk
        #   '*': merge         # if the changes don't overlap

        # Custom commands, by name. The placeholders {path}, {pane}, {row}, {value} and {device}
        # stand for the store, the pane and the selected row. Values are never split.
        # commands:
        #   row-log:
        #     run: tideline log {path} --key={row}
        #     title: Log of this key
        #     key: X
        #     panes: [keys, log, conflicts]
        #   value-jq:
        #     run: printf %s {value} | jq '.'
        #     title: Value in jq
        #     key: V
        #     shell: true        # run it with /bin/sh
        #     output: popup      # or terminal, or none
        #     reload: false      # whether to read the store's files again afterward
        """
}
