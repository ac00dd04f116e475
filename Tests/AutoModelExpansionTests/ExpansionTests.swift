import Testing

@Suite struct ExpansionTests {
    @Test func classExpands() throws {
        try Snapshot.expect(
            "class",
            of: """
                @AutoModel final class Artist {
                    var name = ""
                    var formed: Date?
                    private var words: [String] = []
                    var shout: String { name.uppercased() }
                    static var count = 0
                    let constant = 5
                }
                """)
    }

    @Test func publicClassWithAllOptionsExpands() throws {
        try Snapshot.expect(
            "public-class",
            of: """
                @AutoModel("artists", ids: .ascending, file: "cache", formerly: "Musician", "Singer")
                public final class Artist {
                    @Column("label", .unique, formerly: "title", "name") public var name = "x"
                    @Column(.indexed, .fullText) var `default`: String?
                    @Excluded public var isSelected = false
                    var stamp = UUID()
                    public init(name: String) { self.name = name }
                    public func awakeFromFetch() {}
                }
                """)
    }

    @Test func observableClassExpands() throws {
        try Snapshot.expect(
            "observable-class",
            of: """
                @AutoModel final class Artist: Observable {
                    var name = ""
                    @Excluded var isSelected = false
                }
                """)
    }

    @Test func relationsExpand() throws {
        try Snapshot.expect(
            "relations",
            of: #"""
                @AutoModel final class Artist {
                    var label = Reference<Label>(onDelete: .cascade)
                    var albums = Children(of: Album.self, by: \.artist)
                    var genres = ManyToMany(Genre.self)
                    var cover = Inverse(of: Cover.self, by: \.artist)
                }
                """#)
    }

    @Test func annotatedRelationsExpand() throws {
        try Snapshot.expect(
            "annotated-relations",
            of: #"""
                @AutoModel final class Artist {
                    var label: AutoModel.Reference<Label> = .init(onDelete: .cascade)
                    var albums: AutoModel.Children<Album> = .init(of: Album.self, by: \.artist)
                    convenience init(label: Label) { self.init() }
                }
                """#)
    }

    @Test func structExpands() throws {
        try Snapshot.expect(
            "struct",
            of: """
                @AutoModel struct Visit {
                    var place = ""
                    var stars: Int?
                    @Excluded var note = ""
                }
                """)
    }

    @Test func publicStructWithAscendingIDsExpands() throws {
        try Snapshot.expect(
            "public-struct",
            of: """
                @AutoModel(ids: .ascending) public struct Visit {
                    public var place = ""
                    public init() {}
                }
                """)
    }
}
