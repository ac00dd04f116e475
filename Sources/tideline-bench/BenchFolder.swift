import Foundation

/// A folder for the files of one run.
struct BenchFolder {
    let url = FileManager.default.temporaryDirectory
        .appending(path: "tideline-bench-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: url) }
}
