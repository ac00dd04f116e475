import Replication
import TidelineCore

/// The program with which the user merges texts, started as by `git mergetool`.
public struct MergeTool: Hashable, Sendable {
    /// The name or the command, for messages.
    public let name: String
    /// A shell script that runs the tool. Its arguments are the paths of the merged text, the
    /// local, the remote and the base text, and a copy of the merged text.
    public let script: String
    /// Whether the setting is a command, not a name that git knows.
    let isCommand: Bool

    /// Creates a tool from a setting.
    ///
    /// - Parameter setting: The name of a tool that `git mergetool` supports or that git's settings
    ///   define, such as `meld`; or a shell command that uses `$BASE`, `$LOCAL`, `$REMOTE` and
    ///   `$MERGED`. A program's path is a command, too: it gets the variables in its environment.
    public init(_ setting: String) {
        name = setting
        isCommand = setting.contains("$") || setting.contains("/")
        script =
            isCommand
            ? Self.function("export MERGED LOCAL REMOTE BASE\n\(setting)")
            : Self.function(Self.git("merge_tool=\(ShellCommand.word(setting))"))
    }

    /// The tool that `git mergetool` would use: the tool in git's setting `merge.tool`, or an
    /// installed tool.
    public static let ofGit = MergeTool(
        name: "git mergetool", script: function(git("merge_tool=$(get_merge_tool)")))

    private init(name: String, script: String) {
        self.name = name
        self.script = script
        isCommand = false
    }

    /// Returns the body of a script that runs a tool through the functions of `git mergetool`. They
    /// know the options of each tool and the settings of git.
    private static func git(_ choice: String) -> String {
        """
        TOOL_MODE=merge
        tideline_git=$(git --exec-path) || exit 127
        . "$tideline_git/git-mergetool--lib" || exit 127
        \(choice)
        test -n "$merge_tool" || exit 127
        setup_tool "$merge_tool" || { echo "unknown merge tool $merge_tool" >&2; exit 127; }
        run_merge_tool "$merge_tool" "$tideline_has_base"
        """
    }

    private static func function(_ body: String) -> String {
        """
        tideline_merge() {
        MERGED=$1 LOCAL=$2 REMOTE=$3 BASE=$4 BACKUP=$5 tideline_has_base=$6
        \(body)
        }
        tideline_merge
        """
    }
}

/// The texts that are merged with a tool.
public struct MergedTexts: Hashable, Sendable {
    /// The common ancestor; `nil` if there is none.
    public var base: String?
    /// The sides, the winner first. A side that deleted the value is empty.
    public var sides: [String]
    /// The text to start from, if there are two sides.
    public var proposal: String?

    /// Creates the texts.
    public init(base: String?, sides: [String], proposal: String? = nil) {
        self.base = base
        self.sides = sides
        self.proposal = proposal
    }

    /// Whether the texts end with a newline. If not, the newline that tools add is removed.
    var endInNewline: Bool {
        sides.contains(where: \.endsInNewline) || base?.endsInNewline == true
    }
}

extension ExternalEditor {
    /// Lets the user merge texts with a tool. If there are more than two sides, each further side
    /// is merged into the result of the previous sides.
    ///
    /// - Parameter run: Runs a shell command on the terminal with arguments. Returns the exit code,
    ///   or `nil` if the command couldn't be started.
    /// - Throws: ``RequestFailure`` if the tool can't be started, fails, or saves something other
    ///   than text. If the tool has changed files, they are kept, and the message names their
    ///   folder. If the tool doesn't exist, the kind is `.edit(.notFound)`.
    public func merge(
        _ texts: MergedTexts, fileExtension: String, with tool: MergeTool,
        run: (_ command: String, _ arguments: [String]) -> Int32?
    ) throws(RequestFailure) -> String {
        let folder = try makeFolder()
        var written: [String: FileTrace] = [:]
        var status: Int32 = 0
        do throws(RequestFailure) {
            var result = texts.sides.first ?? ""
            for (place, side) in texts.sides.enumerated().dropFirst() {
                func file(_ name: String, _ text: String) throws(RequestFailure) -> String {
                    // The number distinguishes the files of each round.
                    let path = "\(folder)/\(name)-\(place).\(fileExtension)"
                    let isWhole = text.isEmpty || text.endsInNewline
                    try write(isWhole ? text : text + "\n", to: path)
                    return path
                }
                let start = texts.sides.count == 2 ? texts.proposal ?? result : result
                let merged = try file("MERGED", start)
                let arguments = [
                    merged, try file("LOCAL", result), try file("REMOTE", side),
                    try file("BASE", texts.base ?? ""), try file("BACKUP", start),
                    texts.base == nil ? "false" : "true",
                ]
                if place == 1 { written = files(in: folder) }
                guard let code = run(tool.script, arguments) else {
                    throw RequestFailure(.other, "can't run \(tool.name)")
                }
                status = code
                // The shell's code for a missing command.
                guard status != 127 else {
                    throw RequestFailure(.edit(.notFound), "can't find \(tool.name)")
                }
                guard status == 0 else {
                    throw RequestFailure(.other, "\(tool.name) exited with \(status)")
                }
                result = try read(merged)
                if result.endsInNewline, !texts.endInNewline { result.removeLast() }
            }
            removeFolder(folder)
            return result
        } catch {
            throw discard(folder, with: written, after: error, status)
        }
    }
}
