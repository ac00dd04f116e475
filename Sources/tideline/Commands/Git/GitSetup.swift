import ArgumentParser
import CommandSupport
import Foundation
import Replication
import TidelineCore

struct GitSetup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Print or add the git settings for showing and merging stores.",
        discussion: """
            Prints the file attributes and the settings. With --write, adds the attributes to \
            .gitattributes at the top of the repository, and the settings to the repository. With \
            --global, they apply to all repositories of the user. Every clone of a repository needs \
            the settings.

            Example: tideline git setup --write
            """)
    @Flag(help: "Set up all repositories of the user.") var global = false
    @Flag(help: "Add the attributes and settings.") var write = false

    private static let attributes = [
        "*.automerge", "*.db", "*.sqlite", "*.sqlite3",
    ].map { "\($0) -text diff=tideline merge=tideline" }

    /// The names and values of the settings.
    private static func settings(of program: String) -> [(name: String, value: String)] {
        [
            ("diff.tideline.textconv", "\(program) git textconv --"),
            ("merge.tideline.name", "merge the files of Tideline's stores"),
            ("merge.tideline.driver", "\(program) git merge-driver -- %O %A %B %P"),
            // The driver doesn't need a common ancestor, so git doesn't have to merge several
            // common ancestors into one.
            ("merge.tideline.recursive", "binary"),
        ]
    }

    func run() async throws {
        let settings = Self.settings(of: Self.program)
        guard write else {
            Output.text("# \(global ? "~/.config/git/attributes" : ".gitattributes")")
            for line in Self.attributes { Output.text(line) }
            Output.text("\n# settings")
            for (name, value) in settings {
                let scope = global ? "--global " : ""
                Output.text("git config \(scope)\(name) \(ShellCommand.word(value))")
            }
            return
        }
        let file =
            global
            ? try await Self.globalAttributes()
            : try await Self.topFolder() + "/.gitattributes"
        for (name, value) in settings {
            let arguments = ["config"] + (global ? ["--global"] : []) + [name, value]
            let git = try ChildProgram(shellCommand: "exec git", arguments: arguments)
            guard await git.ending() == .code(0) else {
                throw Failure(.inputOutput, "git config \(name)", "git failed")
            }
        }
        let added = try addAttributes(to: file)
        Output.note(
            added == 0
                ? "\(file) already has the attributes"
                : "\(Counted.text(added, "line")) added to \(file)")
    }

    /// The program in the form for git's configuration: its name if the program is in `PATH`.
    private static var program: String {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let isFound = path.split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/tideline")
        }
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return isFound ? "tideline" : ShellCommand.word(own ?? "tideline")
    }

    /// The maximum number of bytes in a file of attributes. Git's own limit is 100 MB.
    private static let attributesLimit: Int64 = 100 << 20

    /// Adds the missing lines to a file of attributes.
    private func addAttributes(to path: String) throws -> Int {
        let bytes: Data
        do {
            bytes = try WholeFile.read(path, limit: Self.attributesLimit)
        } catch {
            guard error.code == .notFound else { throw Failure(error, while: path) }
            bytes = Data()
        }
        let old = String(decoding: bytes, as: UTF8.self)
        let present = Set(old.split(whereSeparator: \.isNewline).map(String.init))
        let missing = Self.attributes.filter { !present.contains($0) }
        guard !missing.isEmpty else { return 0 }
        // A file from Windows keeps its line ends.
        let end = old.first(where: \.isNewline) == "\r\n" ? "\r\n" : "\n"
        let start = old.isEmpty || old.last?.isNewline == true ? "" : end
        // If this fails, writing the file fails with the reason.
        try? FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Failure.of(path) {
            let added = Data((start + missing.map { $0 + end }.joined()).utf8)
            try WholeFile.write(bytes + added, to: path)
        }
        return missing.count
    }

    /// Returns the top folder of the repository whose settings git changes. `GIT_DIR` and other
    /// variables can name another repository than the one that contains the current folder.
    private static func topFolder() async throws -> String {
        let (ending, folder) = try await output(ofGit: "rev-parse", "--show-toplevel")
        switch ending {
        case .code(0): return folder
        case .code(128):
            throw Failure(
                .invalidRequest, FileManager.default.currentDirectoryPath,
                "not in a work tree of a git repository",
                suggestion: "--global sets up all repositories")
        default: throw Failure(.inputOutput, "git rev-parse", "git failed")
        }
    }

    private static func globalAttributes() async throws -> String {
        // The command fails and prints nothing if the setting doesn't exist.
        let set = try await output(
            ofGit: "config", "--type=path", "--get", "core.attributesFile"
        ).text
        if !set.isEmpty { return set }
        let environment = ProcessInfo.processInfo.environment
        let folder =
            environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            ?? "\(environment["HOME"] ?? "")/.config"
        return "\(folder)/git/attributes"
    }

    /// Runs git, and returns its output without the last line break.
    private static func output(
        ofGit arguments: String...
    ) async throws -> (ending: ChildProgram.Ending, text: String) {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "tideline-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let ending = try await ChildProgram(
            path: "/bin/sh",
            arguments: ["-c", "file=$1; shift; exec git \"$@\" > \"$file\"", "sh", file.path]
                + arguments
        ).ending()
        let text = try String(contentsOf: file, encoding: .utf8)
        return (ending, text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
}
