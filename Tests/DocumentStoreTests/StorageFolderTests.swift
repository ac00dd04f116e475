import Automerge
import Foundation
import Replication
import TestSupport
import Testing

@testable import DocumentStore

@Suite struct StorageFolderTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("storage")
    }

    private var configuration: AutomergeStore.Configuration {
        var configuration = AutomergeStore.Configuration()
        configuration.watchesFolder = false
        configuration.scheduler = TestScheduler().scheduler
        return configuration
    }

    private func create() throws -> AutomergeStore {
        try AutomergeStore(creatingStorageFolder: path, configuration: configuration)
    }

    private func open() throws -> AutomergeStore {
        try AutomergeStore(storageFolder: path, configuration: configuration)
    }

    private func files(of id: UUID) throws -> [String] {
        let text = id.automergeID
        let base = "\(path)/\(text.prefix(2))/\(text.dropFirst(2))"
        return try FileManager.default.subpathsOfDirectory(atPath: base)
            .filter { $0.contains("/") }.sorted()
    }

    private func url(_ file: String, of id: UUID) -> URL {
        let text = id.automergeID
        return URL(filePath: "\(path)/\(text.prefix(2))/\(text.dropFirst(2))/\(file)")
    }

    /// Sets a value after which a snapshot is long enough to get increments.
    private func putLongValue(in document: AutomergeStore.Document) throws {
        try document.automerge.put(
            obj: .ROOT, key: "long",
            value: .Bytes(Data((0..<3_000).map { _ in .random(in: 0...255) })))
    }

    @Test(.enabled(if: PythonPeer.isAvailable))
    func savedDocumentIsNoLargerThanTheReference() throws {
        let saved = try PythonPeer.run("save", path)
        #expect(saved.count > 10)
        for (name, described) in saved {
            let file = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
            let document = try Document(file)
            #expect(document.heads().map(\.debugDescription).sorted() == described.heads.sorted())
            let own = document.save()
            // For 400,000 zeros, zlib's output is one byte shorter than Tideline's.
            #expect(own.count <= file.count + 1, "\(name)")
        }
    }

    @Test(.enabled(if: PythonPeer.isAvailable))
    func referenceReadsAndEditsDocumentsWithoutHistory() throws {
        let saved = try PythonPeer.run("save", path)
        #expect(saved.count > 10)
        for name in saved.keys {
            let file = URL(filePath: "\(path)/\(name)")
            let copy = try Document(Data(contentsOf: file)).withoutHistory()
            try copy.save().write(to: file)
            let found = try PythonPeer.runForOne("load", file.path)
            #expect(copy.heads().map(\.debugDescription) == found.heads, "\(name)")
            #expect(Set(copy.keys(obj: .ROOT)) == Set(found.content.keys))
            let edited = try Document(Data(contentsOf: file))
            #expect(edited.getHistory().count == 2)
            #expect(try edited.get(obj: .ROOT, key: "by python") == .Scalar(.String("an edit")))
        }
    }

    // Test vectors of other implementations.
    @Test(arguments: [
        ("4NMNnkMhL8jXrdJ9jamS58PAVdXu", "f1c29c84-74c8-4ade-b800-be47627d33bf"),
        ("2j9knpCseyhnK8izDmLpGP5WMdZQ", "7bf18580-944c-450e-a740-c1f23be047ca"),
        ("K3YptshN5CcFZNpnnXcStizSNPU", "1654a0b5-43b9-48ff-b7fb-83f58f4d1d75"),
        ("1ezULPhgshBPYi4H2MTBoMKwc3S", "00cf851b-c4f4-441d-86d1-27c26774145e"),
        ("11111111111111114Ki9Gx", "00000000-0000-0000-0000-000000000000"),
    ])
    func identifiersMatchOtherImplementations(_ text: String, _ uuid: String) throws {
        let id = try #require(UUID(uuidString: uuid))
        #expect(id.automergeID == text)
        #expect(UUID(automergeID: text) == id)
        #expect(UUID(automergeID: "automerge:\(text)") == id)
        #expect(UUID(automergeID: uuid) == id)
    }

    @Test(arguments: ["badbadbad", "not-base58-encoded", "", "automerge:", "1", "An6Ui6sE1F"])
    func otherTextIsNotAnIdentifier(_ text: String) {
        #expect(UUID(automergeID: text) == nil)
    }

    @Test func filesAreNamedLikeInAutomergeRepo() throws {
        let snapshot = try #require(
            Data(
                hex: "856f4a83e11c83420072011000112233445566778899aabbccddeeff01319d28cab982fa"
                    + "a8c52cd4e57021131898cae44b6f08dcb1c28e2e1737a9811b0601020302130223024002"
                    + "56020815052102230234014202560257038001027f007f017f017f007f007f077f03666f"
                    + "6f7f007f01017f017f366261727f0000"))
        let increment = try #require(
            Data(
                hex: "856f4a83e2288e05015b01319d28cab982faa8c52cd4e57021131898cae44b6f08dcb1c2"
                    + "8e2e1737a9811b1000112233445566778899aabbccddeeff020200000008150534014202"
                    + "560257037002710273027f03666f6f017f017f3662617a7f017f007f01"))
        let document = try Automerge.Document(snapshot)
        #expect(
            StorageFolder.name(isSnapshot: true, snapshot, heads: document.heads())
                == "ba03b31142864060bd7c878a1818ba098dac104c211fff7c9b102fba1cf9c537")
        #expect(
            StorageFolder.name(isSnapshot: false, increment, heads: [])
                == "f6438b3b0e09e61fe44dd6c67c4edc6e54b8ec6d0e2d487cb516b8561b7d104c")
        let heads = [
            "5e0add7fc91e11d830d91c3f3506014f355ca162d48ac50191df74d8e4183b0d",
            "8faabfe620ae0e6291b4f80c21ceb66ea96960c57f74e8dace5abb8c2096ff6d",
        ].compactMap { ChangeHash(hexadecimal: $0) }
        #expect(
            StorageFolder.name(isSnapshot: true, Data(), heads: Set(heads))
                == "581b830b9aab46d0024d40025e26aefcafc14e3e8f8062fffc13aa3dd9bdefc2")
    }

    @Test func documentsAreSnapshotAndIncrementalFiles() throws {
        let store = try create()
        let workspace = try store.newWorkspace()
        #expect(AutomergeStore.isStorageFolder(path))
        let document = try workspace.index
        #expect(!document.automerge.heads().isEmpty)
        for number in 0..<100 { try document.put("key \(number)", .String("some value")) }
        try store.save()
        // A snapshot shorter than 1 KiB is rewritten; a longer one gets increments.
        let first = try files(of: document.id)
        #expect(first.count == 1 && first[0].hasPrefix("snapshot/"))
        let size = try Data(contentsOf: url(first[0], of: document.id)).count
        try #require(size >= 1_024 || store.chunks(of: document.id).count == 1)
        try putLongValue(in: document)
        try store.save()
        try document.put("small", .Int(1))
        try store.save()
        #expect(try files(of: document.id).contains { $0.hasPrefix("incremental/") })
        try store.compact(document.id)
        #expect(try files(of: document.id).count == 1)
        try store.close()
        let again = try open()
        #expect(
            try again.openDocument(document.id)?.automerge.heads() == document.automerge.heads())
    }

    @Test func filesOfARunningProgramAreMergedAndNotDeleted() throws {
        let store = try create()
        let document = try store.newWorkspace().index
        try putLongValue(in: document)
        try store.save()
        let other = try open()
        let copy = try #require(try other.openDocument(document.id))
        try copy.put("by other", .Int(1))
        try other.save()
        let theirs = try #require(
            try files(of: document.id).first { $0.hasPrefix("incremental/") })
        // The file isn't known here yet, so it stays.
        try document.put("mine", .Int(2))
        try store.compact(document.id)
        #expect(try files(of: document.id).contains(theirs))
        try store.sync()
        #expect(try document.get("by other") == .Scalar(.Int(1)))
        try store.compact(document.id)
        #expect(try files(of: document.id).count == 1)
        try other.sync()
        #expect(copy.automerge.heads() == document.automerge.heads())
    }

    @Test func incompleteFileIsKeptUntilItIsComplete() throws {
        let store = try create()
        let document = try store.newWorkspace().index
        try putLongValue(in: document)
        try store.save()
        let other = try Automerge.Document(document.automerge.save())
        let heads = other.heads()
        try other.put(obj: .ROOT, key: "late", value: .Int(1))
        let data = try other.encodeChangesSince(heads: heads)
        let name = "incremental/" + StorageFolder.name(isSnapshot: false, data, heads: [])
        let file = url(name, of: document.id)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        for length in [0, 1, 9, 40, data.count - 1] {
            try data.prefix(length).write(to: file)
            try store.sync()
            #expect(store.problems(of: document.id)?.damagedChunks.keys.sorted() == [name])
            try document.put("edit", .Int(Int64(length)))
            try store.save()
            try store.compact(document.id)
            #expect(try Data(contentsOf: file) == data.prefix(length))
        }
        try data.write(to: file)
        try store.sync()
        #expect(store.problems(of: document.id)?.isEmpty == true)
        #expect(try document.get("late") == .Scalar(.Int(1)))
    }

    // samod writes a snapshot only after more than ten changes.
    @Test func documentWithoutSnapshotIsOpenedOnceItsFirstDeltaArrives() throws {
        try create().close()
        let document = Document()
        let deltas = try (0..<3).map { number in
            try document.put(obj: .ROOT, key: "\(number)", value: .Int(Int64(number)))
            return document.encodeNewChanges()
        }
        let id = UUID()
        func write(_ delta: Data) throws {
            let name = StorageFolder.name(isSnapshot: false, delta, heads: [])
            let file = url("incremental/\(name)", of: id)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try delta.write(to: file)
        }
        for delta in deltas.dropFirst() { try write(delta) }
        let store = try open()
        #expect(throws: DocumentStoreError.self) { try store.openDocument(id) }
        #expect(try store.workspaces.flatMap { try $0.documents }.isEmpty)
        try write(deltas[0])
        try store.sync()
        let opened = try #require(try store.openDocument(id))
        #expect(opened.automerge.heads() == document.heads())
        #expect(store.documentSummary(id)?.canBeOpened == true)
        try store.compact(id)
        #expect(try files(of: id).count == 1)
    }

    @Test func deletingADocumentDeletesOnlyItsFiles() throws {
        let store = try create()
        let kept = try store.newWorkspace()
        let gone = try store.newWorkspace()
        let state = url("sync-state/peer", of: gone.id)
        try FileManager.default.createDirectory(
            at: state.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data([0x43, 0]).write(to: state)
        try store.deleteWorkspace(gone.id)
        #expect(try files(of: gone.id).isEmpty)
        #expect(store.workspaces.map(\.id) == [kept.id])
        #expect(try open().workspaces.map(\.id) == [kept.id])
        #expect(throws: DocumentStoreError.self) { try store.newDocument(in: kept.id) }
        #expect(throws: DocumentStoreError.self) {
            try store.renameWorkspace(kept.id, to: "name")
        }
    }

    @Test(arguments: [
        ("subduction", ["subduction/commits/a1/x", "subduction/ids/a1"], 1),
        ("su/bduction", ["su/bduction/ids/a1", "su/bduction/fragments/b2/x"], 2),
        ("su/bduction-interceptor-v2", ["su/bduction-interceptor-v2/blobs/a1/x"], 1),
        ("sd/n", ["sd/n/i/a1", "sd/n/c/a1/x", "sd/n/fb/a1/x"], 1),
        ("trees", ["trees/a1b2/commits/x", "trees/c3d4/fragments/x"], 2),
        ("trees", ["trees/a1/b2c3/commits/x/y.meta"], 1),
    ])
    func subductionStorageIsReported(place: String, files: [String], count: Int) throws {
        for file in files {
            let url = URL(filePath: "\(path)/\(file)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data([1]).write(to: url)
        }
        #expect(AutomergeStore.isStorageFolder(path))
        let store = try open()
        #expect(store.documentSummaries().isEmpty)
        let problem = try #require(store.unexpectedItems.first)
        #expect(store.unexpectedItems.count == 1)
        #expect(
            problem.hasPrefix(
                "\(place): \(count) document\(count == 1 ? "" : "s") in the layout of"))
    }

    @Test(arguments: [(".", ".icloud"), ("", ".nextcloud")])
    func chunkThatIsNotDownloadedIsReported(start: String, end: String) throws {
        let store = try create()
        let document = try store.newWorkspace().index
        let id = document.id
        try store.save()
        try store.close()
        let name = try #require(try files(of: id).first?.split(separator: "/").last)
        let placeholder = "\(start)\(name)\(end)"
        try FileManager.default.moveItem(
            at: url("snapshot/\(name)", of: id), to: url("snapshot/\(placeholder)", of: id))
        let problems = try open().unexpectedItems
        #expect(problems.count == 1)
        #expect(
            problems.first?.hasSuffix(
                "/snapshot/\(placeholder): a sync service has not downloaded this chunk") == true)
    }

    @Test func foldersWithSimilarNamesAreNotSubductionStorage() throws {
        for folder in ["su/bduction/notes", "sd/card/c", "trees/oak/leaves", "subduction"] {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
        }
        #expect(!AutomergeStore.isStorageFolder(path))
    }

    @Test func symbolicLinksAreNotFollowed() throws {
        let store = try create()
        let document = try store.newWorkspace().index
        try document.put("title", .String("one"))
        try store.close()
        let outside = folder.appending("outside")
        try FileManager.default.createDirectory(
            atPath: outside, withIntermediateDirectories: true)
        let snapshots = url("snapshot", of: document.id)
        try FileManager.default.moveItem(atPath: snapshots.path, toPath: outside + "/snapshot")
        try FileManager.default.createSymbolicLink(
            atPath: snapshots.path, withDestinationPath: outside + "/snapshot")
        #expect(try open().workspaces.isEmpty)
    }

    @Test func prefixFolderMayDifferInCase() throws {
        let store = try create()
        let id = try #require(UUID(automergeID: "2j9knpCseyhnK8izDmLpGP5WMdZQ"))
        _ = try store.newWorkspace(id, index: nil)
        try store.close()
        try FileManager.default.moveItem(atPath: "\(path)/2j", toPath: "\(path)/2J")
        let again = try open()
        #expect(again.workspaces.map(\.id) == [id])
        try #require(try again.openDocument(id)).put("more", .Int(1))
        try again.save()
        #expect(!FileManager.default.fileExists(atPath: "\(path)/2j"))
    }

    @Test func folderChangesAreReported() async throws {
        let store = try create()
        let document = try store.newWorkspace().index
        let watching = try AutomergeStore(storageFolder: path)
        let copy = try #require(try watching.openDocument(document.id))
        let events = watching.events()
        try document.put("title", .String("told"))
        try store.save()
        for await event in events {
            if case .documentChanged(document.id, by: _) = event { break }
        }
        #expect(try copy.get("title") == .Scalar(.String("told")))
    }

    @Test func changesAreReportedAfterTheParentFolderIsReplaced() async throws {
        let parent = folder.appending("parent")
        let path = parent + "/storage"
        let files = FileManager.default
        try files.createDirectory(atPath: parent, withIntermediateDirectories: false)
        let store = try AutomergeStore(creatingStorageFolder: path, configuration: configuration)
        let id = try store.newWorkspace().id
        let watching = try AutomergeStore(storageFolder: path)
        let copy = try #require(try watching.openDocument(id))
        let events = watching.events()
        try files.copyItem(atPath: parent, toPath: folder.appending("new"))
        try files.moveItem(atPath: parent, toPath: folder.appending("old"))
        try files.moveItem(atPath: folder.appending("new"), toPath: parent)
        let document = try #require(try store.openDocument(id))
        try document.put("title", .String("new"))
        try store.save()
        for await event in events {
            if case .documentChanged(id, by: _) = event { break }
        }
        #expect(try copy.get("title") == .Scalar(.String("new")))
    }

    @Test(.enabled(if: PythonPeer.isAvailable))
    func folderOfAnotherProgramIsReadCorrectly() throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        let expected = try PythonPeer.run("write", path)
        let before = try FolderState(of: path)
        #expect(AutomergeStore.isStorageFolder(path))
        let store = try open()
        #expect(Set(store.documentSummaries().map(\.id.automergeID)) == Set(expected.keys))
        for (name, described) in expected {
            let id = try #require(UUID(automergeID: name))
            let document = try #require(try store.openDocument(id))
            #expect(document.automerge.heads().map(\.debugDescription).sorted() == described.heads)
            for (key, value) in described.content {
                #expect(try document.get(key) == .Scalar(.String(value)))
            }
        }
        #expect(try FolderState(of: path) == before)
    }

    @Test(.enabled(if: PythonPeer.isAvailable))
    func otherProgramReadsWrittenFolder() throws {
        let store = try create()
        var documents: [AutomergeStore.Document] = []
        for number in 0..<3 {
            let document = try store.newWorkspace().index
            documents.append(document)
            for round in 0..<(5 + number * 40) {
                try document.put("key \(round % 20)", .String("value \(round) \(UUID())"))
                try store.save()
            }
        }
        func check(_ found: [String: PythonPeer.Described]) {
            for document in documents {
                let theirs = found[document.id.automergeID]
                let heads = document.automerge.heads().map(\.debugDescription).sorted()
                #expect(theirs?.heads == heads)
                #expect(theirs?.misnamed == nil)
                #expect(theirs?.files?.sorted() == store.chunks(of: document.id).map(\.id).sorted())
            }
        }
        check(try PythonPeer.run("read", path))
        for document in documents {
            // The other program adds a change, then each side combines the chunks.
            let edited = try PythonPeer.runForOne("edit", path, document.id.automergeID)
            try store.sync()
            #expect(document.automerge.heads().map(\.debugDescription) == edited.heads)
            try document.put("after", .String("python"))
            try store.save()
            try store.compact(document.id)
        }
        check(try PythonPeer.run("read", path))
        for document in documents {
            try document.put("more", .String("once"))
            try store.save()
            _ = try PythonPeer.runForOne("compact", path, document.id.automergeID)
            try store.sync()
            try document.put("more", .String("again"))
            try store.save()
        }
        check(try PythonPeer.run("read", path))
    }
}

extension Data {
    init?(hex: String) {
        var bytes: [UInt8] = []
        var digits = Substring(hex)
        while !digits.isEmpty {
            guard let byte = UInt8(digits.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        self.init(bytes)
    }
}
