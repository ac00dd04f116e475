import AutoModel
import Foundation
import TestSupport
import Testing

/// Databases with `configuration.closeDelay`.
@Suite(.timeLimit(.minutes(30))) struct IdleClosingTests {
    private let folder: TemporaryFolder
    private var path: String { folder.appending("models.db") }

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> AutoDatabase {
        var configuration = AutoDatabase.Configuration()
        configuration.closeDelay = .milliseconds(20)
        return try opened(path, [Singer.self], configuration)
    }

    /// Whether this process has the file open.
    private var isOpen: Bool {
        let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return links.contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
                == path
        }
    }

    private func waitUntilClosed() async throws {
        try await wait { !isOpen }
    }

    /// Writes as another program would.
    private func writeElsewhere(_ sql: String) throws {
        try runSQL(sql, at: path)
    }

    @Test func idleFileIsClosedAndOpenedByTheNextUse() async throws {
        let database = try open()
        defer { try? database.close() }
        try await database.use {
            let nina = try await Singer.create(id: 1) { $0.name = "Nina" }
            try await nina.save()
            try await waitUntilClosed()
            nina.name = "Nina Simone"
            try await nina.save()
            #expect(try await Singer.fetch(1)?.name == "Nina Simone")
            try await waitUntilClosed()
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        }
    }

    @Test func reopenedFileNoticesCommitsOfOthers() async throws {
        let database = try open()
        defer { try? database.close() }
        try await database.use {
            let nina = try await Singer.create(id: 1) { $0.name = "Nina" }
            try await nina.save()
            try await waitUntilClosed()
            try writeElsewhere("UPDATE Singer SET name = 'Miriam'")
            #expect(try await Singer.fetch(1)?.name == "Miriam" && nina.name == "Miriam")
        }
    }

    @Test func liveListFollowsCommitsOfOthers() async throws {
        let database = try open()
        defer { try? database.close() }
        try await database.use {
            var list = try Singer.all.live().makeAsyncIterator()
            #expect(try await list.next()?.list.count == 0)
            try await waitUntilClosed()
            try writeElsewhere("INSERT INTO Singer (id, name) VALUES (5, 'Odetta')")
            #expect(try await list.next()?.list.map(\.name) == ["Odetta"])
            try await waitUntilClosed()
        }
    }

    @Test func databaseInMemoryKeepsItsContent() async throws {
        var configuration = AutoDatabase.Configuration()
        configuration.closeDelay = .milliseconds(1)
        let database = try opened(":memory:", [Singer.self], configuration)
        defer { try? database.close() }
        try await database.use {
            try await Singer.create(id: 1) { $0.name = "Nina" }.save()
        }
        let file = try open()
        defer { try? file.close() }
        try await waitUntilClosed()
        #expect(try await database.use { try await Singer.all.count() } == 1)
    }
}
