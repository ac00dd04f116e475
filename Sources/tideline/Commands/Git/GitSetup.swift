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
            let result = try await Self.git(arguments)
            guard result.ending == .code(0) else { throw result.failure("git config \(name)") }
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
        let result = try await git(["rev-parse", "--show-toplevel"])
        if result.ending == .code(0) { return result.text }
        let isOutside = ["not a git repository", "must be run in a work tree"].contains {
            result.errors.contains($0)
        }
        guard isOutside else { throw result.failure("git rev-parse") }
        throw Failure(
            .invalidRequest, FileManager.default.currentDirectoryPath,
            "not in a work tree of a git repository",
            suggestion: "--global sets up all repositories")
    }

    private static func globalAttributes() async throws -> String {
        // The command fails and prints nothing if the setting doesn't exist.
        let set = try await git(["config", "--type=path", "--get", "core.attributesFile"]).text
        if !set.isEmpty { return set }
        let environment = ProcessInfo.processInfo.environment
        let folder =
            environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            ?? "\(environment["HOME"] ?? "")/.config"
        return "\(folder)/git/attributes"
    }

    /// The result of a run of git.
    private struct GitResult {
        let ending: ChildProgram.Ending
        /// The output without the last line break.
        let text: String
        /// The errors, in English.
        let errors: String

        /// Returns the failure with git's reason.
        func failure(_ what: String) -> Failure {
            let line = errors.split(separator: "\n").first.map(String.init) ?? "git failed"
            let mark = ["fatal: ", "error: "].first { line.hasPrefix($0) } ?? ""
            return Failure(
                .inputOutput, what, Printable.line(String(line.dropFirst(mark.count))))
        }
    }

    /// Runs git.
    private static func git(_ arguments: [String]) async throws -> GitResult {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "tideline-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (output, errors) = (folder.appending(path: "output"), folder.appending(path: "errors"))
        let command = "o=$1 e=$2; shift 2; LC_ALL=C exec git \"$@\" > \"$o\" 2> \"$e\""
        let ending = try await ChildProgram(
            path: "/bin/sh", arguments: ["-c", command, "sh", output.path, errors.path] + arguments
        ).ending()
        let text = try String(contentsOf: output, encoding: .utf8)
        return GitResult(
            ending: ending, text: text.hasSuffix("\n") ? String(text.dropLast()) : text,
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
}
