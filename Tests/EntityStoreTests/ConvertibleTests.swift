import EntityStore
import Foundation
import Replication
import Testing

@Suite struct ConvertibleTests {
    @Test func variablesOfCommonTypesBecomeValuesOfTheirKind() throws {
        let name = "Anna"
        let age = 21
        let born = Date(timeIntervalSinceReferenceDate: 0.5)
        let site = try #require(URL(string: "https://example.org/a?b"))
        let id = UUID()
        #expect(EntityValue(name) == .string("Anna"))
        #expect(EntityValue(age) == .integer(21))
        #expect(EntityValue(Int64.max) == .integer(.max))
        #expect(EntityValue(2.5) == .double(2.5))
        #expect(EntityValue(true) == .boolean(true))
        #expect(EntityValue(born) == .date(Timestamp(born)))
        #expect(EntityValue.date(born) == .date(Timestamp(born)))
        #expect(EntityValue(Data([1])) == .data(Data([1])))
        #expect(EntityValue(site) == .string("https://example.org/a?b"))
        #expect(EntityValue(id) == .string(id.uuidString))
        #expect(EntityValue(["a", "b"]) == .array(["a", "b"]))
        #expect(EntityValue(["s": 1]) == .dictionary(["s": 1]))
        let ben = EntityReference.identifier("ben")
        #expect(EntityValue(ben) == .relationship(ben))
    }

    @Test func propertyDictionariesTakeDictionariesKeyedByString() {
        let sizes: [String: Int] = ["s": 1, "l": 2]
        let mixed: [String: EntityValue] = ["name": "Anna", "age": 21]
        #expect(PropertyDictionary(sizes) == ["s": 1, "l": 2])
        #expect(PropertyDictionary(mixed) == ["name": "Anna", "age": 21])
        #expect(PropertyDictionary(["name": "Anna", "age": 21]) == ["name": "Anna", "age": 21])
    }

    @Test func programsCanHaveATypeCalledProperty() {
        struct Property { let address: String }
        let home = Property(address: "Quai 1")
        let value = EntityStore.Property(.string(home.address), type: "address")
        #expect(value == EntityProperty("Quai 1", type: "address"))
    }
}
