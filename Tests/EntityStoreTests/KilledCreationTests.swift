import Foundation
import GRDB
import Replication
import TestSupport
import Testing

@testable import EntityStore

/// A program that was killed in the transaction that creates its log.
@Suite struct KilledCreationTests {
    /// The number of the file's pages that were on disk at that time.
    @Test(arguments: [1, 2, 4]) func logIsRecreated(pageCount: Int) async throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Notes.store"))
        let device = try DeviceID("desk")
        let whole = try await EntityStore.open(package, device: device)
        try await whole.add([(.new("note", identifier: "lost"), ["text": "not acknowledged"])])
        await whole.close()
        let url = URL(filePath: try package.device(device).path(of: .entities))
        // The header as the first transaction leaves it: the change counter and the number of
        // pages.
        var pages = try Data(contentsOf: url)
        pages.replaceSubrange(24..<28, with: [0, 0, 0, 1])
        pages.replaceSubrange(92..<96, with: [0, 0, 0, 1])
        pages.replaceSubrange(28..<32, with: [0, 0, 0, UInt8(pageCount)])
        try pages.prefix(pageCount * 4_096).write(to: url)
        var journal = Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        for number in [0, 7, 0, 512, 4_096] as [UInt32] {
            journal.append(contentsOf: withUnsafeBytes(of: number.bigEndian, Array.init))
        }
        journal.append(Data(count: 512 - journal.count))
        try journal.write(to: URL(filePath: url.path + "-journal"))
        let store = try await EntityStore.open(package, device: device)
        try await store.add([(.new("note", identifier: "new"), ["text": "kept"])])
        await store.close()
        let again = try await EntityStore.open(package, device: device)
        #expect(try await again.identifiers() == ["new"])
        await again.close()
    }
}
