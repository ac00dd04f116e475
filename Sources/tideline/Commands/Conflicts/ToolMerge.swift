import CommandSupport
import Foundation
import KeyValueStore
import Replication
import TidelineCore
import TidelineUI

/// The merge of a key's conflict with the user's merge tool.
struct ToolMerge {
    private let store: KeyValueStore
    private let conflict: KeyValueStore.Conflict
    /// The values of the sides, the winner's first; `nil` for a deletion.
    private let sides: [PropertyList?]
    /// The type of the merged value: the type of the first side that has a value.
    private let kind: TypedText.Kind
    private var name: String { "resolve \(conflict.key)" }

    /// Reads the sides of a conflict.
    ///
    /// - Throws: ``Failure`` if the key isn't in conflict.
    init(of key: String, in store: KeyValueStore) throws {
        let name = "resolve \(key)"
        guard let conflict = try store.conflict(forKey: key) else {
            try Failure.refuseEmpty(key, to: "resolve")
            throw Failure(.noSuchItem, name, "the key is not in conflict")
        }
        if let (device, problem) = conflict.unread.min(by: { $0.key < $1.key }) {
            throw Failure(.badData, name, "the log of \(device) can't be read: \(problem)")
        }
        sides = try conflict.rows.map { try store.value(of: $0) }
        guard let first = sides.lazy.compactMap(\.self).first else {
            throw Failure(.noSuchItem, name, "no side has a value")
        }
        kind = TypedText(first).kind
        self.store = store
        self.conflict = conflict
    }

    /// Starts the tool, shows the result, and resolves the conflict with it.
    ///
    /// - Parameter setting: The tool, as in ``MergeTool/init(_:)``. If empty, the tool of the
    ///   settings or of git.
    func resolve(with setting: String) throws {
        let environment = ProcessInfo.processInfo.environment
        let configured = ConfigurationFile(environment: environment).configuration().mergeTool
        let tool = setting.isEmpty ? configured ?? .ofGit : MergeTool(setting)
        let editor = ExternalEditor(environment: environment)
        let fileExtension = kind == .json ? "json" : "txt"
        let text: String
        do {
            text = try editor.merge(
                try texts(), fileExtension: fileExtension, with: tool, run: Self.run)
        } catch let error as RequestFailure {
            let isMissing = error.kind == .edit(.notFound)
            throw Failure(isMissing ? .invalidRequest : .inputOutput, name, error.message)
        }
        let typed = TypedText(kind, text)
        let value: PropertyList
        do {
            value = try typed.value()
        } catch {
            let kept = editor.keep(text, fileExtension: fileExtension)
            throw Failure(
                .badData, name, error.message,
                suggestion: "nothing was written"
                    + (kept.map { "; the merged text is in \($0)" } ?? ""))
        }
        guard confirms(value) else {
            throw Failure(.noSuchItem, name, "not confirmed: nothing was written")
        }
        // Read new rows. Otherwise, the conflict could be resolved without rows that arrived while
        // the tool was open.
        try store.sync()
        try store.resolve(conflict, with: value)
    }

    private func texts() throws -> MergedTexts {
        func text(_ value: PropertyList?) -> String { value.map { TypedText($0).text } ?? "" }
        let merged = conflict.merge?.value.map { TypedText($0) }
        return MergedTexts(
            base: try conflict.base.map { text(try store.value(of: $0)) }, sides: sides.map(text),
            proposal: merged?.kind == kind ? merged?.text : nil)
    }

    private static func run(_ command: String, _ arguments: [String]) -> Int32? {
        Output.flush()
        return try? ChildProgram(shellCommand: command, arguments: arguments, input: .shared)
            .waitUntilEnd().shellCode
    }

    /// Shows the change and, on a terminal, asks whether to write it.
    private func confirms(_ value: PropertyList) -> Bool {
        for (row, side) in zip(conflict.rows, sides) {
            let shown = side.map(\.description) ?? "deleted"
            Output.note(Printable.line("- \(shown)  (\(row.device))"))
        }
        Output.note(Printable.line("+ \(value)"))
        guard isatty(STDIN_FILENO) == 1 else { return true }
        Output.note("Write this value? [y/N]")
        return readLine()?.lowercased() == "y"
    }
}
