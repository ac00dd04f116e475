import Testing

@testable import AutoModelExpansion

@Suite struct DiagnosticTests {
    private func inClass(_ members: String) -> String {
        "@AutoModel final class Artist {\n\(members)\n}"
    }

    private func expect(
        _ source: String, _ problem: Problem, fix: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let wanted = ([problem.message] + (fix.map { ["fix: \($0)"] } ?? [])).joined(
            separator: "; ")
        #expect(Snapshot.messages(of: source) == [wanted], sourceLocation: sourceLocation)
    }

    @Test func onlyClassesAndStructsAreModels() {
        expect("@AutoModel enum Artist {}", .wrongKind("an enum"))
        expect("@AutoModel actor Artist {}", .wrongKind("an actor"))
        expect("@AutoModel final class Artist<T> {}", .generic)
    }

    @Test func modelClassesAreFinal() {
        expect("@AutoModel class Artist {}", .notFinal, fix: "add 'final'")
    }

    @Test func observableMacroIsRefused() {
        expect("@Observable @AutoModel final class Artist {}", .observableMacro)
    }

    @Test func propertiesNeedDefaultValues() {
        expect(inClass("var name: String"), .noDefault("name"), fix: "start with \"\"")
        expect(inClass("var words: [String]"), .noDefault("words"), fix: "start with []")
        expect(inClass("var home: Place"), .noDefault("home"))
        expect(inClass("let made: Date"), .constant("made"))
    }

    @Test func observedLazyAndWeakPropertiesAreRefused() {
        expect(inClass("var name = \"\" { didSet {} }"), .observers("name"))
        expect(inClass("lazy var name = \"\""), .lazy("name"))
        expect(inClass("weak var artist: Artist?"), .unownedReference("artist"))
        expect(inClass("var a = 1, b = 2"), .severalVariables)
    }

    @Test func invalidNamesAreRefused() {
        expect(inClass("var id = 5"), .ownID)
        expect(inClass("var name = \"\"\nvar Name = \"\""), .sameColumn("Name"))
        expect(inClass("@Column(\"a\\(1)\") var name = \"\""), .notLiteral)
        expect(inClass("@Column(\"\") var name = \"\""), .emptyName)
        expect("@AutoModel(\"sqlite_x\") final class Artist {}", .reserved("sqlite_x"))
    }

    @Test func attributesApplyToColumnsOnly() {
        expect(inClass("@Column(.unique) @Excluded var name = \"\""), .columnAndExcluded("name"))
        expect(inClass("@Column(.unique) var name: String { \"\" }"), .markerNeedsModel)
    }

    @Test func relationsNeedATargetAndAClass() {
        expect(inClass("var albums: Children<Album>"), .relationWithoutValue("albums"))
        expect(
            "@AutoModel struct Artist { var albums = ManyToMany(Album.self) }",
            .relationInStruct("albums"))
    }

    @Test func structsHaveNoChangeTracking() {
        expect("@AutoModel(tracksChanges: false) struct Visit { var place = \"\" }", .untracked)
    }

    @Test func publicStructsNeedAnInitializer() {
        expect("@AutoModel public struct Visit { public var place = \"\" }", .publicInit)
    }
}
