import Automerge
import EntityStore
import Foundation
import KeyValueStore
import Replication
import Testing

@testable import TidelineCore

/// Typed text as values of keys, of properties and of documents.
@Suite struct TypedTextTests {
    private func failure(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? EditError)?.message ?? "\(error)"
        }
    }

    @Test(
        arguments: [
            (.integer, "1.5"), (.integer, "99999999999999999999"), (.real, "x"), (.real, "1e999"),
            (.boolean, "maybe"), (.date, "soon"), (.data, "?"), (.data, "===="),
            (.data, "aGk=="), (.data, "aA=A"), (.json, "[1"), (.json, "1e999"),
            (.json, #"{"$date":"soon"}"#), (.json, #"{"$data":"?"}"#), (.json, #"{"a":1,"a":2}"#),
        ] as [(TypedText.Kind, String)])
    func everyStoreRefusesInvalidTextWithTheSameMessage(_ kind: TypedText.Kind, _ text: String) {
        let typed = TypedText(kind, text)
        let ofKey = failure { _ = try typed.value(as: PropertyList.self) }
        #expect(ofKey != nil)
        #expect(failure { _ = try typed.value(as: EntityValue.self) } == ofKey)
        #expect(failure { _ = try DocumentValue(typed) } == ofKey)
    }

    @Test func everyStoreParsesTheSameJSONForms() throws {
        let text = TypedText(
            .json, #"{"b":[true,1,1.0,"x",{"$data":"AP8="},{"$real":"inf"}],"a":{}}"#)
        let key = try text.value(as: PropertyList.self)
        #expect(
            key == ["b": [true, 1, 1.0, "x", .data(Data([0, 255])), .real(.infinity)], "a": [:]])
        #expect(EntityValue(converting: key) == (try text.value(as: EntityValue.self)))
        guard case .map(let members) = try DocumentValue(text),
            case .list(let items)? = members["b"]
        else {
            Issue.record("it is not a map with a list")
            return
        }
        let scalars = items.map { item in
            if case .scalar(let scalar) = item { scalar } else { ScalarValue.Null }
        }
        #expect(
            scalars == [
                .Boolean(true), .Int(1), .F64(1), .String("x"), .Bytes(Data([0, 255])),
                .F64(.infinity),
            ])
    }

    @Test func onlyDocumentsHaveNull() throws {
        for text in [TypedText(.null, ""), TypedText(.json, "[null]")] {
            #expect(throws: EditError.self) { try text.value(as: PropertyList.self) }
            #expect(throws: EditError.self) { try text.value(as: EntityValue.self) }
            _ = try DocumentValue(text)
        }
    }

    @Test func propertiesHaveNoUnsignedIntegers() throws {
        let text = TypedText(.integer, "18446744073709551615")
        #expect(try text.value(as: PropertyList.self) == .unsigned(.max))
        #expect(throws: EditError.self) { try text.value(as: EntityValue.self) }
    }

    @Test func farDateOfAPropertyKeepsItsMicroseconds() throws {
        let text = TypedText(.date, "9999-12-31T23:59:59.999999Z")
        let value = try text.value(as: EntityValue.self)
        #expect(TypedText(value) == text)
    }
}
