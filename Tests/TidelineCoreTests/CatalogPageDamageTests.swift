import Foundation
import KeyValueStore
import Replication
import ServerCatalog
import ServerCatalogGRDB
import TestSupport
import Testing

@testable import TidelineCore

/// Data rule 4, for every page of a catalog in a package.
@Suite struct CatalogPageDamageTests {
    @Test(arguments: [512, 4_096], PageDamage.allCases)
    func damagedCatalogIsReportedAndOthersAreShown(_ pageSize: Int, _ damage: PageDamage) throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Notes.store"))
        let store = KeyValueStore(package: package, device: try DeviceID("desk"))
        try store.load()
        for number in 0..<5 { try store.set("value", forKey: "key \(number)") }
        try store.close()
        var catalogs: [String] = []
        for device in ["desk", "phone"] {
            let path = try package.makeDeviceFolder(DeviceID(device)).path(of: .catalog)
            try CatalogSamples.write(to: path)
            catalogs.append(path)
        }
        try runSQL("PRAGMA page_size = \(pageSize); VACUUM", at: catalogs[1], isTransaction: false)
        let url = URL(fileURLWithPath: catalogs[1])
        let whole = try Data(contentsOf: url)
        let listed = try servers(catalogs[1])
        var random = SeededRandom(seed: 11)
        for page in PageDamage.pages(of: whole.count / pageSize, quick: 12) {
            try damage.applied(to: whole, page: page, of: pageSize, using: &random).write(to: url)
            let info = try StoreInfo(of: package.path)
            #expect(info.counts["keys"] == 5, "page \(page)")
            let isNamed = info.problems.contains { $0.hasPrefix("phone: servers: ") }
            #expect(
                info.counts["servers"] == (isNamed ? 7 : 14), "page \(page): \(info.problems)")
            // The listing is either complete or fails with a reason.
            if let found = try? servers(catalogs[1]) { #expect(found == listed, "page \(page)") }
            #expect(try servers(catalogs[0]).count == 7)
        }
        try whole.write(to: url)
        #expect(try servers(catalogs[1]) == listed)
    }

    @Test func catalogWithOtherColumnsIsReported() throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Notes.store"))
        let path = try package.makeDeviceFolder(DeviceID("phone")).path(of: .catalog)
        try CatalogSamples.write(to: path)
        try runSQL("ALTER TABLE logical RENAME TO hidden; CREATE TABLE logical (x)", at: path)
        let info = try StoreInfo(of: package.path)
        #expect(info.problems.contains { $0.hasPrefix("phone: servers: ") }, "\(info.problems)")
    }

    private func servers(_ path: String) throws -> [String] {
        let catalog = try CatalogDatabase.openForReading(path: path)
        return try catalog.servers(orderedBy: .nameAscending)
            .map { "\($0.logical.id) \($0.logical.name) \($0.logical.status.load)" }
    }
}
