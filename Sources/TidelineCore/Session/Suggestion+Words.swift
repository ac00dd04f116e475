import DocumentStore
import EntityStore
public import Replication
import Tables

extension Suggestion {
    /// The advice, and the command or option that carries it out, in one line.
    public var words: String {
        if let command { return "\(text): \(command)" }
        return addition.map { "\(text) \($0)" } ?? text
    }

    /// The command line that carries out the advice, quoted for a shell.
    public var command: String? {
        switch action {
        case .mergeCopy? where paths.count == 2:
            ShellCommand.line("tideline", "merge", paths[0], paths[1])
        case .importEntities? where paths.count == 2:
            ShellCommand.line("tideline", "entities", "export", paths[1]) + " | "
                + ShellCommand.line("tideline", "entities", "import", paths[0], "-")
        case .appendDocuments? where paths.count == 2:
            ShellCommand.line(
                "tideline", "git", "merge-driver", "/dev/null", paths[0], paths[1],
                DatabaseKind.documents.fileName)
        case .deleteFile? where paths.count == 1: ShellCommand.line("rm", paths[0])
        default: nil
        }
    }

    /// The command or option in the form that is appended to the text.
    private var addition: String? {
        switch action {
        case .mergeCopy?: "(tideline merge)"
        case .appendDocuments?: "(tideline git merge-driver)"
        case .writeAsAnotherDevice?: "with --device"
        case .specifyType?: "(--as)"
        case .writeToPackage?: "with tideline kv, entities, servers or docs"
        case .writeToTable?: "with --raw"
        case .editRows?: "with tideline tables set, insert or delete"
        default: nil
        }
    }
}

extension DeviceStatus {
    /// The problem and the advice, in one line.
    package var advisedProblem: String? {
        guard let problem, let suggestion else { return problem }
        return "\(problem): \(suggestion.words)"
    }
}
