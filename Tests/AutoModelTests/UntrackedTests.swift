import AutoModel
import Foundation
import Testing

@AutoModel(tracksChanges: false) final class Sample {
    var name = ""
    var level = 0.0
    @Excluded var saves = 0

    func didSave() { saves += 1 }
}

/// Models with `@AutoModel(tracksChanges: false)`.
@Suite struct UntrackedTests {
    @Test func onlyExplicitSavesWriteChanges() throws {
        try withOpened(Sample.self) { database in
            let sample = try Sample.create(id: 1) { $0.name = "a" }
            try database.saveAllChanges()
            try database.expect("SELECT name, level FROM Sample", [[.text("a"), .real(0)]])
            sample.level = 2
            sample.name = "b"
            #expect(sample.hasChanges)
            try Sample.saveChanges()
            try database.expect("SELECT name, level FROM Sample", [[.text("a"), .real(0)]])
            try sample.save()
            try database.expect("SELECT name, level FROM Sample", [[.text("b"), .real(2)]])
            #expect(sample.saves == 2)
        }
    }

    @Test func changedObjectsAreNotKeptAlive() throws {
        try withOpened(Sample.self) { _ in
            try Sample.create(id: 1) { $0.name = "a" }
            try Sample.saveChanges()
            weak var held: Sample?
            do {
                let sample = try #require(try Sample.fetch(1))
                sample.name = "dropped"
                held = sample
            }
            #expect(held == nil)
            #expect(try Sample.fetch(1)?.name == "a")
        }
    }

    @Test func fetchReplacesValuesAfterAnotherWriter() throws {
        try withOpened(Sample.self) { database in
            let sample = try Sample.create(id: 1) { $0.name = "a" }
            try sample.save()
            sample.name = "mine"
            try database.execute("UPDATE Sample SET level = 7")
            #expect(try Sample.fetch(1) === sample && sample.name == "a" && sample.level == 7)
        }
    }

    @Test func failedSaveCanBeRepeated() throws {
        try withOpened(Sample.self) { database in
            let sample = try Sample.create(id: 1) { $0.name = "a" }
            try sample.save()
            sample.level = .nan
            #expect(throws: AutoModelError.self) { try sample.save() }
            sample.level = 3
            try Sample.saveChanges()
            try database.expect("SELECT level FROM Sample", [[.real(0)]])
            try sample.save()
            try database.expect("SELECT level FROM Sample", [[.real(3)]])
        }
    }
}
