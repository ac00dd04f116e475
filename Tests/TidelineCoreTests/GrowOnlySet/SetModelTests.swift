import Foundation
import GrowOnlySet
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// A data model that only this test target knows: its library, ``SetModel`` and a list of models
/// with it are enough for a pane, the counts, the file check and merging.
@Suite(.timeLimit(.minutes(30))) struct SetModelTests {
    private let folder: TemporaryFolder
    private let package: StorePackage
    private let models = DataModels.standard + [SetModel()]

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Shopping.store"))
        try write("milk", "bread", as: "ben")
    }

    private func write(
        _ elements: String..., as device: String, in package: StorePackage? = nil
    ) throws {
        let set = GrowOnlySet(package: package ?? self.package, device: try DeviceID(device))
        try set.load()
        for element in elements { set.insert(element) }
        try set.close()
    }

    private func path(_ device: String) throws -> String {
        try package.device(DeviceID(device)).path(of: .set)
    }

    private func session(
        _ models: [any DataModel], at path: String? = nil
    ) throws -> any StoreSession {
        var opener = StoreOpener(device: try DeviceID("anna"))
        opener.models = models
        return try opener.open(path ?? package.path)
    }

    private func differences(from old: String, to new: String) async throws -> [String] {
        let stores = try StoreComparison(from: .init(old), to: .init(new), models: models)
        var found: [String] = []
        for comparison in try await stores.comparisons() {
            try await comparison.forEach { difference in
                found.append("\(difference.change.words) \(difference.to.value?.text ?? "")")
            } warn: { _, problem in
                found.append(problem)
            }
        }
        return found
    }

    @Test func registeredModelHasAPaneThatFollowsOtherDevices() async throws {
        let session = try session(models)
        let events = EventLog(session)
        let source = try #require(session.panes.first { $0.id == .set }).source
        func names() async throws -> [String] {
            try await source.window(WindowRequest(query: RowQuery(), count: 10)).rows.map(\.id.name)
        }
        while session.status.counts[.set] != 2 { _ = await events.next { _ in true } }
        #expect(try await names() == ["bread", "milk"])
        try write("tea", as: "cleo")
        let change = await events.nextChange(of: .set)
        #expect(change?.kind == .changed(.set, rows: [RowID("tea"): .new], isOwn: false))
        #expect(try await names() == ["bread", "milk", "tea"])
        #expect(session.status.devices.map(\.id.name).sorted() == ["ben", "cleo"])
        #expect(session.status.devices.allSatisfy { $0.state == "ok" })
        await session.close()
    }

    @Test func paneOfARegisteredModelFollowsTheOtherData() async throws {
        let session = try session(models)
        let panes = session.panes
        #expect(
            panes.map(\.id) == [.keys, .log, .conflicts, .set, .devices, .blobs, .problems])
        #expect(panes.filter { $0.group == .data }.map(\.number) == [1, 2, 3, 6])
        #expect(panes.filter { $0.group == .package }.map(\.number) == [7, 8, 9])
        await session.close()
    }

    @Test func unregisteredModelHasNoPane() async throws {
        let session = try session(DataModels.standard)
        #expect(!session.panes.contains { $0.id == .set })
        await session.close()
    }

    @Test func infoCountsTheRowsOfTheModel() throws {
        let info = try StoreInfo(of: package.path, models: models)
        #expect(info.counts["elements"] == 2)
        #expect(info.devices.map(\.id.name) == ["ben"])
        #expect(info.devices.first?.rows == 2)
        #expect(try StoreInfo(of: package.path).counts["elements"] == nil)
    }

    @Test func fileCheckExaminesTheModelsDatabases() throws {
        let doctor = Doctor(package.path, own: nil, models: models)
        #expect(try doctor.examine().isEmpty)
        try write("", as: "cleo")
        #expect(try doctor.examine().map(\.code) == ["empty-element"])
        try runSQL("DELETE FROM element WHERE id = 1", at: path("ben"))
        let found = try #require(try doctor.examine().first)
        #expect(found.code == "gap" && found.device?.name == "ben")
        #expect(found.file == "Devices/ben/Set.db")
        #expect(try Doctor(package.path, own: nil).examine().isEmpty)
    }

    @Test func conflictCopyIsDeletedOnlyIfItHasTheSameBytes() throws {
        let copy = "Set (conflicted copy).db"
        let path = try path("ben")
        try FileManager.default.copyItem(
            atPath: path, toPath: path.replacing("Set.db", with: copy))
        let known = try Doctor(package.path, own: nil, models: models).examine()
        #expect(known.map(\.code) == ["conflict-copy"])
        #expect(known.first?.command?.hasPrefix("rm ") == true)
        let unknown = try Doctor(package.path, own: nil).examine()
        #expect(unknown.map(\.code) == ["conflict-copy"])
        #expect(unknown.first?.command?.hasPrefix("rm ") == true)
        // Data that only the copy has may be valuable to a program that knows it.
        try write("tea", as: "ben")
        let changed = try Doctor(package.path, own: nil).examine()
        #expect(changed.map(\.code) == ["conflict-copy"])
        #expect(changed.first?.command?.hasPrefix("tideline diff ") == true)
    }

    @Test func dataMissingFromAStoreIsListed() throws {
        let other = folder.appending("Other.store")
        try FileManager.default.copyItem(atPath: package.path, toPath: other)
        let copy = try StorePackage(opening: other)
        #expect(try models.databasesWithMore(in: copy, than: package).isEmpty)
        try write("tea", as: "ben")
        #expect(try models.databasesWithMore(in: copy, than: package).isEmpty)
        let found = try models.databasesWithMore(in: package, than: copy)
        #expect(found.map(\.path) == [try path("ben")])
        #expect(found.first?.suggestion == "add its elements again")
    }

    @Test func storesAreComparedByTheModel() async throws {
        let other = folder.appending("Other.store")
        try FileManager.default.copyItem(atPath: package.path, toPath: other)
        try write("tea", as: "ben")
        #expect(try await differences(from: other, to: package.path) == ["added tea"])
    }

    @Test func singleFileIsAStoreOfTheModel() async throws {
        let file = folder.appending("Ben.db")
        try FileManager.default.copyItem(atPath: path("ben"), toPath: file)
        let info = try StoreInfo(of: file, models: models)
        #expect(info.kind == "set" && info.counts == ["elements": 2])
        #expect(try StoreInfo(of: file).kind == "tables")
        let session = try session(models, at: file)
        #expect(session.panes.map(\.id) == [.tables, .queries])
        await session.close()
        try write("tea", as: "ben")
        #expect(try await differences(from: file, to: path("ben")) == ["added tea"])
        #expect(try Doctor(file, own: nil, models: models).examine().isEmpty)
        try runSQL("DELETE FROM element WHERE id = 1", at: file)
        #expect(try Doctor(file, own: nil, models: models).examine().first?.code == "gap")
    }

    @Test func newerVersionOfTheModelsDatabaseWinsAMerge() throws {
        let old = folder.appending("old.db")
        try FileManager.default.copyItem(atPath: path("ben"), toPath: old)
        try write("tea", as: "ben")
        var merge = try FileMerge(
            base: "", ours: old, theirs: path("ben"), path: "Devices/ben/Set.db")
        merge.models = models
        guard case .merged(let content, _) = try merge.outcome() else {
            Issue.record("the versions are in conflict")
            return
        }
        #expect(try Data(contentsOf: URL(filePath: path("ben"))) == content)
        merge.models = DataModels.standard
        guard case .conflict = try merge.outcome() else {
            Issue.record("a database of an unknown kind was merged")
            return
        }
    }

    @Test func versionThatOnlyRemovesRowsOfTheModelsDatabaseIsAConflict() throws {
        let (old, base) = (folder.appending("old.db"), folder.appending("base.db"))
        try FileManager.default.copyItem(atPath: path("ben"), toPath: old)
        try write("tea", as: "ben")
        try FileManager.default.copyItem(atPath: path("ben"), toPath: base)
        try write("salt", as: "ben")
        var merge = try FileMerge(
            base: base, ours: path("ben"), theirs: old, path: "Devices/ben/Set.db")
        merge.models = models
        guard case .conflict(let reason) = try merge.outcome() else {
            Issue.record("the version without tea was merged")
            return
        }
        #expect(reason.contains("lacks writes"))
    }
}
