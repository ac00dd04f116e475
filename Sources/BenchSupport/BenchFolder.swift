package import Foundation

/// A temporary folder for the files of one run.
package struct BenchFolder {
    package let url = FileManager.default.temporaryDirectory
        .appending(path: "tideline-bench-\(UUID().uuidString)")

    package init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    package func remove() { try? FileManager.default.removeItem(at: url) }
}
