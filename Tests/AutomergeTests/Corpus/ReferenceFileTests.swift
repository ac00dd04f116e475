import Foundation
import Testing

@testable import Automerge

/// Files from the reference's own tests.
@Suite(.enabled(if: Fixtures.folder != nil, "TIDELINE_FIXTURES names no folder"))
struct ReferenceFileTests {
    @Test func exemplarHoldsEveryScalarType() throws {
        let document = try Document(Fixtures.data("exemplar"))
        func value(_ key: String) throws -> Value? { try document.get(obj: .ROOT, key: key) }
        #expect(try value("bool") == .Scalar(.Boolean(true)))
        #expect(try value("bytes") == .Scalar(.Bytes(Data([0x85, 0x6F, 0x4A, 0x83]))))
        #expect(try value("counter") == .Scalar(.Counter(5)))
        #expect(try value("fp") == .Scalar(.F64(3.14159267)))
        #expect(try value("int") == .Scalar(.Int(-4)))
        #expect(try value("location") == .Scalar(.String("https://automerge.org/")))
        #expect(try value("timestamp") == .Scalar(.timestamp(milliseconds: -905_182_979_000)))
        #expect(try value("title") == .Scalar(.String("Hello 🇬🇧👨‍👨‍👧‍👦😀")))
        #expect(try value("uint") == .Scalar(.Uint(.max)))
        guard case .Object(let notes, .Text) = try value("notes") else {
            Issue.record("notes is not text")
            return
        }
        #expect(try document.text(obj: notes) == "🇬🇧👨‍👨‍👧‍👦😀")
    }

    @Test func chunksAreReadCompressedOrNotInAnyOrder() throws {
        let plain = try Document(Fixtures.data("two_change_chunks.automerge"))
        #expect(!plain.heads().isEmpty)
        for name in ["two_change_chunks_compressed", "two_change_chunks_out_of_order"] {
            let other = try Document(Fixtures.data(name + ".automerge"))
            #expect(other.heads() == plain.heads())
            #expect(other.save() == plain.save())
        }
    }

    @Test func operationNumbersCanNeedSixtyFourBits() throws {
        let document = try Document(Fixtures.data("64bit_obj_id_change.automerge"))
        #expect(document.getHistory().count <= 1)
    }

    @Test func counterOfMinimalLengthIsRead() throws {
        let document = try Document(Fixtures.data("counter_value_is_ok.automerge"))
        #expect(try document.mapEntries(obj: .ROOT).contains { $0.1.isCounter })
    }

    @Test(arguments: ["counter_value_is_overlong", "missing_actor", "too_many_ops"])
    func malformedFileIsRefused(name: String) throws {
        let data = try Fixtures.data(name + ".automerge")
        #expect(throws: LoadError.self) { try Document(data) }
        #expect(throws: DocError.self) { try Document().applyEncodedChanges(encoded: data) }
    }

    @Test func meetingNotesAreSavedToTheSameHeadsAndSize() throws {
        let data = try Fixtures.data("monday-meeting-notes.automerge")
        let document = try Document(data)
        let saved = document.save()
        #expect(abs(saved.count - data.count) < data.count / 20)
        let again = try Document(saved)
        #expect(again.heads() == document.heads())
        #expect(again.getHistory().count == document.getHistory().count)
        #expect(again.save() == saved)
    }

    @Test func meetingNotesMatchTheModel() throws {
        let document = try Document(Fixtures.data("monday-meeting-notes.automerge"))
        let snapshot = try Snapshot(of: document, encoding: .unicodeScalar)
        #expect(
            snapshot.contents.values.contains { content in
                if case .text(let characters, _) = content {
                    characters.utf8.count > 1000
                } else {
                    false
                }
            })
    }
}
