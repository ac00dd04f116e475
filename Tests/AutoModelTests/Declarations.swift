import AutoModel
import Foundation

// Declarations of the same tables in different versions of a program.

enum V1 {
    @AutoModel final class Item {
        var name = ""
        var size = 0
    }
    @AutoModel final class Shelf {
        var items = ManyToMany(V1.Item.self)
    }
}

enum Added {
    @AutoModel final class Item {
        var name = ""
        var size = 0
        var note: String?
        var level = 3
        var stamp = UUID()
    }
    @AutoModel final class Other { var name = "" }
}

enum Renamed1 {
    @AutoModel final class Item {
        var name = ""
        @Column(formerly: "size") var amount = 0
    }
}

enum Renamed2 {
    @AutoModel final class Item {
        var name = ""
        @Column(formerly: "size", "amount") var number = 0
    }
}

enum Dropped {
    @AutoModel final class Item { var name = "" }
    @AutoModel("Item") final class Said {
        var name = ""
        static var schema: ModelSchema<Said> { ModelSchema().removed("size") }
    }
}

enum Typed {
    @AutoModel("Item") final class Text {
        var name = ""
        var size = ""
    }
    @AutoModel("Item") final class Optional {
        var name = ""
        var size: Int?
    }
    @AutoModel("Item") final class Converted {
        var name = ""
        var size = 0
        static var schema: ModelSchema<Converted> {
            ModelSchema().converting(\.size) { old in
                if case .text(let text) = old { .integer(Int64(text.count)) } else { 0 }
            }
        }
    }
}

enum Indexed {
    @AutoModel final class Item {
        @Column(.unique) var name = ""
        var size = 0
        static var schema: ModelSchema<Item> {
            ModelSchema().index(\.size, \.name).index(\.size, where: "size > 3")
                .index(expression: "lower(name)")
        }
    }
}

enum Searched {
    @AutoModel final class Item {
        @Column(.fullText) var name = ""
        var size = 0
    }
}

enum Moved {
    @AutoModel(file: "cache") final class Item {
        var name = ""
        var size = 0
    }
    @AutoModel(formerly: "Shelf") final class Rack {
        var items = ManyToMany(V1.Item.self)
    }
}

enum Retyped {
    enum Count: Int, Sendable { case none, one, many }
    enum Kind: String, Sendable { case first, second }
    enum Letter: String, Sendable { case a, b }

    @AutoModel("Event") final class Old {
        var at = 0
        var count = 0
        var kind = ""
        var tags = ""
        var ratio = 0.0
    }
    @AutoModel("Event") final class New {
        var at: Date?
        var count = Count.none
        var kind = Kind.first
        var tags: [String] = []
        var ratio = 0
        static var schema: ModelSchema<New> {
            ModelSchema()
                .converting(\.at) { old in
                    if case .integer(let number) = old { .real(Double(number) / 1000) } else { nil }
                }
                .converting(\.count) { old in old == 0 ? 0 : 2 }
                .converting(\.kind) { old in old == "a" ? "first" : "second" }
                .converting(\.tags) { old in
                    guard case .text(let text) = old, !text.isEmpty else { return "[]" }
                    return .text("[\"" + text.replacingOccurrences(of: ",", with: "\",\"") + "\"]")
                }
                .converting(\.ratio) { old in
                    if case .real(let number) = old { .integer(Int64(number * 100)) } else { 0 }
                }
        }
    }
    @AutoModel("Event") final class Loose {
        var at: Int?
        var count = 0
        var kind = ""
        var tags = ""
        var ratio: Double?
        static var schema: ModelSchema<Loose> {
            ModelSchema().converting(\.at) { _ in 0 }.converting(\.ratio) { _ in 0 }
        }
    }
    @AutoModel("Event") final class Strict {
        var at = 0
        var count = 0
        var kind = ""
        var tags = ""
        var ratio = 0.0
        static var schema: ModelSchema<Strict> {
            ModelSchema().converting(\.at) { _ in 0 }.converting(\.ratio) { _ in -1.0 }
        }
    }
    @AutoModel("Event") final class Enumerated {
        var at = 0
        var count = 0
        var kind = Letter.a
        var tags = ""
        var ratio = 0.0
    }
    @AutoModel("Event") final class Coded {
        var at = 0
        var count = 0
        var kind = ""
        var tags: [String] = []
        var ratio = 0.0
    }
    @AutoModel("Event") final class Wrong {
        var at = 0
        var count = 0
        var kind = Letter.a
        var tags = ""
        var ratio = 0.0
        static var schema: ModelSchema<Wrong> { ModelSchema().converting(\.kind) { _ in "z" } }
    }
}
