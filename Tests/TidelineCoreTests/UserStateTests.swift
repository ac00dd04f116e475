import Foundation
import Replication
import Synchronization
import TestSupport
import Testing

@testable import TidelineCore

@Suite struct UserStateTests {
    @Test func concurrentFirstRunsCreateOneIdentifier() throws {
        for _ in 0..<20 {
            let folder = try TemporaryFolder()
            let environment = ["XDG_STATE_HOME": folder.appending("state")]
            let found = Mutex<[DeviceID]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                let state = UserState(environment: environment)
                guard let device = try? state.deviceForWriting(option: nil, environment: [:]) else {
                    return
                }
                found.withLock { $0.append(device) }
            }
            let devices = found.withLock { $0 }
            #expect(devices.count == 8)
            #expect(Set(devices).count == 1)
            let kept = try UserState(environment: environment).device(option: nil, environment: [:])
            #expect(kept == devices.first)
        }
    }

    @Test func emptyFileOfAnInterruptedFirstRunIsFilled() throws {
        let folder = try TemporaryFolder()
        let environment = ["XDG_STATE_HOME": folder.path]
        try FileManager.default.createDirectory(
            atPath: folder.appending("tideline"), withIntermediateDirectories: false)
        try Data().write(to: URL(filePath: folder.appending("tideline/device")))
        let state = UserState(environment: environment)
        #expect(try state.device(option: nil, environment: [:]) == nil)
        let made = try state.deviceForWriting(option: nil, environment: [:])
        #expect(try state.device(option: nil, environment: [:]) == made)
    }

    @Test(arguments: ["../desk", "desk\nphone\n", ".desk"])
    func invalidSavedDeviceIsRefusedWithThePathOfItsFile(_ content: String) throws {
        let folder = try TemporaryFolder()
        let file = folder.appending("tideline/device")
        try FileManager.default.createDirectory(
            atPath: folder.appending("tideline"), withIntermediateDirectories: false)
        try Data(content.utf8).write(to: URL(filePath: file))
        let state = UserState(environment: ["XDG_STATE_HOME": folder.path])
        let error = #expect(throws: (any Error).self) {
            try state.deviceForWriting(option: nil, environment: [:])
        }
        #expect((error as? any ExplainedError)?.subject == file)
        #expect(try Data(contentsOf: URL(filePath: file)) == Data(content.utf8))
    }

    @Test func onlyTheOwnerCanReadTheFiles() throws {
        let folder = try TemporaryFolder()
        let state = UserState(environment: ["XDG_STATE_HOME": folder.path])
        _ = try state.deviceForWriting(option: nil, environment: [:])
        state.rememberStore("/Notes.store")
        try state.view(ofStoreAt: "/Notes.store").keep(StoreView())
        let names = try FileManager.default.subpathsOfDirectory(atPath: state.path)
        #expect(names.count >= 3)
        for name in names {
            let file = try FileManager.default.attributesOfItem(atPath: "\(state.path)/\(name)")
            guard file[.type] as? FileAttributeType == .typeRegular else { continue }
            #expect(file[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test func relativeHomeIsReplacedByTheFolderOfTheAccount() {
        let account = UserState(environment: [:]).path
        #expect(account.hasPrefix("/") && account.hasSuffix("/.local/state/tideline"))
        for home in ["", "home", "./home"] {
            #expect(UserState(environment: ["HOME": home]).path == account)
        }
        #expect(UserState(environment: ["HOME": "/h"]).path == "/h/.local/state/tideline")
        #expect(
            UserState(environment: ["XDG_STATE_HOME": "state", "HOME": "home"]).path == account)
    }

    @Test func lastStoreIsRememberedCompletely() throws {
        let folder = try TemporaryFolder()
        let environment = ["XDG_STATE_HOME": folder.appending("state")]
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            UserState(environment: environment).rememberStore("/\(number)/Notes.store")
        }
        let last = try #require(UserState(environment: environment).lastStore)
        #expect((0..<8).map { "/\($0)/Notes.store" }.contains(last))
        let left = try FileManager.default.contentsOfDirectory(
            atPath: folder.appending("state/tideline"))
        #expect(left.sorted() == ["last-store", "recent-stores"])
    }

    /// Otherwise the next run would open another store.
    @Test(arguments: ["/a/Notes ", "/a/ ", "/a/Notes\r", "/a/two\nlines\n"])
    func spaceAtTheEndOfTheLastStoreIsKept(_ path: String) throws {
        let folder = try TemporaryFolder()
        let state = UserState(environment: ["XDG_STATE_HOME": folder.appending("state")])
        state.rememberStore(path)
        #expect(state.lastStore == path)
        #expect(state.recentStores == (path.contains(where: \.isNewline) ? [] : [path]))
    }

    @Test func recentStoresAreUniqueAndNewestFirst() throws {
        let folder = try TemporaryFolder()
        let state = UserState(environment: ["XDG_STATE_HOME": folder.appending("state")])
        #expect(state.recentStores == [])
        for number in 0..<25 { state.rememberStore("/\(number)/Notes.store") }
        state.rememberStore("/20/Notes.store")
        #expect(state.recentStores.count == 20)
        #expect(
            state.recentStores.prefix(3) == [
                "/20/Notes.store", "/24/Notes.store", "/23/Notes.store",
            ])
    }

    @Test func onlyTheNewestTextsAreKept() throws {
        let folder = try TemporaryFolder()
        let state = UserState(environment: ["XDG_STATE_HOME": folder.path])
        let oldest = try state.keepText("oldest")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: oldest)
        let kept = try (0..<100).map { try state.keepText("\($0)") }
        let left = try FileManager.default.contentsOfDirectory(
            atPath: folder.appending("tideline/texts"))
        #expect(left.count == 100)
        #expect(!FileManager.default.fileExists(atPath: oldest))
        #expect(kept.allSatisfy { FileManager.default.fileExists(atPath: $0) })
    }
}
