public import Foundation

/// A folder for one test, deleted with the last reference to it.
public final class TemporaryFolder: Sendable {
    public let url: URL

    public var path: String { url.path }

    public init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "tideline-tests-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    public func appending(_ name: String) -> String { url.appending(path: name).path }
}
