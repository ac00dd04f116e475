import TestSupport
import Testing

/// A folder for one test of `tideline`, with a new store package.
struct CommandStage {
    let folder: TemporaryFolder
    /// The path of the package.
    let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = folder.appending("Notes.store")
        let made = try ProgramResult.tideline(["kv", "create", store], home: folder)
        try #require(made.status == 0, "\(made.errors)")
    }
}

/// A suite of tests that each run `tideline` on a new store package.
protocol CommandSuite {
    var stage: CommandStage { get }
}

extension CommandSuite {
    var folder: TemporaryFolder { stage.folder }
    var store: String { stage.store }

    /// Runs `tideline` as a device, or without one.
    func tideline(
        _ arguments: String..., device: String? = "desk", input: String? = nil
    ) throws -> ProgramResult {
        try ProgramResult.tideline(arguments, home: folder, device: device, input: input)
    }
}
