import Automerge
import Foundation
import GRDB
import Replication
import TestSupport
import Testing

@testable import DocumentStore

/// A file like those that Core Data creates from the original AutomergeStore's model.
struct OriginalFile {
    let folder: TemporaryFolder
    let path: String
    let workspace = UUID()
    let extra = UUID()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("private.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE ZWORKSPACEMO (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER,
                        Z_OPT INTEGER, ZNAME VARCHAR, ZID BLOB);
                    CREATE TABLE ZCHUNKMO (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                        ZISSNAPSHOT INTEGER, ZSIZE INTEGER, ZWORKSPACE INTEGER, ZDATA BLOB,
                        ZDOCUMENTID BLOB, ZID BLOB, ZWORKSPACEID BLOB);
                    """)
            try db.execute(
                sql: "INSERT INTO ZWORKSPACEMO VALUES (1, 3, 1, 'Plans', ?)",
                arguments: [workspace.data])
        }
        try queue.close()
    }

    var external: URL {
        folder.url.appending(path: ".private_SUPPORT/_EXTERNAL_DATA")
    }

    /// Adds a chunk, inline or as an external file, depending on its length.
    func add(
        _ data: Data, isSnapshot: Bool, to document: UUID, inFile: Bool, suffix: String = ""
    ) throws {
        var stored = Data([1]) + data
        if inFile {
            let name = UUID().uuidString
            try FileManager.default.createDirectory(
                at: external, withIntermediateDirectories: true)
            try data.write(to: external.appending(path: name))
            stored = Data([2]) + Data((name + suffix).utf8)
        }
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(
                sql: "INSERT INTO ZCHUNKMO VALUES (NULL, 1, 1, ?, ?, 1, ?, ?, ?, ?)",
                arguments: [
                    isSnapshot, data.count, stored, document.data, UUID().data, workspace.data,
                ])
        }
        try queue.close()
    }
}

extension UUID {
    fileprivate var data: Data { withUnsafeBytes(of: uuid) { Data($0) } }
}

@Suite struct CoreDataTests {
    private func open(_ file: OriginalFile) throws -> AutomergeStore {
        var configuration = AutomergeStore.Configuration()
        configuration.watchesFolder = false
        return try AutomergeStore(coreData: file.path, configuration: configuration)
    }

    @Test(arguments: [0, 1, 100, 20_000, 1_500_000], [false, true])
    func chunksOfEveryLengthAreReadInlineAndFromFiles(_ length: Int, _ inFile: Bool) throws {
        let file = try OriginalFile()
        let source = Automerge.Document()
        try source.put(
            obj: .ROOT, key: "bytes",
            value: .Bytes(Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 167) })))
        try file.add(source.save(), isSnapshot: true, to: file.workspace, inFile: inFile)
        let heads = source.heads()
        try source.put(obj: .ROOT, key: "more", value: .Int(1))
        // A zero byte after the file name has broken a reader before.
        try file.add(
            source.encodeChangesSince(heads: heads), isSnapshot: false, to: file.workspace,
            inFile: inFile, suffix: "\0")
        let before = try FolderState(of: file.folder.path)
        let store = try open(file)
        #expect(store.workspaces.map(\.name) == ["Plans"])
        #expect(store.chunks(of: file.workspace).map(\.isSnapshot) == [true, false])
        let document = try #require(try store.openDocument(file.workspace))
        #expect(document.automerge.heads() == source.heads())
        #expect(store.problems(of: file.workspace)?.isEmpty == true)
        #expect(try FolderState(of: file.folder.path) == before)
    }

    @Test func coreDataFilesAreNeverWritten() throws {
        let file = try OriginalFile()
        try file.add(
            Automerge.Document().stored().encoded, isSnapshot: true, to: file.workspace,
            inFile: false)
        let store = try open(file)
        #expect(!store.isWritable)
        #expect(throws: DocumentStoreError.self) { try store.newWorkspace() }
        #expect(throws: DocumentStoreError.self) { try store.deleteWorkspace(file.workspace) }
        let document = try #require(try store.openDocument(file.workspace))
        try document.put("a", .Int(1))
        #expect(throws: DocumentStoreError.self) { try store.save() }
    }

    @Test func missingFileIsNamedAndReadOnceItExists() throws {
        let file = try OriginalFile()
        let source = Automerge.Document()
        try source.put(obj: .ROOT, key: "a", value: .Int(1))
        try file.add(source.save(), isSnapshot: true, to: file.workspace, inFile: false)
        let heads = source.heads()
        try source.put(obj: .ROOT, key: "b", value: .Int(2))
        try file.add(
            source.encodeChangesSince(heads: heads), isSnapshot: false, to: file.workspace,
            inFile: true)
        let away = file.folder.url.appending(path: "away")
        try FileManager.default.moveItem(at: file.external, to: away)
        let store = try open(file)
        let document = try #require(try store.openDocument(file.workspace))
        #expect(try document.get("b") == nil)
        #expect(store.problems(of: file.workspace)?.damagedChunks.count == 1)
        try FileManager.default.moveItem(at: away, to: file.external)
        try store.sync()
        #expect(try document.get("b") == .Scalar(.Int(2)))
        #expect(store.problems(of: file.workspace)?.isEmpty == true)
    }

    @Test func fileNamesCannotLeaveTheFolder() throws {
        let file = try OriginalFile()
        let source = Automerge.Document()
        try source.put(obj: .ROOT, key: "a", value: .Int(1))
        try source.save().write(to: file.folder.url.appending(path: "outside"))
        try file.add(source.save(), isSnapshot: true, to: file.workspace, inFile: true)
        let queue = try DatabaseQueue(path: file.path)
        for name in ["../../outside", "../../outside/../outside/../outside!", "", "\0"] {
            try queue.write { db in
                try db.execute(
                    sql: "UPDATE ZCHUNKMO SET ZDATA = ?", arguments: [Data([2]) + Data(name.utf8)])
            }
            #expect(throws: DocumentStoreError.self) {
                try open(file).openDocument(file.workspace)
            }
        }
        try queue.close()
    }
}
