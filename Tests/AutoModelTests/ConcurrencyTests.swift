import AutoModel
import Foundation
import Testing

@Suite struct ConcurrencyTests {
    @Test func threadsAndTasksShareOneObjectPerRow() async throws {
        try await withDatabase(V1.Item.self) { database in
            for number in 1...20 {
                try await V1.Item.create(id: Int64(number)) { $0.name = "\(number)" }
            }
            try await database.saveAllChanges()
            let found = await withTaskGroup(of: [V1.Item].self) { group in
                for _ in 0..<10 {
                    group.addTask { (try? await V1.Item.all.fetch().objects) ?? [] }
                }
                for _ in 0..<2 {
                    group.addTask {
                        await withCheckedContinuation { continuation in
                            Thread {
                                let objects = database.use { try? V1.Item.all.fetch().objects }
                                continuation.resume(returning: objects ?? [])
                            }.start()
                        }
                    }
                }
                return await group.reduce(into: [[V1.Item]]()) { $0.append($1) }
            }
            #expect(found.count == 12)
            for objects in found { #expect(objects == found[0] && objects.count == 20) }
        }
    }

    @Test func concurrentSetsAreAllSaved() async throws {
        try await withDatabase(V1.Item.self, Wide.self) { database in
            let item = try Wide.create()
            try await item.save()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        for round in 1...50 {
                            switch number % 5 {
                            case 0: item.a = round
                            case 1: item.b = "\(round)"
                            case 2: item.c = Double(round)
                            case 3: item.d = [round]
                            default: item.e = Data([UInt8(round)])
                            }
                            if round % 10 == 0 { try? await item.save() }
                            if round % 25 == 0 { _ = try? await Wide.fetch(item.id) }
                        }
                    }
                }
            }
            try await item.save()
            #expect(!item.hasChanges)
            #expect(
                try await database.rows("SELECT a, b, c, d, e FROM Wide")
                    == [[50, "50", 50.0, "[50]", .blob(Data([50]))]])
        }
    }

    @Test func objectsAreMadeSavedAndDeletedConcurrently() async throws {
        try await withDatabase(V1.Item.self) { database in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        for number in 0..<20 {
                            let item = try V1.Item.create { $0.name = "\(task)" }
                            item.size = number
                            if number % 2 == 0 { try await item.save() }
                            if number % 4 == 0 { try await item.delete() }
                        }
                        try await V1.Item.saveChanges()
                    }
                }
                try await group.waitForAll()
            }
            try await database.saveAllChanges()
            let counts = "SELECT count(*), count(DISTINCT name) FROM Item"
            #expect(try await database.rows(counts) == [[120, 8]])
        }
    }
}

@AutoModel final class Wide {
    var a = 0
    var b = ""
    var c = 0.0
    var d: [Int] = []
    var e = Data()
}
