import Automerge
import Foundation
import Replication
import TestSupport
import Testing

@testable import DocumentStore

/// Damage to every page of `Documents.db` in turn: intact data opens, missing data is reported, and
/// restoring the file heals everything.
@Suite struct PageDamageTests {
    private static let pageSize = 512

    /// Runs `body` with Ben's file, damaged in one page at a time.
    private func forEachPage(
        of scene: DamageScene, _ damage: PageDamage, quick: Int,
        _ body: (Data, String) throws -> Void
    ) throws {
        let count = scene.ben.count / Self.pageSize
        for page in PageDamage.pages(of: count, quick: quick) {
            var random = SeededRandom(seed: UInt64(page))
            let file = damage.applied(
                to: scene.ben, page: page, of: Self.pageSize, using: &random)
            try body(file, "page \(page) of \(count)")
        }
    }

    /// Checks that all of Anna's changes are there and that missing changes of Ben's are reported.
    private func check(
        _ store: AutomergeStore, _ document: AutomergeStore.Document, _ scene: DamageScene,
        _ page: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let known = Set(document.automerge.getHistory())
        #expect(
            scene.withoutBen.isSubset(of: known), "\(page)", sourceLocation: sourceLocation)
        let status = store.devices.first { $0.device.name == "ben" }
        let isTold =
            store.problems(of: scene.id)?.isEmpty == false || status?.state != .ok
            || status?.problem != nil
        #expect(
            scene.heads.isSubset(of: known) || isTold, "\(page): \(String(describing: status))",
            sourceLocation: sourceLocation)
    }

    private func checkHealed(
        _ store: AutomergeStore, _ document: AutomergeStore.Document, _ scene: DamageScene,
        _ page: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            scene.heads.isSubset(of: document.automerge.getHistory()), "\(page) does not heal",
            sourceLocation: sourceLocation)
        #expect(
            store.problems(of: scene.id)?.isEmpty == true, "\(page)",
            sourceLocation: sourceLocation)
        #expect(
            store.devices.allSatisfy { $0.state == .ok && $0.problem == nil }, "\(page)",
            sourceLocation: sourceLocation)
    }

    @Test(arguments: PageDamage.allCases)
    func intactPartOfADamagedFileOpens(_ damage: PageDamage) throws {
        let scene = try DamageScene(pageSize: Self.pageSize)
        try forEachPage(of: scene, damage, quick: 8) { file, page in
            try scene.devices.place(file, of: "ben", in: "anna")
            let anna = try scene.devices.open("anna", writes: false)
            let document = try #require(try anna.openDocument(scene.id))
            check(anna, document, scene, page)
            try scene.devices.place(scene.ben, of: "ben", in: "anna")
            try anna.sync()
            checkHealed(anna, document, scene, page)
            try anna.close()
        }
    }

    @Test(arguments: PageDamage.allCases)
    func damageToAnOpenStoreLeavesOpenDocumentsComplete(_ damage: PageDamage) throws {
        let scene = try DamageScene(pageSize: Self.pageSize)
        try forEachPage(of: scene, damage, quick: 8) { file, page in
            try scene.devices.place(scene.ben, of: "ben", in: "anna")
            let anna = try scene.devices.open("anna")
            let document = try #require(try anna.openDocument(scene.id))
            try scene.devices.place(file, of: "ben", in: "anna")
            try anna.sync()
            #expect(scene.heads.isSubset(of: document.automerge.getHistory()), "\(page)")
            try document.put("meanwhile", .String(page))
            try anna.save()
            try scene.devices.place(scene.ben, of: "ben", in: "anna")
            try anna.sync()
            checkHealed(anna, document, scene, page)
            let heads = document.automerge.heads()
            try anna.close()
            let again = try scene.devices.open("anna", writes: false)
            #expect(try again.openDocument(scene.id)?.automerge.heads() == heads, "\(page)")
            try again.close()
        }
    }

    @Test(arguments: PageDamage.allCases)
    func documentOpenedAfterDamageHasTheIntactChanges(_ damage: PageDamage) throws {
        let scene = try DamageScene(pageSize: Self.pageSize)
        try forEachPage(of: scene, damage, quick: 8) { file, page in
            for isNoticed in [true, false] {
                try scene.devices.place(scene.ben, of: "ben", in: "anna")
                let anna = try scene.devices.open("anna", writes: false)
                try scene.devices.place(file, of: "ben", in: "anna")
                if isNoticed { try anna.sync() }
                // The known chunks are remembered, and so the missing ones are reported.
                let document = try #require(try anna.openDocument(scene.id))
                check(anna, document, scene, page)
                try scene.devices.place(scene.ben, of: "ben", in: "anna")
                try anna.sync()
                checkHealed(anna, document, scene, page)
                try anna.close()
            }
        }
    }

    @Test(arguments: PageDamage.allCases)
    func writingToADamagedOwnFileLosesNothing(_ damage: PageDamage) throws {
        let scene = try DamageScene(pageSize: Self.pageSize)
        var isNoticed = false
        try forEachPage(of: scene, damage, quick: 8) { file, page in
            isNoticed.toggle()
            try scene.devices.place(file, of: "ben", in: "ben")
            let ben = try scene.devices.open("ben")
            let document = try #require(try ben.openDocument(scene.id))
            check(ben, document, scene, page)
            try document.put("meanwhile", .String(page))
            do {
                try ben.save()
                let again = try scene.devices.open("ben", writes: false)
                let stored = try #require(try again.openDocument(scene.id))
                #expect(
                    try stored.get("meanwhile") == .Scalar(.String(page)),
                    "\(page): \(again.problems(of: scene.id)?.lines ?? []), \(again.devices)")
                try again.close()
            } catch {
                // A file that can't be read as a whole is left unchanged.
                let left = try Data(contentsOf: scene.devices.file("ben", in: "ben"))
                #expect(left == file, "\(page): \(error)")
            }
            try scene.devices.place(scene.ben, of: "ben", in: "ben")
            if isNoticed {
                try ben.sync()
            } else {
                try document.put("later", .String(page))
            }
            // The edit is stored in the restored file.
            try ben.save()
            try ben.sync()
            #expect(scene.heads.isSubset(of: document.automerge.getHistory()), "\(page)")
            let heads = document.automerge.heads()
            try ben.close()
            let again = try scene.devices.open("ben", writes: false)
            let stored = try #require(try again.openDocument(scene.id))
            #expect(stored.automerge.heads() == heads, "\(page)")
            #expect(try stored.get("meanwhile") == .Scalar(.String(page)), "\(page)")
            try again.close()
        }
    }
}
